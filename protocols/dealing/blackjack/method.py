"""Which method a round is dealt by, and what is still reachable once the reader fails."""

from __future__ import annotations

from dataclasses import replace

from protocols.dealing.blackjack.hands import dealer_draws_of, play_of, upcard
from protocols.dealing.blackjack.play import METHODS, Method, Reader
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
    return reader.selected or METHODS[str(setting.options["fallback"])]


def reachable(setting: Setting, seen: Round, method: Method) -> bool:
    """Whether the round can still be dealt by this method: without a hole card only while the dealer has at most one
    card, and that face up."""
    if method == "no-peek":
        return True
    dealt = dealer_draws_of(seen)
    if method == "peek" or len(dealt) > 1:
        return False
    return not dealt or upcard(setting, seen) is not None or dealt[0].face == "up"


def faulted(setting: Setting, state: State) -> State:
    """The reader is out: the round goes on by the fallback that can still be reached, unless a peek is finished."""
    state = replace(state, reader=replace(state.reader, faulted=True))
    if own_method(setting) != "peek" or peek_finished(state.round):
        return state
    wanted = method_at_opening(setting, state.reader)
    return _by(state, wanted if reachable(setting, state.round, wanted) else "no-peek")


def selected(setting: Setting, state: State, procedure: str) -> State:
    """A supervisor has chosen a method; one that cannot be reached changes nothing."""
    method = METHODS.get(procedure)
    if method is None or not selectable(setting, state, procedure):
        return state
    return _by(replace(state, reader=replace(state.reader, selected=method)), method)


def selectable(setting: Setting, state: State, procedure: str) -> bool:
    """Whether this method can be chosen now."""
    method = METHODS.get(procedure)
    if method is None or method == "peek" or not state.reader.faulted or own_method(setting) != "peek":
        return False
    return peek_finished(state.round) or reachable(setting, state.round, method)


def peek_finished(seen: Round) -> bool:
    """Whether the reader gave an answer in this round."""
    return any(peek != "error" for peek in play_of(seen).peeks)


def _by(state: State, method: Method) -> State:
    if peek_finished(state.round):
        return state
    return replace(state, round=replace(state.round, play=replace(play_of(state.round), method=method)))
