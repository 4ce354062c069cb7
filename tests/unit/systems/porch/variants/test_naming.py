"""krmkit.systems.porch.variants.naming: names of functions and of variants."""

from __future__ import annotations

import pytest

from krmkit.systems.porch.sets.generate import GeneratedVariants, Variant
from krmkit.systems.porch.variants.naming import (
    function_name,
    is_function_of,
    variant_name,
)


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("0", True),
        ("007", True),
        ("+3", True),
        ("-3", True),
        ("9223372036854775807", True),
        ("9223372036854775808", False),
        ("-9223372036854775808", True),
        ("-9223372036854775809", False),
        ("0" * 5000 + "1", True),
        ("9" * 5000, False),
        ("", False),
        ("+", False),
        ("--1", False),
        ("1_0", False),
        (" 1", False),
        ("1 ", False),
        ("0x1", False),
        ("1.0", False),
        ("١", False),
        ("²", False),
    ],
)
def test_atoi(text: str, accepted: bool) -> None:
    """The last part of a name is a number as Go's Atoi reads it, not as Python's int() does."""
    assert is_function_of("v", f"PackageVariant.v.f.{text}") is (accepted and "." not in text)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        (function_name("north", "labels", 0), True),
        (function_name("north", "", 12), True),
        ("PackageVariant.north.labels.+1", True),
        ("PackageVariant.south.labels.0", False),
        ("packageVariant.north.labels.0", False),
        ("PackageVariant.north.0", False),
        ("PackageVariant.north.a.b.0", False),
        ("PackageVariant.north.labels.x", False),
        ("labels", False),
    ],
)
def test_recognition(name: str, own: bool) -> None:
    """Four parts, the prefix, the variant's name, anything, a number."""
    assert is_function_of("north", name) is own


def test_a_dotted_variant_is_never_recognised() -> None:
    """Its own names have five parts."""
    assert not is_function_of("north.1", function_name("north.1", "labels", 0))


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        pytest.param("a-b-c", "a-b-c", id="short"),
        pytest.param("n" * 63, "n" * 63, id="63 bytes"),
        pytest.param("n" * 64, "n" * 54 + "-49f71cc1", id="64 bytes"),
        pytest.param("Fleet/One.x", "Fleet/One.x", id="nothing is sanitised"),
    ],
)
def test_variant_name(identifier: str, name: str) -> None:
    """Long identifiers are cut and get a hash."""
    assert variant_name(identifier) == name


def test_long_names_count_bytes() -> None:
    """The limit is one of bytes: 32 two-byte letters are too long."""
    name = variant_name("é" * 32)

    assert name.startswith("é" * 27 + "-")
    assert len(name) == 27 + 9


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("a-1", True),
        ("", False),
        ("-a", False),
        ("a-", False),
        ("A", False),
        ("a.b", False),
        ("é", False),
        ("a" * 64, False),
    ],
)
def test_dns_label(name: str, valid: bool) -> None:
    """What the API server takes for names and labels alike."""
    odd = GeneratedVariants([Variant("shop", name, {})], []).odd_names

    assert odd == ([] if valid else [name])
