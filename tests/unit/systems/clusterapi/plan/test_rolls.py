"""Which machines a change of an object rolls, and how sure that is."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.api.roles import Role
from krmkit.systems.clusterapi.plan.model import CHANGE, ObjectChange
from krmkit.systems.clusterapi.plan.rolls import Clock, rolls

Object = dict[str, Any]
NOW = "2026-06-01T00:00:00Z"


def change(role: str, kind: str, before: Object, after: Object, *fields: str) -> ObjectChange:
    return ObjectChange(CHANGE, Role.of(role), kind, "c1", fields=list(fields), before=before, after=after)


def version(role: str, kind: str) -> ObjectChange:
    """A new version of a control plane, or of the machines of a worker group."""

    def at(text: str) -> Object:
        spec: Object = {"version": text}
        return {"spec": spec if role == "controlPlane" else {"template": {"spec": spec}}}

    path = "spec.version" if role == "controlPlane" else "spec.template.spec.version"
    return change(role, kind, at("v1.33.1"), at("v1.34.0"), path)


@pytest.mark.parametrize(
    ("role", "kind", "sure"),
    [
        ("controlPlane", "KubeadmControlPlane", True),
        ("controlPlane", "ManagedControlPlane", False),
        ("machineDeployments/md-0/machineDeployment", "MachineDeployment", True),
        ("machinePools/mp-0/machinePool", "MachinePool", False),
    ],
)
def test_a_new_version(role: str, kind: str, sure: bool) -> None:
    """Cluster API's own controllers replace machines; what pools and other control planes do is their provider's."""
    [found], _ = rolls([version(role, kind)], {})

    assert (found.reasons, found.sure) == (["version v1.33.1 -> v1.34.0"], sure)


def test_a_date_in_the_future_beside_a_new_version() -> None:
    """The version rolls machines now, and the date those that are there then."""
    one = version("controlPlane", "KubeadmControlPlane")
    assert one.after is not None
    one.after["spec"]["rollout"] = {"after": "2030-01-01T00:00:00Z"}

    [found], later = rolls([one], {}, Clock(NOW))

    assert found.reasons == ["version v1.33.1 -> v1.34.0"]
    assert later == [
        "rollout.after of controlPlane is 2030-01-01T00:00:00Z: it rolls no machine until then, and then those created before"
    ]


@pytest.mark.parametrize("reversed_order", [False, True])
def test_a_reason_for_all_machines_beside_one_for_some(reversed_order: bool) -> None:
    """All roll: a reason that concerns the joined machines only is not said of the group, whichever was found first."""
    join = "spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration.name"
    some = change("controlPlane", "KubeadmControlPlane", {}, {}, join)
    every = version("controlPlane", "KubeadmControlPlane")

    [alone], _ = rolls([some], {})
    [both], _ = rolls([every, some] if reversed_order else [some, every], {})

    assert alone.only == "that joined the first one"
    assert (both.only, len(both.reasons)) == ("", 2)


def test_times_that_are_none() -> None:
    """A text that is no time comes before every time: it is past, and older than any date."""
    clock = Clock(NOW, lambda group: ["never"])

    assert clock.is_past("soon") and not clock.is_past("2030-01-01T00:00:00Z")
    assert clock.any_older("md", NOW)
    assert not Clock(NOW, lambda group: [NOW]).any_older("md", "2020-01-01T00:00:00Z")
