"""Which method a round is dealt by, and what is still reachable once the reader fails."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import dealer_draws_of, play_of, upcard
from protocols.dealing.blackjack.play import Play, Reader
from protocols.dealing.frozen import replace
from protocols.dealing.model import Method
from protocols.dealing.setting import Setting
from protocols.dealing.table import Round, State


def own_method(setting: Setting) -> Method:
    """The method of the procedure itself."""
    assert setting.procedure.deal is not None
    return setting.procedure.deal.method


def method_at_opening(setting: Setting, reader: Reader) -> Method:
    """The method of a round that begins now."""
    if not reader.faulted or own_method(setting) != "peek":
        return own_method(setting)
    return reader.selected or setting.procedure.fallback_method(str(setting.options["fallback"])) or "no-peek"


def dealt_by(setting: Setting, play: Play, method: Method) -> Play:
    """The play of a round in which no card is out, dealt by this method."""
    deal = setting.procedure.deal
    assert deal is not None
    return replace(play, method=method, faces=None if method == deal.method else deal.faces_without_reader)


def reachable(setting: Setting, seen: Round, method: Method) -> bool | None:
    """Whether the round can still be dealt by this method: without a hole card only while the dealer has at most one
    card, and that face up; None where nobody saw how it lies."""
    if method == "no-peek":
        return True
    dealt = dealer_draws_of(seen)
    if method == "peek" or len(dealt) > 1:
        return False
    if not dealt or upcard(setting, seen) is not None:
        return True
    return None if dealt[0].face is None else False


def faulted(setting: Setting, state: State) -> State:
    """The reader is out: the round goes on by the fallback that can still be reached, unless a peek is finished."""
    state = replace(state, reader=replace(state.reader, faulted=True))
    if own_method(setting) != "peek" or peek_finished(state.round):
        return state
    return _by(setting, state, method_at_opening(setting, state.reader))


def selected(setting: Setting, state: State, procedure: str) -> State:
    """A supervisor has chosen a method; one that cannot be reached changes nothing."""
    method = setting.procedure.fallback_method(procedure)
    if method is None or selectable(setting, state, procedure) is False:
        return state
    return _by(setting, replace(state, reader=replace(state.reader, selected=method)), method)


def selectable(setting: Setting, state: State, procedure: str) -> bool | None:
    """Whether this method can be chosen now; None where nobody can say."""
    method = setting.procedure.fallback_method(procedure)
    if method is None or not state.reader.faulted:
        return False
    return peek_finished(state.round) or reachable(setting, state.round, method)


def peek_finished(seen: Round) -> bool:
    """Whether the reader gave an answer in this round."""
    return any(peek != "error" for peek in play_of(seen).results)


def _by(setting: Setting, state: State, method: Method) -> State:
    """The round goes on by this method where it can; where nobody saw whether it can, the round is disputed."""
    if peek_finished(state.round):
        return state
    can, chosen = reachable(setting, state.round, method), play_of(state.round)
    method = method if can else "no-peek"
    begun = bool(dealer_draws_of(state.round) or chosen.peeks)
    play = replace(chosen, method=method) if begun else dealt_by(setting, chosen, method)
    return replace(state, round=replace(state.round, play=play, disputed=state.round.disputed or can is None))
