"""`${VARIABLE}` in texts: the forms that clusterctl and OCM's command line know, with their oddities."""

from __future__ import annotations

import pytest

from krmkit.libraries.envsubst.bracedvariables import SubstitutionError
from krmkit.libraries.envsubst.substitute import substitute

VALUES = {"NAME": "shop", "MIXED": "aBcD", "PATH": "/srv/edge/site.tar.gz", "EMPTY": "", "UMLAUT": "öl"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: ${NAME}", "name: shop"),
        ("${NAME}-${NAME}", "shop-shop"),
        ("no variable, $NAME and a $ at the end $", "no variable, $NAME and a $ at the end $"),
        ("$${NAME}", "${NAME}"),
        ("$$${NAME}", "$shop"),
        ("cost: 5$$", "cost: 5$"),
        (r"\\ stays \/ outside", r"\\ stays \/ outside"),
        ("${#NAME} ${#UMLAUT} ${#NONE}", "4 3 0"),
        ("${NAME^} ${NAME^^} ${MIXED,} ${MIXED,,} ${EMPTY^}", "Shop SHOP aBcD abcd "),
        ("${NONE:=3} ${NONE:-3} ${NONE=3} ${EMPTY:=3} ${EMPTY=3}", "3 3 3 3 3"),
        ("${NAME:=3} ${NAME=3}", "shop shop"),
        ("${NONE:?said} ${NAME:+other}", "said shop"),
        ("${NONE:=}", ""),
        ('${NONE:=["10.0.0.0/8"]}', '["10.0.0.0/8"]'),
        ("${NONE:=a${NAME}b${MIXED,,}c}", "ashopbabcdc"),
        ("${NONE:=${ALSO:=${NAME}}}", "shop"),
        ("${NONE:=a$$b}", "a$$b"),
        ("${NAME:1} ${NAME:1:2} ${NAME:9} ${NAME:0:99} ${NAME:x}", "hop ho  shop shop"),
        ("${NAME: -2} ${NAME:-2}", "shop shop"),
        ("${PATH#*/}", "srv/edge/site.tar.gz"),
        ("${PATH##*/}", "site.tar.gz"),
        ("${PATH%.*}", "/srv/edge/site.tar"),
        ("${PATH%%.*}", "/srv/edge/site"),
        ("${NAME#?} ${NAME#[a-s]} ${NAME#[^a]} ${NAME#x} ${NAME##*}", "hop hop hop shop "),
        (r"${NAME#\s} ${NAME#[} ${NAME#\}", r"hop shop shop"),
        ("${NAME#*}", "hop"),
        ("${NAME/o/0} ${PATH//\\//-} ${NAME/op/}", "sh0p -srv-edge-site.tar.gz sh"),
        ("${NAME/#sh/c} ${NAME/%op/ut} ${NAME/#x/y} ${NAME/#sh/}", "cop shut shop shop"),
        ("${NAME/s.o/x}", "shop"),
        ("two\nlines ${NAME}\n", "two\nlines shop\n"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    """Each form comes to what the real one makes of it."""
    assert substitute(text, VALUES) == expected


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a\nb: ${NAME", 2, "has no } that closes it"),
        ("${}", 1, "must begin with a name"),
        ("${A$B}", 1, "has an unexpected $"),
        ("${NAME-x}", 1, "has an unexpected -"),
        ("${NAME/x}", 1, "a second / is missing"),
        ("${NAME#}", 1, "lacks a text"),
        ("${NAME/a/${NAME}b}", 1, "has an unexpected b"),
        ("${A:=" * 60 + "}" * 60, 1, "nested more than 50 deep"),
        ("${NAME:=x", 1, "has no } that closes it"),
    ],
)
def test_what_cannot_be_read(text: str, line: int, said: str) -> None:
    """The error shows the begin of the variable, and its line."""
    with pytest.raises(SubstitutionError) as caught:
        substitute(text, VALUES)

    assert (caught.value.line, said in str(caught.value)) == (line, True), str(caught.value)


@pytest.mark.parametrize("text", ["${V}" * 30_000, "${V//a/" + "b" * 30_000 + "}"])
def test_too_long(text: str) -> None:
    """What values make of a text is counted before it is made."""
    with pytest.raises(SubstitutionError, match="at most 67,108,864 characters"):
        substitute(text, {"V": "a" * 30_000})
