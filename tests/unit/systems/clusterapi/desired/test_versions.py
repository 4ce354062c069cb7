"""Which parts of an upgrade wait, and for what."""

from __future__ import annotations

import pytest

from krmkit.systems.clusterapi.desired.versions import UpgradeTracker, WorkersTracker, waiting


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        pytest.param(
            WorkersTracker(pending_upgrade=["a", "b"], deferred=["b"]),
            ["Workers put off by annotation: b", "Workers that wait for their turn: a"],
            id="what is put off waits for no turn",
        ),
        pytest.param(
            WorkersTracker(pending_upgrade=["b"], deferred=["b"]),
            ["Workers put off by annotation: b"],
            id="all are put off",
        ),
        pytest.param(
            WorkersTracker(plan=["v1.33.0", "v1.34.0"], pending_create=["c"]),
            [
                "Workers go through v1.33.0, v1.34.0",
                "Workers that are created when the control plane is stable: c",
            ],
            id="a plan, and one that is new",
        ),
        pytest.param(WorkersTracker(upgrading=["a"]), [], id="one that upgrades"),
    ],
)
@pytest.mark.parametrize(
    ("kind", "field"), [("MachineDeployments", "machine_deployments"), ("MachinePools", "machine_pools")]
)
def test_workers_that_wait(kind: str, field: str, workers: WorkersTracker, expected: list[str]) -> None:
    """Each group has one line, of the one reason that it waits for."""
    tracker = UpgradeTracker()
    setattr(tracker, field, workers)

    assert waiting(tracker) == [line.replace("Workers", kind, 1) for line in expected]


@pytest.mark.parametrize(
    ("tracker", "expected"),
    [
        (UpgradeTracker(is_upgrading=True), ["the control plane is still upgrading"]),
        (
            UpgradeTracker(is_upgrading=True, is_pending_upgrade=True),
            ["the control plane is still upgrading; the next step waits for it"],
        ),
        (UpgradeTracker(is_provisioning=True), []),
        (
            UpgradeTracker(is_provisioning=True, is_pending_upgrade=True),
            ["the control plane is being created; it takes the new version afterwards"],
        ),
        (UpgradeTracker(is_waiting_for_workers=True), []),
        (
            UpgradeTracker(is_waiting_for_workers=True, is_pending_upgrade=True),
            ["the control plane waits for the workers to upgrade first"],
        ),
    ],
)
def test_a_control_plane_that_waits(tracker: UpgradeTracker, expected: list[str]) -> None:
    """Only what is still to come waits."""
    assert waiting(tracker) == expected
