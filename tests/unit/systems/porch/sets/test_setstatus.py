"""The conditions of a PackageVariantSet: written with writeStatus, named with --explain without."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from krmkit.fn.run import RunOptions
from krmkit.fn.testing import resource_list, run_function

FUNCTION = Path(__file__).resolve().parents[5] / "functions/generate-package-variants"
SET = {
    "apiVersion": "config.porch.kpt.dev/v1alpha2",
    "kind": "PackageVariantSet",
    "metadata": {"name": "fleet", "namespace": "default"},
    "spec": {
        "upstream": {"repo": "bp", "package": "shop", "revision": "v1"},
        "targets": [{"repositories": [{"name": "north"}]}],
    },
}
CONDITIONS = [
    {"type": "Stalled", "status": "False", "reason": "Valid", "message": "all validation checks passed"},
    {
        "type": "Ready",
        "status": "True",
        "reason": "Reconciled",
        "message": "package variants successfully reconciled",
    },
]


@pytest.mark.parametrize("write", [True, False])
def test_conditions(write: bool) -> None:
    """As the controller writes them, once: a second run changes nothing."""
    config = yaml.safe_dump(
        {
            "apiVersion": "krmkit.dev/v1alpha1",
            "kind": "GeneratePackageVariants",
            "metadata": {"name": "g"},
            "spec": {"writeStatus": write},
        }
    )

    options = RunOptions()
    options.explain = True
    made = yaml.safe_load(
        run_function(FUNCTION, resource_list([yaml.safe_dump(SET)], config), options).stdout
    )

    [item] = [one for one in made["items"] if one["kind"] == "PackageVariantSet"]
    said = [one for one in made["results"] if one.get("tags", {}).get("rule") == "status"]
    assert [
        {key: one[key] for key in CONDITIONS[0]} for one in item.get("status", {}).get("conditions", [])
    ] == (CONDITIONS if write else [])
    assert bool(said) != write
