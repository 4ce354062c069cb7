"""krmkit.systems.clusterapi.api.roles: what an object is for, and what follows from that."""

from __future__ import annotations

import pickle

import pytest

from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE, Role

ROLES: list[tuple[str, str, str, bool, bool]] = [
    # role, its holder, the owner of its machines, is a template, is a holder
    ("cluster", "controlPlane", "", False, False),
    ("infrastructureCluster", "controlPlane", "", False, False),
    ("controlPlane", "controlPlane", "controlPlane", False, True),
    ("controlPlaneInfrastructureMachineTemplate", "controlPlane", "controlPlane", True, False),
    ("controlPlaneMachineHealthCheck", "controlPlane", "", False, False),
    ("machineDeployments/md-0/machineDeployment", "machineDeployments/md-0/machineDeployment", "MachineDeployment md-0", False, True),
    ("machineDeployments/md-0/bootstrapTemplate", "machineDeployments/md-0/machineDeployment", "MachineDeployment md-0", True, False),
    ("machinePools/mp-0/machinePool", "machinePools/mp-0/machinePool", "MachinePool mp-0", False, True),
    ("machinePools/mp-0/bootstrapObject", "machinePools/mp-0/machinePool", "MachinePool mp-0", False, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "holder", "owner", "is_template", "is_holder"), ROLES, ids=[role[0] for role in ROLES]
)
def test_a_role(text: str, holder: str, owner: str, is_template: bool, is_holder: bool) -> None:
    """A role is the text that plans show, and knows its place in the topology."""
    role = Role.of(text)

    assert (role, role.holder, role.owner) == (text, holder, owner)
    assert (role.is_template, role.is_holder) == (is_template, is_holder)


def test_a_role_goes_to_another_process() -> None:
    """A role keeps its parts when it is pickled: plans are made in several processes."""
    role = pickle.loads(pickle.dumps(Role.of("machinePools/mp-0/bootstrapObject")))

    assert (role, role.kind.kind, role.group, role.part) == (
        "machinePools/mp-0/bootstrapObject",
        "MachinePool",
        "mp-0",
        "bootstrapObject",
    )
    assert pickle.loads(pickle.dumps(CONTROL_PLANE)) == CONTROL_PLANE
