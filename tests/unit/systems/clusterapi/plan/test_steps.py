"""The machines of several steps are one line for each group: how often they roll, why, and how sure that is."""

from __future__ import annotations

from krmkit.systems.clusterapi.plan.model import Roll, Step
from krmkit.systems.clusterapi.plan.steps import _joined, _merged


def test_reasons_of_two_steps() -> None:
    """A chain of versions is one reason; other reasons stay beside each other, each once."""
    assert _joined(["version v1.33.0 -> v1.34.0"], ["version v1.34.0 -> v1.35.0"]) == [
        "version v1.33.0 -> v1.34.0 -> v1.35.0"
    ]
    assert _joined(["version v1 -> v2", "spec.a"], ["spec.a", "version v2 -> v3"]) == [
        "version v1 -> v2 -> v3",
        "spec.a",
    ]
    # A field's change that ends in the same text is no version.
    assert _joined(["spec.a v1 -> v2"], ["version v2 -> v3"]) == ["spec.a v1 -> v2", "version v2 -> v3"]
    assert _joined(["version v1 -> v2"], ["v2"]) == ["version v1 -> v2", "v2"]


def test_groups_of_two_steps() -> None:
    """Rolled once it is one time, twice two; it is sure if one step is, and `only` some if both are."""
    some = Roll("MachineDeployment md", ["spec.b"], sure=False, only="created before noon", replicas=3)
    steps = [
        Step("v2", rolls=[Roll("control plane", ["version v1 -> v2"], max_surge=1), some]),
        Step(
            "v3",
            rolls=[Roll("control plane", ["version v2 -> v3"]), Roll("MachineDeployment md", ["spec.c"])],
        ),
    ]

    plane, workers = _merged(steps)

    assert (plane.times, plane.reasons, plane.max_surge) == (2, ["version v1 -> v2 -> v3"], 1)
    assert (workers.times, workers.reasons, workers.replicas) == (2, ["spec.b", "spec.c"], 3)
    assert workers.sure and workers.only == ""
    assert some.reasons == ["spec.b"], "a step keeps its own reasons"
    [alone] = _merged(steps[:1])[1:]
    assert (alone.times, alone.sure, alone.only) == (1, False, "created before noon")
