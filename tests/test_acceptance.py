"""What can go wrong at a table and its devices, and the tests that show what comes of it: none may go missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent

SHOWN = {
    "link: byte loss": ["tdl-drop", "angel-drop", "bee-tek-drop"],
    "link: bit flips": ["tdl-corrupt", "angel-corrupt", "bee-tek-corrupt"],
    "link: split frames": ["tdl-split", "angel-split", "bee-tek-split"],
    "link: glued frames": ["tdl-glue", "angel-glue", "bee-tek-glue"],
    "link: flood of garbage": ["tdl-flood", "angel-flood", "bee-tek-flood"],
    "link: oversize frame": ["tdl-oversize", "angel-oversize", "bee-tek-oversize"],
    "link: wrong speed": ["tdl-wrong-baud", "angel-wrong-baud", "bee-tek-wrong-baud"],
    "link: unplugged within a frame": ["tdl-unplug", "angel-unplug", "bee-tek-unplug"],
    "link: half-open serial server": ["test_tdl_driver.test_a_half_open_line_is_stalled_then_lost_then_found_again"],
    "link: two hosts": [
        "tdl-second-host",
        "test_two_hosts.test_the_second_daemon_on_a_serial_line_waits_and_names_the_first",
        "test_two_hosts.test_whoever_takes_a_serial_server_from_the_daemon_costs_no_card",
    ],
    "link: slow consumer": [
        "test_slow_consumer.test_a_disk_that_is_slow_costs_no_event",
        "test_tdl_driver.test_a_full_queue_holds_the_device_up_and_loses_nothing",
        "test_outbox.test_a_line_that_goes_dead_is_noticed_and_replaced",
    ],
    "session: wrong key": ["tdl-clone-serial", "reader-clone-serial"],
    "session: unapproved firmware": ["tdl-old-firmware"],
    "session: cloned serial number": ["tdl-clone-serial", "test_usb_identity.test_a_clone_is_refused_with_both_ports"],
    "session: downgrade": ["tdl-downgrade", "tdl-downgrade-caps"],
    "session: replayed": ["tdl-replayed-session"],
    "session: counter reset": ["tdl-counter-reset"],
    "session: three bad tags": [
        "tdl-clone-serial",
        "test_tdl_handshake.test_three_bad_tags_bar_the_device_for_thirty_seconds",
        "test_sim_tdl.test_three_wrong_proofs_bar_everybody_for_half_a_minute",
    ],
    "journal: host crashes before or after it is on disk": [
        "test_table_kill.test_twenty_kills",
        "test_tdl_driver.test_a_killed_daemon_finds_every_card_exactly_once",
    ],
    "journal: device restarts within a round": ["tdl-reboot", "angel-reboot", "reader-reboot"],
    "journal: the device's is full": ["tdl-overflow", "test_sim_tdl.test_room_for_events_runs_out_and_is_there_again"],
    "journal: the device's goes back": ["tdl-rollback"],
    "journal: gap": ["tdl-overflow", "test_tdl_driver.test_events_that_are_gone_are_a_gap"],
    "journal: another chain": ["tdl-other-chain"],
    "journal: another value than committed to": ["tdl-other-value"],
    "cards: one after another alike": ["tdl-one-too-many"],
    "cards: one more alike than decks": ["tdl-one-too-many"],
    "cards: unreadable": ["tdl-misread", "angel-misread"],
    "cards: foreign": ["tdl-foreign"],
    "cards: double feed": ["tdl-double-feed"],
    "cards: reverse at the exit": ["tdl-reverse", "angel-reverse"],
    "cards: overdraw": ["tdl-overdraw", "test_angel_intake.test_what_reports_become"],
    "cards: cutting card first or within a round": [
        "tdl-cut-card-missed",
        "test_check_shoe.test_the_cutting_card_ends_the_shoe",
    ],
    "cards: drawn while locked": [
        "tdl-locked",
        "test_sim_tdl_models.test_a_locked_shoe_lets_cards_out_of_the_game_only",
    ],
    "cards: sixteen events at once": ["tdl-burst"],
    "cards: lid open": ["tdl-lid"],
    "cards: early end of the shoe": ["test_check_shoe.test_the_stock", "test_tdl_intake.test_a_row_of_the_table"],
    "reader: un-armed peek": ["reader-unarmed-peek"],
    "reader: second peek": ["reader-second-peek"],
    "reader: never seated": ["reader-never-seated"],
    "reader: skewed": ["reader-skewed"],
    "reader: removed early": ["reader-removed-early"],
    "reader: left in the slot": ["reader-left-in-slot"],
    "reader: light": ["reader-light"],
    "reader: lamp": ["reader-lamp"],
    "reader: hangs once the cards are seated": ["reader-hang-after-seated"],
    "reader: unplugged at each step": [
        "reader-unplug",
        "reader-torn-armed",
        "reader-torn-seated",
        "reader-torn-verdict",
        "test_field_failures.test_wherever_a_handshake_is_cut_the_link_is_ready_in_the_end",
    ],
    "reader: verdict after its time": [
        "reader-late-verdict",
        "test_table_arming.test_a_reader_that_gives_no_answer_is_out_and_what_it_says_later_is_no_peek",
    ],
    "reader: return to service": [
        "test_reader_care.test_the_way_back_takes_ten_seconds_and_a_test",
        "test_fallback.test_it_comes_back_only_between_rounds_and_by_a_supervisors_word",
    ],
    "secrecy": [
        "test_leaks.test_a_hole_card_and_what_the_reader_says",
        "test_leaks.test_a_planted_leak_is_found",
        "test_scenarios.test_over_a_pty",
    ],
}
"""By what goes wrong: scenarios by their names, and tests as `module.test`."""


def is_there(name: str) -> bool:
    module, dot, test = name.partition(".")
    if not dot:
        return (HERE / "scenarios" / f"{name}.toml").exists()
    path = HERE / f"{module}.py"
    return path.exists() and re.search(rf"^(async )?def {test}\(", path.read_text(), re.MULTILINE) is not None


@pytest.mark.parametrize("what", SHOWN)
def test_it_is_shown(what: str) -> None:
    assert [name for name in SHOWN[what] if not is_there(name)] == []
    assert SHOWN[what]
