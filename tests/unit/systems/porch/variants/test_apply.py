"""krmkit.systems.porch.variants.apply: a whole PackageVariant."""

from __future__ import annotations

import pytest

from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.apply import apply_variant
from krmkit.systems.porch.variants.candidates import Candidate
from tests.unit.systems.porch.packages import CONTEXT, KPTFILE, package, text_of

SPEC = {
    "upstream": {"repo": "blueprints", "package": "front"},
    "downstream": {"repo": "north", "package": "front"},
}
POINT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: ep
  annotations:
    kpt.dev/config-injection: optional
"""
EU = Candidate({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "eu"}, "data": {"name": "eu"}})
FILES = {"Kptfile": KPTFILE, "package-context.yaml": CONTEXT, "ep.yaml": POINT}


def texts(files: dict[str, str], *runs: tuple[str, dict[str, object]]) -> dict[str, str]:
    found = package(files)
    for name, spec in runs:
        apply_variant(found, name, {**SPEC, **spec}, [EU])
    return {path: text_of(found, path) for path in files}


FULL: dict[str, object] = {
    "packageContext": {"data": {"site": "north"}, "removeKeys": ["old"]},
    "pipeline": {"mutators": [{"image": "m", "name": "m"}]},
    "injectors": [{"name": "eu"}],
}


def test_all_steps_and_again() -> None:
    """Context, pipeline and injection; a second run changes nothing."""
    once = texts(FILES, ("pv", FULL))

    assert "site: north" in once["package-context.yaml"]
    assert "PackageVariant.pv.m.0" in once["Kptfile"]
    assert "kpt.dev/injected-resource: eu" in once["ep.yaml"]
    assert texts(once, ("pv", FULL)) == once


def test_what_a_variant_no_longer_says() -> None:
    """Functions go, the condition flips; injected data, its annotation and context keys stay, because nobody owns them."""
    once = texts(FILES, ("pv", FULL))
    later = texts(once, ("pv", {}))

    assert "PackageVariant.pv" not in later["Kptfile"]
    assert "no injectors defined" in later["Kptfile"]
    assert later["ep.yaml"] == once["ep.yaml"]
    assert later["package-context.yaml"] == once["package-context.yaml"]


def test_chain() -> None:
    """Each variant prepends, so the one applied last runs first; a restart of the chain restores its order."""
    base: dict[str, object] = {"pipeline": {"mutators": [{"image": "b"}]}}
    edge: dict[str, object] = {"pipeline": {"mutators": [{"image": "e"}]}}
    chain = (("base", base), ("edge", edge))
    once = texts(FILES, *chain)

    assert once["Kptfile"].index("PackageVariant.edge") < once["Kptfile"].index("PackageVariant.base")
    assert texts(once, *chain) == once


def test_injection_sees_the_context() -> None:
    """The steps are not independent: a package context that is an injection point loses what the first step wrote."""
    pointing = CONTEXT.replace("\ndata:", "\n  annotations:\n    kpt.dev/config-injection: required\ndata:")
    once = texts({**FILES, "package-context.yaml": pointing}, ("pv", FULL))

    assert "site" not in once["package-context.yaml"]
    assert "name: eu" in once["package-context.yaml"]


def test_invalid() -> None:
    """An invalid variant is told before anything is looked at."""
    with pytest.raises(PorchError) as caught:
        apply_variant(package({}), "pv", {**SPEC, "downstream": None}, [])

    assert str(caught.value) == "missing required field spec.downstream"


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("a.b", {"pipeline": {"mutators": [{"image": "x"}]}}, "has a dot"),
        ("pv", {"packageContext": {"data": {"a": "b"}}}, '"package-context.yaml" not found'),
        ("pv", {}, '"Kptfile" not found'),
    ],
)
def test_errors(name: str, spec: dict[str, object], message: str) -> None:
    """What a step finds stops the run; the Kptfile is needed even by a variant that wants nothing."""
    with pytest.raises(PorchError, match=message):
        apply_variant(package({}), name, {**SPEC, **spec}, [])
