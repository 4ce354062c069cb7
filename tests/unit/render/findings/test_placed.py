"""krmkit.render.findings.places.placed: a message that begins with its place."""

from __future__ import annotations

import pytest

from krmkit.render.findings.places import placed


@pytest.mark.parametrize(
    ("message", "place", "rest"),
    [
        ("fleet/sites.yaml:9:5: there is no site", "fleet/sites.yaml:9:5", "there is no site"),
        ("C:/fleet.yml:12:1: x: y", "set.yaml", "C:/fleet.yml:12:1: x: y"),
        ("image/of:v0.1.1: app.yaml:7:1: no field", "set.yaml", "image/of:v0.1.1: app.yaml:7:1: no field"),
        ("changes by hand in app.yaml", "set.yaml", "changes by hand in app.yaml"),
        ("two lines\nfleet.yaml:9:5: here", "set.yaml", "two lines\nfleet.yaml:9:5: here"),
    ],
    ids=["a place", "a drive", "a function", "none", "a later line"],
)
def test_placed(message: str, place: str, rest: str) -> None:
    """Formats for editors and CI get path, line and column; other messages stay whole."""
    found = placed("error", "failed", message, "set.yaml", {})

    assert (found.place, found.message) == (place, rest)
