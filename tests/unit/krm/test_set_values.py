"""What a resource says of a field that was set is what its text says afterwards."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource

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
