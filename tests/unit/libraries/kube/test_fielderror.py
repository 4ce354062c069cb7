"""Errors with a field path have the texts of Kubernetes' field.Error."""

from __future__ import annotations

import pytest

from krmkit.libraries.kube import fielderror as field
from krmkit.libraries.kube.fielderror import FieldError

TEXTS = [
    ("text is quoted", field.invalid("a", 'b"c', "no"), 'a: Invalid value: "b\\"c": no'),
    ("a number stands plain", field.invalid("a", 3, "no"), "a: Invalid value: 3: no"),
    ("a large float has an exponent", field.invalid("a", 1e6, "no"), "a: Invalid value: 1e+06: no"),
    ("a boolean", field.invalid("a", True, "no"), "a: Invalid value: true: no"),
    ("null is quoted", field.invalid("a", None, "no"), 'a: Invalid value: "null": no'),
    (
        "an object is JSON with sorted keys",
        field.invalid("a", {"b": [1.5, "<"], "a": None}, "no"),
        'a: Invalid value: {"a":null,"b":[1.5,"\\u003c"]}: no',
    ),
    (
        "a struct of Go keeps its order",
        field.invalid("a", field.Verbatim('{"B":1,"A":2}'), "no"),
        'a: Invalid value: {"B":1,"A":2}: no',
    ),
    ("a type error reads as invalid", field.type_invalid("a", "b", "no"), 'a: Invalid value: "b": no'),
    ("required has no value", field.required("a", "set it"), "a: Required value: set it"),
    ("required without detail", field.required("a"), "a: Required value"),
    ("forbidden has no value", field.forbidden("a", "not here"), "a: Forbidden: not here"),
    ("duplicate has no detail", field.duplicate("a", "b"), 'a: Duplicate value: "b"'),
    (
        "supported values are listed",
        field.not_supported("a", "x", ["b", 1]),
        'a: Unsupported value: "x": supported values: "b", "1"',
    ),
    ("nothing is supported", field.not_supported("a", "x", []), 'a: Unsupported value: "x"'),
    ("too long", field.too_long("a", 6), "a: Too long: may not be more than 6 bytes"),
    ("too long by one byte", field.too_long("a", 1), "a: Too long: may not be more than 1 byte"),
    ("too long without a limit", field.too_long("a", -1), "a: Too long: value is too long"),
    ("too many", field.too_many("a", 3, 2), "a: Too many: 3: must have at most 2 items"),
    ("too many without a limit", field.too_many("a", 3, -1), "a: Too many: 3: has too many items"),
    ("internal", FieldError(field.INTERNAL, "a", "x", "boom"), "a: Internal error: boom"),
]


@pytest.mark.parametrize(("error", "text"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_text(error: FieldError, text: str) -> None:
    """An error reads as in Go."""
    assert str(error) == text


def test_paths() -> None:
    """Paths grow by fields, keys and indexes."""
    path = field.child("spec", "workers", "machineDeployments")

    assert field.key(path, "md-0") == "spec.workers.machineDeployments[md-0]"
    assert field.index(path, 2) == "spec.workers.machineDeployments[2]"
    assert field.child("", "spec") == "spec"


def test_aggregate() -> None:
    """Several errors make one text, without repetition."""
    one, two = field.required("a"), field.required("b")

    assert field.aggregate([]) == ""
    assert field.aggregate([one, one]) == "a: Required value"
    assert field.aggregate([one, two]) == "[a: Required value, b: Required value]"


def test_equality() -> None:
    """Errors are equal by their parts."""
    assert field.required("a") == field.required("a")
    assert field.required("a") != field.required("b")
