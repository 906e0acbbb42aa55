"""What is wrong with a text that is no TOML, in words for its writer: the place, and what is missing there."""

from __future__ import annotations

import pytest

from protocols.texts import TextError, read_toml

CASES = [
    (
        "a = [1,\nb = 3",
        'line 2, column 1: this is no value: a text stands in quotes; the "[" at line 1, column 5 is open',
    ),
    ('a = "x\nb = 1', 'line 1, column 5: the text in quotes that begins here is not closed (" is missing)'),
    ('c = 1\na = "x\r\nb = 1', "line 2, column 5: the text in quotes that begins here"),
    ("a = 'x\nb = 1", "line 1, column 5: the text in quotes that begins here is not closed (' is missing)"),
    ('a = """x\ny', 'line 1, column 5: the text in quotes that begins here is not closed (""" is missing)'),
    ('a = [1,\n"x]\n', "line 2, column 1: the text in quotes that begins here"),
    (
        "a = [1\nb = 3",
        'line 1, column 5: the "[" here is not closed ("]" or a comma is missing before line 2, column 1)',
    ),
    ('a = ["[", # {\n "y"\nb = 1', 'line 1, column 5: the "[" here is not closed'),
    ("a = [1 2]", 'line 1, column 5: the "[" here is not closed ("]" or a comma'),
    ("x = [\n{a = 1\n", 'line 2, column 1: the "{" here is not closed ("}" or a comma'),
    ("[sec\n", "line 1, column 5: the name of a section is not closed"),
    ("[[a]\n", "line 1, column 4: the name of a section is not closed"),
    ("b = 1\na = \n", 'line 2, column 5: there is no value after "="'),
    ("a = # nothing", 'line 1, column 5: there is no value after "="'),
    ("procedure = nd-card-reader", "line 1, column 13: this is no value: a text stands in quotes"),
    ("a = True", "line 1, column 5: true and false are written in small letters"),
    ("a = 01", "line 1, column 6: the line must end here"),
    ('a = "x" y', "line 1, column 9: the line must end here"),
    ("a: 1", 'line 1, column 2: after the name of a key comes "="'),
    ("a = 1\na = 2\nb = 3", "line 2, column 6: this key is given twice"),
    ("a.b = 1\na = 2", "line 2, column 6: this key is given twice, or as a value and as a section"),
    ("a = { b = 1, b = 2 }", "line 1, column 19: this key is given twice"),
    ("[a]\n[a]", "line 2, column 3: [a] is given twice"),
    ("= 3", "line 1, column 1: a line is a key with its value"),
    ("a = { x = 1, }", "column 14: a name is missing here, or its quotes"),
    ('a = "\\q"', 'line 1, column 8: a "\\" in double quotes'),
    ('a = "\x01"', "line 1, column 6: a control character"),
]


@pytest.mark.parametrize(("text", "says"), CASES, ids=[repr(text) for text, _ in CASES])
def test_the_place_and_what_is_missing(text: str, says: str) -> None:
    with pytest.raises(TextError) as refused:
        read_toml(text)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "text", ["digest = c0ffee5ec2e7", '[a]\nb = "c0ffee5ec2e7', "a = [c0ffee5ec2e7", "a = c0ffee = c0ffee"]
)
def test_nothing_of_a_value_is_repeated_for_it_may_be_a_key(text: str) -> None:
    with pytest.raises(TextError) as refused:
        read_toml(text)
    assert "c0ffee" not in str(refused.value)
