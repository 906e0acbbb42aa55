"""`state`, retained: how the table stands, for whoever comes late. Pure; nothing in it tells what lies face down."""

from __future__ import annotations

from collections.abc import Sequence

from controller.link_states import LinkStanding
from controller.reconcile import remarks
from controller.shown import Found, Shown, round_shown
from protocols.dealing.blackjack.method import method_at_opening
from protocols.dealing.check import Check
from protocols.dealing.laid_out import Hand, hands, shown_round
from protocols.dealing.model import Method
from protocols.dealing.outlook import outlook
from protocols.dealing.shoe import Shoe
from protocols.dealing.table import Round
from protocols.events import ReaderFaulted
from protocols.floor.contract import state as contract
from protocols.floor.messages import Source


def state_of(
    shown: Shown, source: Source, time: str, *, reader: bool = False, alarms: Sequence[str] = ()
) -> contract.State:
    """The message. `time`: when it is made, RFC 3339; `reader`: the table has one; `alarms`: what is wrong with the
    daemon itself."""
    standing = shown.standing
    check, now = standing.check, outlook(standing.check)
    seen, number = shown_round(check.state), round_shown(standing)
    return contract.State(
        source=source.path,
        epoch=source.epoch,
        seq=standing.seq,
        time=time,
        procedure=check.setting.procedure.id,
        family=check.setting.procedure.family,
        options=dict(check.setting.options),
        method=_method(check, seen),
        round=_round(number, seen, is_open=check.state.round.opened),
        hands=tuple(map(_hand, hands(check.state))),
        shoe=_shoe(check.state.shoe),
        reader=_reader(shown) if reader else None,
        due=now.due,
        remarks=(*now.remarks, *remarks(standing.entered), *shown.of_lock),
        last=_last(shown.found) if shown.found else None,
        links={device: _link(link) for device, link in shown.links.items()},
        alarms=tuple(alarms),
    )


def _round(number: int, seen: Round | None, *, is_open: bool) -> contract.RoundStanding:
    if seen is None:
        return contract.RoundStanding(number=number, open=False, disputed=False, judged=True)
    judged = not (seen.unjudged or seen.manifold)
    return contract.RoundStanding(number=number, open=is_open, disputed=seen.disputed, judged=judged)


def _method(check: Check, seen: Round | None) -> Method | None:
    """How the round is dealt, as everybody at the table knows it; before the first one, how that will be."""
    if check.setting.procedure.deal is None:
        return None
    if seen is None or seen.play is None:
        return method_at_opening(check.setting, check.state.reader)
    return seen.play.as_seen().method


def _hand(hand: Hand) -> contract.HandStanding:
    cards = tuple(None if card is None else str(card) for card in hand.cards)
    return contract.HandStanding(place=hand.place, cards=cards)


def _shoe(shoe: Shoe) -> contract.ShoeStanding:
    """What nobody can be sure of is null: after a gap, or where the daemon came to a shoe in use."""
    shows = shoe.cutting_card.shown or shoe.cutting_card.last_round is not None
    return contract.ShoeStanding(
        faulted=shoe.faulted,
        cutting_card=True if shows else False if shoe.counted else None,
        drawn=shoe.stock.drawn if shoe.counted else None,
    )


def _reader(shown: Shown) -> contract.ReaderStanding:
    fault = shown.standing.lasting.get("reader")
    out = shown.standing.check.state.reader.faulted
    return contract.ReaderStanding(out=out, code=fault.code if out and isinstance(fault, ReaderFaulted) else None)


def _last(found: Found) -> contract.LastFinding:
    verdict = found.verdict
    assert verdict.outcome != "ok"
    return contract.LastFinding(
        seq=found.seq, outcome=verdict.outcome, code=verdict.code, rule=verdict.rule, detail=verdict.detail
    )


def _link(link: LinkStanding) -> contract.LinkStanding:
    return contract.LinkStanding(state=link.state, since=link.since, loss=link.loss, losses=link.losses)
