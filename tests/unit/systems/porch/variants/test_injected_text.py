"""krmkit.systems.porch.variants.injection: digits that 64 bits cannot hold, and the annotations that name the source."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.systems.porch.variants.candidates import Candidate, candidates
from krmkit.systems.porch.variants.injection import inject_config
from tests.unit.systems.porch.packages import KPTFILE, package, text_of
from tests.unit.systems.porch.variants.test_injection import candidate, point, run

WIDE = "big: 99999999999999999999999, exact: 18446744073709551616, fine: 1.2345678901234567890123, small: 7, half: 0.50"


@pytest.mark.parametrize("place", ["item", "config"])
def test_numbers_beyond_64_bits_stay_as_written(place: str) -> None:
    """Their digits are the source's; one that differs in the last digit is another, and a second run changes nothing."""
    source = f"apiVersion: hr.example.com/v1\nkind: Team\nmetadata:\n  name: red\nspec: {{{WIDE}, more: [1e400, 1{WIDE[5:28]}]}}\n"
    old = "spec:\n  big: 99999999999999999999998 # people\n  small: 7 # rooms\n"
    body = point("Team", "t", "hr.example.com/v1", body=old)
    found = package({"Kptfile": KPTFILE, "team.yaml": body})
    if place == "item":
        objects = [Candidate.of(Resource(source))]
    else:
        config = Resource(
            "kind: X\nspec:\n  resources:\n  - " + source.replace("\n", "\n    ").rstrip() + "\n"
        )
        inline = config.get("spec", "resources")
        assert isinstance(inline, list)
        objects = candidates(inline, [], "", config)

    inject_config(found, [{"name": "red"}], objects)

    text = text_of(found, "team.yaml")
    assert text.endswith(
        "spec:\n  big: 99999999999999999999999 # people\n  small: 7 # rooms\n  exact: 18446744073709551616\n"
        "  fine: 1.2345678901234567890123\n  half: 0.5\n  more:\n  - 1e400\n  - 199999999999999999999999\n"
    )
    inject_config(found, [{"name": "red"}], objects)
    assert text_of(found, "team.yaml") == text


def test_the_annotation_of_proposals_is_kept_true() -> None:
    """Porch writes `injected-resource`; a point that has the other name gets both."""
    body = point(body="data: {}\n").replace(
        "injection: required\n", "injection: required\n    kpt.dev/injected-resource-name: us\n"
    )
    found, _ = run({"cm.yaml": body}, [{"name": "eu"}], [candidate(data={"db": "eu"})])

    assert "    kpt.dev/injected-resource-name: eu\n    kpt.dev/injected-resource: eu\n" in text_of(
        found, "cm.yaml"
    )
