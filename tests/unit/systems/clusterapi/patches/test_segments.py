"""Segments of the paths by which patches name variables: `nodes[1]`."""

from __future__ import annotations

import pytest

from krmkit.systems.clusterapi.api.errors import PatchValueError
from krmkit.systems.clusterapi.patches.lookup import parse_path_segment


@pytest.mark.parametrize(
    ("segment", "expected"),
    [("nodes", ("nodes", None)), ("nodes[1]", ("nodes", 1)), ("n[+2]", ("n", 2)), ("[0]", ("", 0))],
)
def test_segments(segment: str, expected: tuple[str, int | None]) -> None:
    """A name, and the index behind it."""
    assert parse_path_segment(segment) == expected


@pytest.mark.parametrize(
    "segment", ["]", "nodes]", "a]1[", "nodes[", "nodes[]", "nodes[x]", "nodes[-1]", "n[9999999999999999999]"]
)
def test_malformed_segments(segment: str) -> None:
    """Brackets must stand as in nodes[1]."""
    with pytest.raises(PatchValueError) as caught:
        parse_path_segment(segment)

    assert not caught.value.not_found
