"""krmkit.systems.porch.sets.generate: variants of a set, and those that exist already."""

from __future__ import annotations

import pytest

from krmkit.systems.porch.api.apinames import PorchError, in_namespace
from krmkit.systems.porch.sets.generate import generate, reconcile
from krmkit.systems.porch.sets.targets import DownstreamTarget, TargetObject

SPEC = {"upstream": {"repo": "blueprints", "package": "front", "revision": 1}}


def entries(*places: tuple[str, str]) -> list[DownstreamTarget]:
    return [DownstreamTarget(0, repo, package, None) for repo, package in places]


def test_names_and_order() -> None:
    """Variants come in the order of the targets; of two with one identifier the later takes the place of the earlier."""
    generated = generate("fleet", SPEC, entries(("z", "p"), ("a-b", "c"), ("a", "b-c")), TargetObject(""), {})

    assert [(each.name, each.spec["downstream"]["repo"]) for each in generated.variants] == [
        ("fleet-z-p", "z"),
        ("fleet-a-b-c", "a"),
    ]
    assert generated.repeated == ["fleet-a-b-c"]


def test_odd_names() -> None:
    """Names are not changed to be valid, they are named."""
    generated = generate(
        "fleet", SPEC, entries(("Site.1", "p"), ("a", "dir/p"), ("a", "p")), TargetObject(""), {}
    )

    assert generated.odd_names == ["fleet-Site.1-p", "fleet-a-dir/p"]


def test_the_first_error_stops_everything() -> None:
    """No variant comes back when one of them cannot be rendered."""
    downstreams = [DownstreamTarget(0, "a", "p", None), DownstreamTarget(1, "ghost", "p", {})]
    with pytest.raises(PorchError, match='repository "ghost" could not be loaded'):
        generate("fleet", SPEC, downstreams, TargetObject(""), {})


def test_reconcile() -> None:
    """Existing variants are found by identifier, keep their names, and go when nothing targets them."""
    generated = generate("fleet", SPEC, entries(("a", "p"), ("b", "p"), ("c", "p")), TargetObject(""), {})
    existing = [
        "fleet-b-p",
        "fleet-x-p",
        "fleet-a-p",
    ]
    changes = reconcile(generated.variants, existing)

    assert changes.deleted == [1]
    assert [(position, variant.name) for position, variant in changes.updated] == [
        (2, "fleet-a-p"),
        (0, "fleet-b-p"),
    ]
    assert [variant.name for variant in changes.created] == ["fleet-c-p"]


def test_reconcile_twins() -> None:
    """Of two existing variants with one identifier the last one stays."""
    generated = generate("fleet", SPEC, entries(("a", "p")), TargetObject(""), {})
    changes = reconcile(generated.variants, ["fleet-a-p", "fleet-a-p"])

    assert changes.deleted == [0]
    assert [position for position, _ in changes.updated] == [1]


@pytest.mark.parametrize(
    ("namespace", "wanted", "found"),
    [
        ("a", "a", True),
        ("", "a", True),
        ("b", "a", False),
        ("b", "", False),
        ("default", "", True),
        ("", "", True),
    ],
)
def test_in_namespace(namespace: str, wanted: str, found: bool) -> None:
    """Objects without a namespace are everywhere; a set without one is in default."""
    assert in_namespace(namespace, wanted) is found
