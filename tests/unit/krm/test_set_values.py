"""What a resource says of a field that was set is what its text says afterwards."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.tree import Scalar

TEXTS = {
    "block": "a: 1\nb:\n  c: x\n",
    "flow": "a: 1\nb: {c: 1}\n",
    "in the place of a list": "a: 1\nb:\n  c: [x]\n",
    "new": "a: 1\nb:\n  d: x\n",
    "in the place of null": "a: 1\nb: ~\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(
    "value", ["~", "null", "Null", "", "true", "x", None, True, 3, 2.0, -4.0, 1.5, 1e300]
)
def test_a_value_reads_the_same_before_and_after_it_is_written(text: str, value: object) -> None:
    resource = Resource(text)

    resource.set(("b", "c"), value)

    read = Resource(text)
    read.set(("b", "c"), value)
    written = Resource(read.text)
    assert resource.string("b", "c") == written.string("b", "c")
    assert resource.get("b", "c") == written.get("b", "c") == value


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(
    ("value", "is_text"), [("true", True), ("3", True), ("x", True), ("3", False), ("x", False)]
)
def test_a_scalar_from_elsewhere(text: str, value: str, is_text: bool) -> None:
    """A text that an edit made stays one, in quotes where it has to; what only was read is written as it was."""
    scalar = Scalar(value)
    if is_text:
        scalar.value = value
    resource = Resource(text)

    resource.set(("b", "c"), scalar)

    assert Resource(resource.text).get("b", "c") == (value if is_text or value == "x" else 3)
