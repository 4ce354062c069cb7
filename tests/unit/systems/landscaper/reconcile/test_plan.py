"""krmkit.systems.landscaper.reconcile.plan: what is said of Installations that no schedule concerns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.libraries.yaml import emit

FUNCTION = Path(__file__).parents[5] / "functions/plan-reconcile"
CONFIG = "apiVersion: krmkit.dev/v1alpha1\nkind: PlanReconcile\nmetadata: {name: p}\nspec: {now: 2026-05-01T10:00:00Z}\n"
OPERATION = "landscaper.gardener.cloud/operation"
NEEDS = f"needs the annotation {OPERATION}: reconcile: "
DONE = {"phase": "Succeeded", "observedGeneration": 1, "jobID": "a", "jobIDFinished": "a"}
CASES: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    ("new in a cluster", {"generation": 1}, {}, "needs-annotation", f"{NEEDS}Landscaper has not reconciled it yet"),
    ("new in git", {}, {}, "needs-annotation", f"{NEEDS}Landscaper has not reconciled it yet"),
    ("changed", {"generation": 2}, DONE, "needs-annotation", f"{NEEDS}its spec is newer than what Landscaper reconciled last"),
    ("new during a job", {"generation": 1}, {"jobID": "a"}, "none", "none: the observed generation is not the current one"),
    ("changed during a job", {"generation": 2}, {**DONE, "jobID": "b"}, "none", "none: the observed generation is not the current one"),
    ("of a parent", {"generation": 1, "ownerReferences": [{"kind": "Installation", "name": "above"}]}, {}, "none",
     "none: the observed generation is not the current one"),
    ("annotated", {"annotations": {OPERATION: "reconcile"}}, {}, "annotated",
     f"reconcile now: it has the annotation {OPERATION}: reconcile"),
    ("to be interrupted", {"annotations": {OPERATION: "interrupt"}}, DONE, "annotated",
     f"interrupt now: it has the annotation {OPERATION}: interrupt"),
    ("as it should be", {"generation": 1}, DONE, "none", "none: automaticReconcile has no schedule for its phase"),
]  # fmt: skip


def planned(metadata: dict[str, Any], status: dict[str, Any]) -> list[Any]:
    item = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "metadata": {"name": "shop", "namespace": "ns", **metadata},
        "spec": {},
        "status": status,
    }
    return run_function(FUNCTION, resource_list([emit.document(item)], CONFIG)).results


@pytest.mark.parametrize(
    ("metadata", "status", "action", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_starts_an_installation(
    metadata: dict[str, Any], status: dict[str, Any], action: str, message: str
) -> None:
    """A new or changed one needs the annotation, one that has it is under way; nested ones wait for their parent."""
    [found] = [one for one in planned(metadata, status) if one.rule == "reconcile-plan"]

    assert (found.message, found.tags["action"]) == (message, action)


def test_an_operation_that_does_not_exist() -> None:
    """Landscaper ignores it in silence, so it is a warning with the right word."""
    [found] = [
        one
        for one in planned({"annotations": {OPERATION: "recncile"}}, {})
        if one.rule == "unknown-operation"
    ]

    assert (found.severity, found.field) == ("warning", f'metadata.annotations."{OPERATION}"')
    assert found.message == 'Landscaper knows no operation recncile; did you mean "reconcile"?'
