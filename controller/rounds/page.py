"""A round as one page: no script, nothing from elsewhere, to be printed on A4 and read in black and white."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape as escaped
from importlib import resources

from controller.cli.lines import printable
from controller.rounds import words
from controller.rounds.drawing import card_svg
from controller.rounds.model import Card, Finding, Hand, Reconstruction, Step
from protocols.tablelog import dump


def escape(text: str) -> str:
    """The text as a page shows it, without what cannot be seen or turns the direction of writing."""
    return escaped(printable(text))


def as_page(found: Reconstruction) -> str:
    """The whole HTML document; every text in it is escaped."""
    title = f"{found.source}, round {found.round}"
    style = (resources.files("controller.rounds") / "page.css").read_text(encoding="utf-8")
    body = "".join(_body(found, title))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{style}</style></head><body>{body}</body></html>\n"
    )


def _body(found: Reconstruction, title: str) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1><p class=outcome>{escape(words.outcome(found))}</p>"
    yield f"<dl>{''.join(f'<dt>{name}</dt><dd>{_joined(texts)}</dd>' for name, texts in _facts(found) if texts)}</dl>"
    yield f"<h2>On the table</h2><div class=table>{''.join(map(_hand, found.hands))}</div>"
    if found.winner:
        yield f"<p class=legend>The shoe reported: {escape(found.winner)}</p>"
    yield f"<p class=legend>{_legend(found)}</p>"
    if found.findings:
        yield f"<h2>Findings</h2>{''.join(map(_finding, found.findings))}"
    if found.resolutions:
        decided = "".join(f"<li>{escape(words.resolution_words(each))}</li>" for each in found.resolutions)
        yield f"<h2>Decided</h2><ul>{decided}</ul>"
    head = "".join(f"<th>{name}</th>" for name in ("time (UTC)", "record", "what", "by", "verdict"))
    rows = "".join(map(_step, found.steps))
    yield f"<h2>In order</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    yield f"<p class=proof>{escape(_proof(found))}</p>"


def _facts(found: Reconstruction) -> Iterator[tuple[str, list[str]]]:
    yield "time", [words.times(found)]
    yield "procedure", [f"{found.procedure}: {found.title}"]
    yield "chosen", [f"{name} = {_plain(value)}" for name, value in found.chose.items()]
    yield "dealt with", list(words.methods(found))
    yield "wagers", [words.wagers(found)] if found.boxes != () else []
    yield "at the beginning", list(words.at_first(found))
    yield "gaps", list(found.gaps)
    yield "notes", list(found.notes)


def _joined(texts: Iterable[str]) -> str:
    return "<br>".join(map(escape, texts))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else dump(value)


def _hand(hand: Hand) -> str:
    cards = "".join(map(_card, hand.cards)) or "<p>no card</p>"
    acts = f"<p class=acts>{escape(', '.join(hand.acts))}</p>" if hand.acts else ""
    result = f"<p class=result>{escape(hand.result)}</p>" if hand.result else ""
    place = escape(words.place_words(hand.place))
    return f"<section><h3>{place}</h3><div class=cards>{cards}</div>{acts}{result}</section>"


def _card(card: Card) -> str:
    draw = "carried" if card.draw is None else f"draw {card.draw}"
    more = [f"findings {', '.join(map(str, card.findings))}"] if len(card.findings) > 1 else []
    said = "".join(f"<br>{escape(each)}" for each in (*more, *words.remarks(card)))
    return f"<figure>{card_svg(card)}<figcaption>{draw}{said}</figcaption></figure>"


def _legend(found: Reconstruction) -> str:
    lies = {card.lies for hand in found.hands for card in hand.cards}
    said = {
        "turned": "a triangle below: turned later",
        "down": "hatched: face down, never turned",
        "unread": "a question mark: not read",
    }
    gone = any(card.gone for hand in found.hands for card in hand.cards)
    marks = ["a stroke across: burned or carried away"] * gone + ["a number: the finding below"] * bool(found.findings)
    return escape("; ".join([*(text for state, text in said.items() if state in lies), *marks]))


def _finding(finding: Finding) -> str:
    about = f", draw {', '.join(map(str, finding.draws))}" if finding.draws else ""
    right = f"<p>Right would have been: {escape('; '.join(finding.expected))}</p>" if finding.expected else ""
    rule = f"<p>Rule: {escape(finding.rule)}</p>" if finding.rule else ""
    said = escape(words.finding_words(finding))
    return (
        f'<div class="finding {escape(finding.outcome)}"><b>{finding.number}</b><div><p>{said}</p>'
        f"{rule}{right}<p>Record {finding.seq}{about}</p></div></div>"
    )


def _step(step: Step) -> str:
    verdict = step.verdict.outcome if step.verdict else ""
    mark = f" <b>{step.finding}</b>" if step.finding else ""
    cells = (words.clock(step.time), str(step.seq), words.step_words(step), words.who_words(step.who))
    row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr>{row}<td>{escape(verdict)}{mark}</td></tr>"


def _proof(found: Reconstruction) -> str:
    options = ", ".join(f"{name} = {_plain(value)}" for name, value in found.options.items())
    ends = f"Records {found.first} to {found.last} of epoch {found.epoch}; the last has the SHA-256 {found.last_hash}."
    proofs = words.proofs(found)
    return " ".join([f"{proofs}." if proofs else "", ends, f"Options in force: {options}."]).strip()
