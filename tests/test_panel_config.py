"""The configuration's panel: what the table then observes, and what can be wrong with it."""

from __future__ import annotations

from pathlib import Path

from table_toml import only_problem, write

from controller.cli.config import report
from controller.config_reading import load_config

KEYED_IN = ("signals", "wagers", "collection", "cut", "shuffle", "stub", "calls")


def test_a_panel_adds_what_people_key_in(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, panel='directory = "panel"'))
    assert config.panel is not None
    assert config.panel.directory == tmp_path / "panel"
    assert config.observes == ("positions", *KEYED_IN)


def test_the_sockets_may_have_groups(tmp_path: Path) -> None:
    lines = 'directory = "panel"\nsupervisor_group = "pit"'
    config = load_config(write(tmp_path, panel=lines))
    assert config.panel is not None
    assert config.panel.groups == {"supervisor": "pit"}
    assert only_problem(write(tmp_path, panel='directory = "panel"\ndealer_group = "The Dealers"')) == (
        'panel.dealer_group: \'The Dealers\' is no name of a group (1 to 32 of a-z, 0-9, "_" and "-")'
    )


def test_what_is_configured_wins(tmp_path: Path) -> None:
    game = 'procedure = "pb-nj"\nobserves = ["positions", "calls"]'
    assert load_config(write(tmp_path, game=game, panel='directory = "panel"')).observes == ("positions", "calls")


def test_mistakes_are_told(tmp_path: Path) -> None:
    assert only_problem(write(tmp_path, panel="")) == (
        'panel.directory: is missing (for example directory = "/run/shoewatch/bac-01")'
    )
    assert only_problem(write(tmp_path, panel='directory = "p"\ndirectry = "p"')) == (
        'panel.directry: unknown key (did you mean "directory"?)'
    )
    assert "too long a path for the sockets" in only_problem(write(tmp_path, panel=f'directory = "{"x" * 100}"'))


def test_the_report_names_the_keys_that_are_made(tmp_path: Path) -> None:
    told = [line for line in report(load_config(write(tmp_path))) if line.endswith(", made where it is missing")]
    assert told == [
        f"{name}_key = none   # left out: {tmp_path}/journal.db-{name}-key, made where it is missing"
        for name in ("vault", "signing")
    ]


def test_the_report_says_that_there_is_none(tmp_path: Path) -> None:
    assert "\n# [panel] is left out" in list(report(load_config(write(tmp_path))))
    assert "\n[panel]" in list(report(load_config(write(tmp_path, panel='directory = "panel"'))))
