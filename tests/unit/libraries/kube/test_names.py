"""krmkit.libraries.kube.names: names, labels and annotations in Kubernetes' words."""

from __future__ import annotations

import pytest

from krmkit.libraries.kube.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
    is_valid_label_value,
    validate_annotations,
    validate_labels,
)


@pytest.mark.parametrize("text", ["a", "md-0", "0", "a" * 63])
def test_label(text: str) -> None:
    """Lower-case names of up to 63 characters are labels."""
    assert is_dns1123_label(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a.b", "must not contain dots"),
        ("A", "a lowercase RFC 1123 label must consist of"),
        ("", "a lowercase RFC 1123 label must consist of"),
        ("-a", "a lowercase RFC 1123 label must consist of"),
        ("a\n", "a lowercase RFC 1123 label must consist of"),
        ("a" * 64, "must be no more than 63 bytes"),
    ],
)
def test_no_label(text: str, problem: str) -> None:
    """The first problem names what is wrong."""
    assert is_dns1123_label(text)[0].startswith(problem)


def test_subdomain() -> None:
    """A subdomain is labels between dots; the text ends in the pattern, as Kubernetes shows it."""
    assert is_dns1123_subdomain("my.name-1") == []
    assert is_dns1123_subdomain("a" * 254) == ["must be no more than 253 bytes"]
    (problem,) = is_dns1123_subdomain("a..b")

    assert problem.endswith(
        "(e.g. 'example.com', regex used for validation is"
        " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    )


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("my-name", 0),
        ("example.com/My_Name.1", 0),
        ("a/b/c", 1),
        ("/a", 1),
        ("a/", 2),
        ("", 2),
        ("EXAMPLE.com/a", 1),
        ("a b", 1),
        ("a" * 64, 1),
    ],
)
def test_qualified_name(text: str, problems: int) -> None:
    """A key is a name with an optional prefix."""
    assert len(is_qualified_name(text)) == problems


@pytest.mark.parametrize(
    ("text", "problems"), [("", 0), ("My_value.1", 0), ("-a", 1), ("a" * 64, 1), ("é" * 32, 2)]
)
def test_label_value(text: str, problems: int) -> None:
    """A value may be empty; its length counts in bytes."""
    assert len(is_valid_label_value(text)) == problems


def test_maps() -> None:
    """Errors are at the map, and show the key or the value."""
    labels = [(error.field, error.value) for error in validate_labels({"a b": "$$"}, "metadata.labels")]
    annotations = validate_annotations(
        {"A.example.com/Key": "any $$ value", "a b": ""}, "metadata.annotations"
    )

    assert labels == [("metadata.labels", "a b"), ("metadata.labels", "$$")]
    assert [error.value for error in annotations] == ["a b"]


def test_annotations_size() -> None:
    """All annotations together have at most 256 KiB."""
    (error,) = validate_annotations({"a": "x" * (256 * 1024)}, "metadata.annotations")

    assert str(error) == "metadata.annotations: Too long: may not be more than 262144 bytes"
