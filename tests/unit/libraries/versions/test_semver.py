"""Versions and constraints as Masterminds semver reads them, and the lenient order of pack versions."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.versions import scan as versionscan
from krmkit.libraries.versions.constraints import Constraints
from krmkit.libraries.versions.lenient import lenient_key
from krmkit.libraries.versions.semver import Version


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        pytest.param("1.4.2", "1.4.2", id="plain"),
        pytest.param("v7", "7.0.0", id="major only, with v"),
        pytest.param("3.9", "3.9.0", id="two numbers"),
        pytest.param("007.08.1", "7.8.1", id="leading zeros are dropped"),
        pytest.param("2.0.0-rc.3+build.9", "2.0.0-rc.3+build.9", id="pre-release and metadata"),
        pytest.param("5-alpha", "5.0.0-alpha", id="pre-release after the major"),
        pytest.param("1.0.0--x", "1.0.0--x", id="an identifier may begin with a dash"),
        pytest.param("18446744073709551615.0.0", "18446744073709551615.0.0", id="largest number"),
    ],
)
def test_loose_parsing_normalises(text: str, normal: str) -> None:
    """Loose parsing accepts what Go's NewVersion accepts."""
    version = Version.parse(text)

    assert str(version) == normal
    assert version.original == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "invalid semantic version", id="empty"),
        pytest.param("V1.0.0", "invalid semantic version", id="capital V"),
        pytest.param("4.3.2.1", "invalid semantic version", id="four numbers"),
        pytest.param("1.0.0-", "invalid semantic version", id="empty pre-release"),
        pytest.param("1.0.0-a..b", "invalid semantic version", id="empty identifier"),
        pytest.param("1.0.0-01", "version segment starts with 0", id="zero-padded identifier"),
        pytest.param("1.x", "invalid semantic version", id="wildcard"),
        pytest.param("١.٢.٣", "invalid semantic version", id="digits of another script"),
        pytest.param(
            "18446744073709551616.0.0",
            'error parsing version segment: strconv.ParseUint: parsing "18446744073709551616": value out of range',
            id="too large",
        ),
    ],
)
def test_loose_parsing_refuses(text: str, message: str) -> None:
    """What is no version is refused with Masterminds' message."""
    with pytest.raises(GoInputError) as caught:
        Version.parse(text)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "version string empty", id="empty"),
        pytest.param("1.2", "invalid semantic version", id="two numbers"),
        pytest.param("v1.2.3", "invalid characters in version", id="v"),
        pytest.param("1.02.3", "version segment starts with 0", id="leading zero"),
        pytest.param("1.2.3-", "invalid prerelease string", id="empty pre-release"),
        pytest.param("1.2.3+", "invalid metadata string", id="empty metadata"),
    ],
)
def test_strict_parsing_refuses(text: str, message: str) -> None:
    """Strict parsing takes nothing but a full semantic version."""
    with pytest.raises(GoInputError) as caught:
        Version.parse_strict(text)

    assert str(caught.value) == message
    assert str(Version.parse_strict("1.2.3-a.0+b")) == "1.2.3-a.0+b"


def test_order_follows_the_specification() -> None:
    """Each version of semver.org's precedence chain comes before the next."""
    chain = [
        "1.0.0-a",
        "1.0.0-a.1",
        "1.0.0-a.b",
        "1.0.0-b",
        "1.0.0-b.2",
        "1.0.0-b.11",
        "1.0.0-rc",
        "1.0.0",
        "1.0.1",
    ]
    versions = [Version.parse(text) for text in chain]

    assert sorted({*versions}) == versions
    assert [a.compare(b) for a, b in zip(versions, versions[1:], strict=False)] == [-1] * 8
    assert Version.parse("1.0.0+a") == Version.parse("v1.0.0+b")


def test_increments_reset_what_follows() -> None:
    """Increments drop pre-release and metadata and keep the v of the original."""
    version = Version.parse("v1.2.3-rc.1+m")

    assert version.inc_patch().original == "v1.2.3"
    assert str(version.inc_minor()) == "1.3.0"
    assert str(version.inc_major()) == "2.0.0"
    assert str(Version.parse("1.2.3+m").inc_patch()) == "1.2.4"


@pytest.mark.parametrize(
    ("constraint", "version", "fits"),
    [
        pytest.param("", None, None, id="empty is improper"),
        pytest.param("1.2.3 ,", None, None, id="trailing comma"),
        pytest.param("1.2.3.4", None, None, id="four numbers in a constraint"),
        pytest.param("> > 1", None, None, id="doubled operator"),
        pytest.param("2.1", "2.1.9", True, id="two numbers mean a range"),
        pytest.param("2.1", "2.2.0", False, id="outside of that range"),
        pytest.param("2.x.7", "2.9.1", True, id="what follows a wildcard is ignored"),
        pytest.param("!=2.1", "2.1.5", False, id="not equal to a range"),
        pytest.param("!=2.1", "2.2.5", True, id="not equal, other minor"),
        pytest.param(">3", "3.9.0", False, id="greater than a major"),
        pytest.param(">3", "4.0.0", True, id="next major"),
        pytest.param("<=3", "3.9.9", True, id="at most a major"),
        pytest.param("=< 3.1", "3.2.0", False, id="at most a minor"),
        pytest.param("~2", "2.9.0", True, id="tilde major"),
        pytest.param("~0.0.0", "9.9.9", True, id="tilde zero takes all"),
        pytest.param("^0.0", "0.0.7", True, id="caret 0.0"),
        pytest.param("^0.0.2", "0.0.3", False, id="caret fixes the patch below 0.0"),
        pytest.param("^0.3", "0.4.0", False, id="caret fixes the minor below 1"),
        pytest.param("^2.3.4", "2.3.3", False, id="caret has a lower end"),
        pytest.param(">=1.0 <2.0 !=1.5.0", "1.5.0", False, id="blanks mean and"),
        pytest.param(">=1.0,<2.0", "1.5.0", True, id="comma means and"),
        pytest.param("<1 || >=2", "2.0.0", True, id="bars mean or"),
        pytest.param("1.1 - 1.3 || 3", "3.7.0", True, id="range and alternative"),
        pytest.param("1.1 - 1.3 || 3", "1.3.9", True, id="upper end of a range with two numbers"),
        pytest.param(">=1.0.0-0, <2.0.0", "1.5.0-beta", True, id="one pre-release opens its whole group"),
        pytest.param(">=1.0.0, <2.0.0 || >3-0", "1.5.0-beta", False, id="but no other group"),
        pytest.param("!=1.0.0", "1.5.0-beta", False, id="pre-releases are out by default"),
    ],
)
def test_constraints(constraint: str, version: str | None, fits: bool | None) -> None:
    """Constraints are read and checked by Masterminds' rules."""
    if version is None:
        with pytest.raises(GoInputError, match="improper constraint: "):
            Constraints.parse(constraint)
        return

    assert Constraints.parse(constraint).check(Version.parse(version)) is fits


def test_a_malformed_number_in_a_constraint_is_its_own_error() -> None:
    """Masterminds' character class lets `1xx` through to the version parser."""
    with pytest.raises(GoInputError, match=r"^constraint parser error$"):
        Constraints.parse(">=1xx")


def test_long_texts_are_refused() -> None:
    """A text beyond the limit is refused before it is looked at."""
    long = "1" * (versionscan.MAX_LENGTH + 1)

    with pytest.raises(GoInputError):
        Version.parse(long)
    with pytest.raises(GoInputError, match="longer than"):
        Constraints.parse(long)
    assert lenient_key(long) is None


@pytest.mark.parametrize(
    ("low", "high"),
    [
        pytest.param("1.8", "1.10", id="numbers, not text"),
        pytest.param("18.4.4", "18.04.4.1", id="any number of parts"),
        pytest.param("1.21", "1.21.5", id="absent parts are zero"),
        pytest.param("1.18.6-beta.2", "1.18.6", id="a pre-release is lower"),
        pytest.param("2.0-up.9", "2.0-up.10", id="numeric identifiers"),
        pytest.param("7.7.1908-a", "7.7.1909-a", id="release decides first"),
    ],
)
def test_lenient_order(low: str, high: str) -> None:
    """Pack versions are ordered part by part, then by pre-release."""
    first, second = lenient_key(low), lenient_key(high)

    assert first is not None and second is not None
    assert first < second


def test_lenient_equality_and_refusal() -> None:
    """Prefix, missing zeros and metadata make no difference; wildcards and words are no versions."""
    assert lenient_key("V1.21") == lenient_key("1.21.0+meta") == lenient_key("v1.21.0.0")
    assert lenient_key("0") == lenient_key("0.0")
    for text in ("", "v", "latest", "1.18.x", "1..2", "1.2-", "1.2-a..b", "vv1", "1.2+"):
        assert lenient_key(text) is None, text
