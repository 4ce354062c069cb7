"""krmkit.systems.palette.constraints.format: formats, and which values fit them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.tree import Map, Scalar
from krmkit.systems.palette.constraints import effort as formateffort
from krmkit.systems.palette.constraints.format import Format, unknown_type
from krmkit.systems.palette.constraints.formattypes import TYPES, is_ipv4, is_version


def accepts(text: str, value: str) -> bool:
    """Whether the format takes a value, written as in YAML."""
    root = parse(f"v: {value}\n").root
    assert isinstance(root, Map)
    node = root.get("v")
    assert isinstance(node, Scalar)
    return Format.parse(text).accepts(node)


@pytest.mark.parametrize(
    ("text", "fitting", "others"),
    [
        pytest.param(
            "${string}",
            ["x", '"12"', "2024-01-01", "yes", "'true'", "!!str 12"],
            ["12", "true", "0.5", "0x1F"],
            id="string",
        ),
        pytest.param("${string:/b/}", ["abc"], ["ac"], id="search-is-not-anchored"),
        pytest.param("${string:/^[a-z]{2,3}$/}", ["abc"], ["abcd", '"ab\\n"'], id="regex-with-braces"),
        pytest.param("${string:/^https://x/}", ["https://x/y"], ["http://x"], id="regex-with-slashes"),
        pytest.param("${password:/^\\d+$/}", ['"12"'], ["12", '"a"'], id="password-is-a-string"),
        pytest.param(
            "${number}",
            ["1", "-1", "+1", "1.5", "1.", ".5", "1e3", "1E-3", '"0.28"', "010"],
            ["0x1F", '"1_000"', "1_000", ".nan", ".inf", "true", '"1x"', '" 1"', "1e", '"１"', "0o7"],
            id="number",
        ),
        pytest.param(
            "${number:[-5--1]}", ["-5", "-1", "-1.0", "-5e0"], ["-5.000001", "0", "-0.5"], id="negative-range"
        ),
        pytest.param(
            "${number:[0.1-0.3]}",
            ["0.1", "0.3", "0.30000000000000000"],
            ["0.30000000000000001", "0.09"],
            id="exact-range",
        ),
        pytest.param(
            "${number:[0-1e3]}",
            ["1000", "1E3"],
            ["1000.1", "1e999999999999", "-1e-999999999999"],
            id="exponents",
        ),
        pytest.param("${number:[ 1 - 2 ]}", ["1", "2"], ["3"], id="blanks-in-a-range"),
        pytest.param("${number:/^5/}", ["50", '"5"'], ["15"], id="number-by-its-text"),
        pytest.param(
            "${boolean}", ["true", "False", "TRUE", '"true"'], ["yes", "on", "1", '"True"', "x"], id="boolean"
        ),
        pytest.param("${list:[ a , B ]}", ["a", "B"], ["b", '"a,B"', '" a"'], id="list"),
        pytest.param("${list:[1,true]}", ["1", "true", '"1"'], ["1.0", "True"], id="list-by-its-text"),
        pytest.param(
            "${ipv4} - ${ipv4}", ["1.2.3.4 - 1.2.3.5"], ["1.2.3.4-1.2.3.5", "1.2.3.4 - "], id="two-tokens"
        ),
        pytest.param(
            "${string}/${string}:${version}", ["a/b/c:d:1.2.3"], ["a/b:1.2", "/b:1.2.3"], id="any-split"
        ),
        pytest.param(
            "v${number:[1-3]}.${list:[x,y]}",
            ["v2.x", "v2.5.y"],
            ["v4.x", "v2.z", "v2."],
            id="bounds-in-a-piece",
        ),
        pytest.param(
            "${string:/^a/}${string:/b$/}", ["aab", "ab"], ["ba", '"a"', '"b"'], id="anchors-are-the-piece's"
        ),
        pytest.param("${boolean}-${number}", ["true--1"], ["True-1", "true-"], id="boolean-piece"),
        pytest.param("x", ["x"], ["xx", '"X"'], id="literal"),
        pytest.param("$x {y}", ["$x {y}"], ["x"], id="signs-of-a-literal"),
        pytest.param("${input}", ["x"], ["12"], id="unknown-type-is-a-string"),
        pytest.param("${string}${string}", ["ab"], ["a"], id="pieces-are-not-empty"),
    ],
)
def test_accepts(text: str, fitting: list[str], others: list[str]) -> None:
    """A format takes what it describes, and nothing else."""
    assert [value for value in fitting if not accepts(text, value)] == []
    assert [value for value in others if accepts(text, value)] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("${string", "not closed", id="open"),
        pytest.param("${}", "names a type", id="no-type"),
        pytest.param("${string:}", "must be followed by", id="nothing-after-the-colon"),
        pytest.param("${string:abc}", "must be followed by", id="bare-argument"),
        pytest.param("${string:/abc}", "does not end with /}", id="open-regex"),
        pytest.param("${list:[a,b}", "do not end with ]}", id="open-options"),
        pytest.param("${list}", "needs its options", id="list-without-options"),
        pytest.param("${list:[a,,b]}", "an option is empty", id="empty-option"),
        pytest.param("${list:[]}", "an option is empty", id="no-option"),
        pytest.param("${list:/a/}", "goes with string", id="regex-on-a-list"),
        pytest.param("${ipv4:/1/}", "goes with string", id="regex-on-ipv4"),
        pytest.param("${string:[a,b]}", "goes with number", id="options-on-a-string"),
        pytest.param("${number:[5-1]}", "write [1-5]", id="reversed-range"),
        pytest.param("${number:[1]}", "two numbers", id="half-a-range"),
        pytest.param("${number:[a-b]}", "two numbers", id="words-as-a-range"),
        pytest.param("${string:/a(?=b)/}", "look-ahead", id="look-ahead"),
    ],
)
def test_errors_teach(text: str, message: str) -> None:
    """A wrong format is refused with what would be right."""
    with pytest.raises(Refused) as caught:
        Format.parse(text)

    assert message in str(caught.value)


def test_ways_to_split_are_counted() -> None:
    """A text that splits in millions of ways ends in an error, not in minutes."""
    form = Format.parse("${string:/a/}${string:/b/}${string:/c/}")

    with pytest.raises(Refused, match="too many"):
        form.accepts(Scalar("ab" * 20_000, '"'))


def test_a_long_text_of_plain_tokens_is_quick_to_split() -> None:
    """Tokens that take anything need one look at each place."""
    assert Format.parse("${string}${string}${string}:${version}").accepts(Scalar("a:" * 50_000 + "1.2.3"))


@pytest.mark.parametrize("text", ["0.0.0.0", "255.255.255.255", "10.0.0.1"])
def test_ipv4(text: str) -> None:
    """Dotted addresses are addresses."""
    assert is_ipv4(text)


@pytest.mark.parametrize(
    "text",
    ["256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.4/24", "1.2.3.4:80", "1.2.3.", "١.2.3.4", "1.2.3.4 ", ""],
)
def test_not_ipv4(text: str) -> None:
    """Anything around or instead of four octets is none."""
    assert not is_ipv4(text)


@pytest.mark.parametrize(
    "text", ["1.2.3", "v1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3-0a.b-c+001.x", "1.2.3+build"]
)
def test_version(text: str) -> None:
    """Semantic versions are versions."""
    assert is_version(text)


@pytest.mark.parametrize(
    "text",
    [
        "1.2",
        "1.2.3.4",
        "01.2.3",
        "1.2.3-01",
        "1.2.3-",
        "1.2.3+",
        "1.2.3-a..b",
        "V1.2.3",
        "vv1.2.3",
        "1.2.x",
        "",
    ],
)
def test_not_version(text: str) -> None:
    """Loose versions are none."""
    assert not is_version(text)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hints", "a clause of its own"),
        ("bool", "${boolean}"),
        ("strng", 'did you mean "string"'),
        ("input", "string"),
    ],
)
def test_unknown_type(name: str, message: str) -> None:
    """An unknown type is named with what was probably meant."""
    assert message in unknown_type(name)


def test_describe() -> None:
    """A format says in words what it wants."""
    assert Format.parse("${list:[a,b]}").describe() == "one of a, b"
    assert Format.parse("${number:[1-5]}").describe() == "a number from 1 to 5"
    assert Format.parse("x-${ipv4}").describe() == "x-${ipv4} (${ipv4} is an IPv4 address (10.0.0.1))"


def test_pieces_of_one_value_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without regular expressions the ways to split one text have a limit."""
    monkeypatch.setattr(formateffort, "MAX_TESTS", 300)
    form = Format.parse("${number}${number}${list:[x]}")

    with pytest.raises(Refused, match="MAX_TESTS"):
        form.accepts(Scalar("1" * 200, '"'))
    monkeypatch.setattr(formateffort, "MAX_TESTS", 300_000)
    assert not form.accepts(Scalar("1" * 200, '"'))


def test_readme_lists_every_type() -> None:
    """The README of the function names the types in the order of the table."""
    readme = Path(__file__).parents[5] / "functions/validate-pack-constraints/README.md"
    [line] = [line for line in readme.read_text("utf-8").splitlines() if line.startswith("- Types are ")]

    assert re.findall(r"`(\w+)`", line.partition("(")[0]) == list(TYPES)
