"""Check a Cluster's change of version.

Source: core/webhooks/admission/cluster.go, internal/contract/controlplane.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, invalid
from krmkit.libraries.schema.fields import entries, find, mapping, text
from krmkit.libraries.versions import Version, blang

PENDING_HOOKS = "runtime.cluster.x-k8s.io/pending-hooks"
AFTER_CLUSTER_UPGRADE = "AfterClusterUpgrade"


@dataclass(slots=True)
class CurrentState:
    """The existing objects of a Cluster's topology with their status, unconverted.

    `control_plane` is None if there is none. `machines`: the known Machines of its MachineDeployments.
    """

    control_plane: Object | None
    machine_deployments: list[Object] = field(default_factory=list)
    machine_pools: list[Object] = field(default_factory=list)
    machines: list[Object] = field(default_factory=list)


def validate_version_update(
    value: str, new: Version, old: Version, cluster: Object, state: CurrentState | None, ceiling: bool
) -> FieldError | None:
    """Return the error about a change from `old` to `new`, or None. ceiling: at most one minor version up.

    Without a `state`, running upgrades are unknown and not checked.
    """
    path = "spec.topology.version"
    if str(new) == str(old):
        return None
    nothing = Version(0, 0, 0)
    if new != nothing and old != nothing and blang.compare_without_prereleases(new, old) < 0:
        return invalid(path, value, f'version cannot be decreased from "{old}" to "{new}"')
    if ceiling and blang.compare_without_prereleases(new, Version(old.major, old.minor + 2, 0)) >= 0:
        return invalid(path, value, f'version cannot be increased from "{old}" to "{new}"')
    annotations = mapping(cluster, "metadata", "annotations")
    if AFTER_CLUSTER_UPGRADE in annotations.get(PENDING_HOOKS, "").split(","):
        detail = f'version cannot be changed when the "{AFTER_CLUSTER_UPGRADE}" hook is still blocking'
        return invalid(path, value, detail)
    problems = [] if state is None else _running_upgrades(state, old)
    if not problems:
        return None
    why = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
    return invalid(path, value, f"version cannot be changed: {why}")


def _running_upgrades(state: CurrentState, old: Version) -> list[str]:
    """Return the error about objects that have not reached the old version yet."""
    checks: tuple[Callable[[], str], ...] = (
        lambda: _control_plane_problem(state.control_plane, old),
        lambda: _workers_problem(state.machine_deployments, old, "MachineDeployment", state.machines),
        lambda: _workers_problem(state.machine_pools, old, "MachinePool", []),
    )
    return [problem for check in checks if (problem := check())]


def status_version(control_plane: Object) -> str:
    """Return the version that a control plane runs: the lowest of status.versions, else status.version."""
    listed = entries(find(control_plane, ("status", "versions")))
    versions = [version for one in listed if (version := text(one.get("version")))]
    if not versions:
        return text(find(control_plane, ("status", "version")))
    lowest = versions[0]
    for version in versions[1:]:
        one, best = _parsed(version), _parsed(lowest)
        if one is not None and best is not None:
            lowest = version if blang.compare_with_build_tags(one, best) < 0 else lowest
        elif one is not None or (best is None and version < lowest):
            lowest = version
    return lowest


def _parsed(version: str) -> Version | None:
    try:
        return blang.parse_tolerant(version)
    except GoInputError:
        return None


def _control_plane_problem(control_plane: Object | None, old: Version) -> str:
    checking = "failed to check if control plane is upgrading: failed to"
    if control_plane is None:
        return f"{checking} get control plane object"
    given = find(control_plane, ("spec", "version"))
    if not isinstance(given, str):
        return f"{checking} get control plane version: path .spec.version: field not found"
    try:
        version = blang.parse_tolerant(given)
    except GoInputError as error:
        return f"{checking} parse control plane version {given}: {error}"
    if str(version) != str(old):
        return (
            f"Cluster.spec.topology.version {old} was not propagated to control plane yet"
            f" (control plane version {version})"
        )
    status = status_version(control_plane)
    if not status:
        return "control plane is currently provisioning"
    try:
        running = blang.parse_tolerant(status)
    except GoInputError as error:
        return (
            "failed to check if control plane is upgrading: failed to parse control plane status version:"
            f" {error}"
        )
    if blang.compare_with_build_tags(version, running) >= 1:
        return "control plane is still completing a previous upgrade"
    return ""


def _workers_problem(workers: list[Object], old: Version, what: str, machines: list[Object]) -> str:
    """Return the error about worker groups below the old version, or that still replace machines."""
    late = []
    for worker in workers:
        name = text(find(worker, ("metadata", "name")))
        given = text(find(worker, ("spec", "template", "spec", "version")))
        try:
            version = blang.parse_tolerant(given)
        except GoInputError as error:
            return f"failed to check if {what} {name} is upgrading: failed to parse version {given}: {error}"
        if str(version) != str(old) or any(
            find(machine, ("spec", "version")) != given for machine in _machines_of(worker, machines)
        ):
            late.append(name)
    if late:
        return f"there are still {what}s completing a previous upgrade: [{', '.join(late)}]"
    return ""


def _machines_of(worker: Object, machines: list[Object]) -> list[Object]:
    selector = mapping(worker, "spec", "selector", "matchLabels")
    return [
        machine for machine in machines if selector.items() <= mapping(machine, "metadata", "labels").items()
    ]
