"""krmkit.libraries.go.net.addresses: what Go's standard library takes for an address, a URI or a duration."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.net import addresses as gonet

HOUR = 3600 * 10**9


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1h30m", HOUR * 3 // 2),
        ("0", 0),
        ("22 ns", 22),
        ("2 hours", 2 * HOUR),
        ("1 day 1 wk", 8 * 24 * HOUR),
        ("3 minutes", HOUR // 20),
        ("", None),
        ("soon", None),
        ("5 parsecs", None),
    ],
)
def test_duration_of(text: str, nanoseconds: int | None) -> None:
    """Go's durations, and those in words."""
    assert gonet.duration_of(text) == nanoseconds


def test_parse_request_uri() -> None:
    """A fragment has no meaning in a request."""
    uri = gonet.parse_request_uri("/a#b")

    assert uri is not None
    assert uri.path == "/a#b"
    assert gonet.parse_request_uri("a/b") is None


def test_parse_cidr() -> None:
    """Bits behind the prefix are cut off."""
    assert str(gonet.parse_cidr("10.1.2.3/8")) == "10.0.0.0/8"
    assert gonet.parse_cidr("10.0.0.0/x") is None
