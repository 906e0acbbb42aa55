"""A round as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.cli.lines import printable
from controller.rounds import words
from controller.rounds.model import Card, Finding, Hand, Reconstruction, Step

_LEGEND: Final = {
    "##": "## face down, never turned",
    "??": "?? not read",
    "(": "(Kh) turned later",
    "-": "-Kh- burned or carried away",
    "!": "!1 see finding 1",
    "~": "~ place concluded",
    "*": "* entered by hand",
}
_PLACE: Final = 16
_SHOWN: Final = {"up": "{}", "turned": "({})", "down": "##", "unread": "??"}


def as_text(found: Reconstruction) -> str:
    """Every line printable, whatever the records hold."""
    return "".join(f"{printable(line)}\n" for line in _lines(found))


def _lines(found: Reconstruction) -> Iterator[str]:
    yield f"{found.source} round {found.round}: {words.outcome(found)}"
    yield f"  {words.times(found)}; records {found.first} to {found.last} of epoch {found.epoch}"
    chose = ", ".join(f"{name}={value}" for name, value in found.chose.items())
    yield f"  {found.procedure}: {found.title}{f'; {chose}' if chose else ''}"
    yield f"  dealt with: {'; '.join(words.methods(found))}"
    yield f"  at the beginning: {'; '.join(words.at_first(found))}"
    yield from ([f"  wagers: {words.wagers(found)}"] if found.boxes != () else [])
    yield from (f"  gap: {each}" for each in found.gaps)
    yield from (f"  note: {each}" for each in found.notes)
    yield ""
    hands = [_hand(hand) for hand in found.hands]
    yield from hands
    if found.winner:
        yield f"{'reported':<{_PLACE}} {found.winner}"
    legend = [said for sign, said in _LEGEND.items() if any(sign in line[_PLACE:] for line in hands)]
    yield from ([f"{'':<{_PLACE}} [{'; '.join(legend)}]"] if legend else [])
    for finding in found.findings:
        yield from ("", *_finding(finding))
    if found.resolutions:
        yield from ("", *(f"decided in {words.resolution_words(each)}" for each in found.resolutions))
    yield ""
    yield from map(_step, found.steps)
    yield from (["", words.proofs(found)] if found.openings else [])


def _hand(hand: Hand) -> str:
    cards = " ".join(map(_card, hand.cards)) or "no card"
    acts = f"   {', '.join(hand.acts)}" if hand.acts else ""
    return f"{words.place_words(hand.place):<{_PLACE}} {cards}{acts}{f'   = {hand.result}' if hand.result else ''}"


def _card(card: Card) -> str:
    shown = _SHOWN[card.lies].format(card.value)
    shown = f"-{shown}-" if card.gone else shown
    signs = ("*" if card.manual else "") + ("" if card.sure else "~")
    return shown + signs + "".join(f"!{number}" for number in card.findings)


def _finding(finding: Finding) -> Iterator[str]:
    about = f", draw {', '.join(map(str, finding.draws))}" if finding.draws else ""
    yield f"!{finding.number} record {finding.seq}{about}: {words.finding_words(finding)}"
    yield from ([f"   rule: {finding.rule}"] if finding.rule else [])
    yield from ([f"   right would have been: {'; '.join(finding.expected)}"] if finding.expected else [])


def _step(step: Step) -> str:
    who = words.who_words(step.who)
    draw = f", draw {step.verdict.draw}" if step.verdict and step.verdict.draw else ""
    verdict = f": {step.verdict.outcome}{draw}" if step.verdict else ""
    mark = f" !{step.finding}" if step.finding else ""
    return f"{words.clock(step.time)} #{step.seq} {words.step_words(step)}{f' [{who}]' if who else ''}{verdict}{mark}"
