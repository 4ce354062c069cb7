"""Digits and line breaks of foreign texts: `²` is a digit to Python and no number, U+2028 a line break and no line feed to git."""

from __future__ import annotations

import pytest

from krmkit.fn.commandline import parse_arguments
from krmkit.kpt.merge.policy import marked_files
from krmkit.krm.errors import Refused
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.cron import parse as parse_cron
from krmkit.libraries.spiff import SpiffError, merge
from krmkit.systems.landscaper.jsonschema.faults import target

ODD = ["²", "١", "9" * 5000]


@pytest.mark.parametrize("digits", ODD)
def test_pointers(digits: str) -> None:
    with pytest.raises(GoInputError, match="Out of bound"):
        target({"a": [1]}, f"#/a/{digits}")


@pytest.mark.parametrize("digits", ODD)
def test_cron(digits: str) -> None:
    with pytest.raises(GoInputError):
        parse_cron(f"{digits} * * * *")


@pytest.mark.parametrize("digits", ODD)
def test_limits(digits: str) -> None:
    with pytest.raises(Refused, match="whole number"):
        parse_arguments([f"--limit=effort={digits}"])


@pytest.mark.parametrize(
    "expression",
    [
        *(f"(( doc:{digits}::x ))" for digits in (*ODD, "--1")),
        *(f'(( parse_url("http://a:{digits}/") ))' for digits in ODD),
        f"(( |a|->a )( {'0' * 8}1{'0' * 5000}=1 ))",
    ],
)
def test_spiff(expression: str) -> None:
    """A result or an error of spiff's, and never one of Python's."""
    try:
        merge(f"a: {expression}\nx: 1\n", [])
    except SpiffError:
        pass


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x0c", "\r"])
def test_conflict_markers(sign: str) -> None:
    """The lines between markers are those of the files, byte for byte."""
    local, upstream = (f"a: one{sign}two {side}{sign}x\n".encode() for side in ("local", "upstream"))

    marked = marked_files({"f": upstream}, {"f": local})["f"]

    assert marked == b"<<<<<<< local\n" + local + b"=======\n" + upstream + b">>>>>>> upstream\n"
