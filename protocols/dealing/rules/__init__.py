"""One small function a code, listed in the order of precedence: the first objection is the verdict."""

from __future__ import annotations

from typing import Final

from protocols.dealing.rules import baccarat, rounds, shoe
from protocols.dealing.rules.finding import Rule

BACCARAT: Final = (
    Rule("extra_card", baccarat.extra_card),
    Rule("burn_missing", shoe.burn_missing),
    Rule("burn_extra", shoe.burn_extra),
    Rule("burn_count", shoe.burn_count),
    Rule("nmb_missing", rounds.nmb_missing),
    Rule("shuffle_midround", shoe.shuffle_midround),
    Rule("peek_in_no_peek_mode", rounds.peek_in_no_peek_mode),
    Rule("bac_draw_on_natural", baccarat.breach("bac_draw_on_natural")),
    Rule("bac_draw", baccarat.breach("bac_draw")),
    Rule("bac_missing_third", baccarat.breach("bac_missing_third")),
    Rule("bac_extra_coup", baccarat.bac_extra_coup),
    Rule("order", baccarat.order),
    Rule("face", baccarat.face),
    Rule("missing_card", baccarat.missing_card),
    Rule("wager_changed", rounds.wager_changed),
    Rule("insurance_without_ace", rounds.insurance_without_ace),
    Rule("reader_mismatch", rounds.reader_mismatch),
    Rule("result_mismatch", baccarat.breach("result_mismatch")),
    Rule("reveal_order", baccarat.reveal_order),
    Rule("method_unreachable", rounds.method_unreachable),
    Rule("cutter_wrong", shoe.cutter_wrong),
    Rule("cutcard_position", shoe.cutcard_position),
    Rule("draw_outside_round", shoe.draw_outside_round),
    Rule("inventory", shoe.inventory),
)
