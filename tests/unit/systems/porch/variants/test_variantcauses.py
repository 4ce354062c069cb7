"""What the functions of package variants record for `krmkit why`: the field of the config that set a value or removed it."""

from __future__ import annotations

import pytest

from krmkit.krm.cause import CauseLog
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.systems.porch.variants.causes import VariantCauses

CONTEXT = Resource("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kptfile.kpt.dev}\ndata: {site: a}\n")
CONFIGS = {
    "PackageVariant": ("spec", "packageContext"),
    "SetPackageContext": ("spec",),
    "ConfigMap": (),
}


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("is_removed", [False, True], ids=["set", "removed"])
def test_a_key_of_the_context(kind: str, is_removed: bool) -> None:
    """A key that is set has its own field; one that was removed has the list of keys to remove."""
    config = Resource(f"apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: c}}\n")
    log = CauseLog()

    VariantCauses(log, config).context(CONTEXT, "site", is_removed)

    (cause,) = log.of(CONTEXT).at(("data", "site"))
    inner: Path = ("removeKeys",) if is_removed else ("data", "site")
    if kind == "ConfigMap":
        inner = ("data", "removeKeys" if is_removed else "site")
    assert (cause.resource, cause.field) == (config, (*CONFIGS[kind], *inner))


@pytest.mark.parametrize("kind", ["PackageVariant", "ConfigMap"])
def test_functions_of_a_pipeline(kind: str) -> None:
    """Each function at the front has its entry of the config, where the config has a list; a ConfigMap has one text of all."""
    config = Resource(f"apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: c}}\n")
    kptfile = Resource("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    log = CauseLog()

    VariantCauses(log, config).pipeline(kptfile, "mutators", 2, edited=True)

    found = [log.of(kptfile).at(("pipeline", "mutators", position))[0].field for position in (0, 1, 2)]
    whole: Path = ("data", "pipeline") if kind == "ConfigMap" else ("spec", "pipeline", "mutators")
    assert found == ([whole] * 3 if kind == "ConfigMap" else [(*whole, 0), (*whole, 1), whole])


def test_the_status_of_a_variant() -> None:
    """It comes from the package that the variant was applied to."""
    config = Resource("apiVersion: x/v1\nkind: PackageVariant\nmetadata: {name: c}\n")
    kptfile = Resource("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    log = CauseLog()

    VariantCauses(log, config).applied(kptfile)

    (cause,) = log.of(config).at(("status", "conditions"))
    assert (cause.resource, cause.field) == (kptfile, ("metadata", "name"))
