"""Plan upgrades: the versions of control plane and workers. Source: desiredstate/upgrade_plan.go."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.json import Object
from krmkit.libraries.versions import Version
from krmkit.libraries.versions.blang import UNORDERED, compare_with_build_tags, parse_tolerant
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.model.extensions import (
    GENERATE_UPGRADE_PLAN,
    HOOKS_VERSION,
    Extensions,
    checked,
)

Plans = tuple[list[str], list[str]]
PlanSource = Callable[[str, str, str], Plans]
"""(desired version, control plane's, lowest of workers or "") -> plans of control plane and workers."""

# Kubernetes allows kubelets three minor versions behind the API server.
_SKEW = 3


def parse_version(text: str, what: str) -> Version:
    """Parse a version tolerantly, such as `v1.33`. Raises TopologyError, which calls it `what`."""
    try:
        return parse_tolerant(text)
    except GoInputError as error:
        raise TopologyError(f"failed to parse {what} {text}: {error}") from None


def one_minor(desired: str, control_plane: str, workers: str = "") -> Plans:
    """Return the upgrade plan for a class without versions: at most one minor version up.

    Raises TopologyError.
    """
    wanted = parse_version(desired, "desired version")
    current = parse_version(control_plane, "current ControlPlane version")
    if str(wanted) == str(current):
        return [], []
    if wanted.minor > current.minor + 1:
        raise TopologyError(f"cannot compute an upgrade plan from {control_plane} to {desired}")
    return [desired], []


def from_class_versions(versions: Iterable[str]) -> PlanSource:
    """Return the plan for kubernetesVersions: the last version of each minor from current to desired."""
    known = list(versions)

    def plan(desired: str, control_plane: str, workers: str = "") -> Plans:
        wanted = parse_version(desired, "desired version")
        current = parse_version(control_plane, "current ControlPlane version")
        if str(wanted) == str(current):
            return [], []
        started = ended = False
        between: list[tuple[str, Version]] = []
        for text in known:
            version = parse_version(text, "version")
            if (started and not ended) or (not started and version.minor > current.minor):
                between.append((text, version))
            started = started or str(version) == str(current) or compare_with_build_tags(current, version) < 0
            ended = ended or str(version) == str(wanted) or compare_with_build_tags(wanted, version) < 0
        steps: list[str] = []
        minor = current.minor
        for text, version in between:
            if version.minor > minor:
                steps.append(text)
            elif version.minor == minor and steps:
                steps[-1] = text
            elif version.minor == minor == wanted.minor:
                steps.append(text)
            minor = version.minor
        return steps, []

    return plan


def from_extension(extensions: Extensions, handler: str, cluster: Object) -> PlanSource:
    """Return a plan that an extension generates. Calling it raises TopologyError if no extension answers."""

    def plan(desired: str, control_plane: str, workers: str = "") -> Plans:
        request: Object = {
            "apiVersion": HOOKS_VERSION,
            "kind": "GenerateUpgradePlanRequest",
            "cluster": cluster,
            "fromControlPlaneKubernetesVersion": control_plane,
            "toKubernetesVersion": desired,
        }
        if workers:
            request["fromWorkersKubernetesVersion"] = workers
        response = checked(handler, extensions.call(GENERATE_UPGRADE_PLAN, handler, request))
        first, second = (
            [str(step.get("version", "")) for step in response.get(name) or []]
            for name in ("controlPlaneUpgrades", "workersUpgrades")
        )
        return first, second

    return plan


def default_and_validate(
    desired: str, control_plane: str, workers: str, control_plane_plan: list[str], workers_plan: list[str]
) -> list[str]:
    """Return the plan of the workers, by default with as few steps as the version skew allows.

    Raises TopologyError.
    """
    wanted = parse_version(desired, "Cluster version")
    current = parse_version(control_plane, "ControlPlane version")
    minors = {current.minor: control_plane}
    order = {control_plane: -1}
    if compare_with_build_tags(current, wanted) != 0:
        _check_control_plane(desired, wanted, current, control_plane_plan, minors, order)
    elif control_plane_plan:
        raise TopologyError(
            "invalid ControlPlane upgrade plan: control plane is already at the desired version"
        )
    lowest = parse_version(workers, "min workers version") if workers else None
    if lowest is None or compare_with_build_tags(lowest, wanted) == 0:
        if workers_plan:
            raise TopologyError(
                "invalid worker upgrade plan; there are no workers or workers already at the desired version"
            )
        return workers_plan
    if control_plane_plan:
        unknown = [step for step in workers_plan if step not in (*control_plane_plan, control_plane)]
        if unknown:
            raise TopologyError(
                f"invalid workers upgrade plan: versions {','.join(unknown)} doesn't match any versions in the control"
                " plane upgrade plan nor the control plane version"
            )
    if not workers_plan:
        for step in range(_SKEW, wanted.minor - lowest.minor, _SKEW):
            if lowest.minor + step not in minors:
                raise TopologyError(
                    f"invalid upgrade plan; unable to identify version for minor {lowest.minor + step}"
                )
            workers_plan = [*workers_plan, minors[lowest.minor + step]]
        if not workers_plan or workers_plan[-1] != desired:
            workers_plan = [*workers_plan, desired]
    _check_workers(desired, wanted, lowest, workers_plan, order)
    return workers_plan


def _check_control_plane(
    desired: str,
    wanted: Version,
    current: Version,
    plan: list[str],
    minors: dict[int, str],
    order: dict[str, int],
) -> None:
    begin = "invalid ControlPlane upgrade plan"
    for index, text in enumerate(plan):
        order[text] = index
        target = parse_version(text, f"{begin}: item {index}; version")
        if compare_with_build_tags(target, current) <= 0:
            raise TopologyError(f"{begin}: item {index}; version {text} must be greater than v{current!s}")
        if target.minor not in (current.minor, current.minor + 1):
            raise TopologyError(
                f"{begin}: item {index}; expecting a version with minor {current.minor} or {current.minor + 1},"
                f" found version {text}"
            )
        minors[target.minor] = text
        current = target
    if compare_with_build_tags(current, wanted) != 0:
        raise TopologyError(
            f"{begin}: control plane upgrade plan must end with version {desired}, ends with v{current!s} instead"
        )


def _check_workers(
    desired: str, wanted: Version, current: Version, plan: list[str], order: dict[str, int]
) -> None:
    begin = "invalid workers upgrade plan"
    for index, text in enumerate(plan):
        target = parse_version(text, f"{begin}, item {index}; version")
        difference = compare_with_build_tags(target, current)
        if difference <= 0:
            raise TopologyError(f"{begin}, item {index}; version {text} must be greater than v{current!s}")
        if difference == UNORDERED and order.get(text, 0) < order.get(f"v{current!s}", -1):
            raise TopologyError(f"{begin}, item {index}; version {text} must be before v{current!s}")
        if target.minor - current.minor > _SKEW:
            raise TopologyError(
                f"{begin}, item {index}; workers cannot go from minor {current.minor} (v{current!s}) to minor"
                f" {target.minor} ({text}), an intermediate step is required to comply with Kubernetes version skew rules"
            )
        current = target
    if compare_with_build_tags(current, wanted) != 0:
        raise TopologyError(
            f"{begin}; workers upgrade plan must end with version {desired}, ends with v{current!s} instead"
        )


def lowest_version(versions: Iterable[str], control_plane: str) -> str:
    """Return the workers' lowest version, or "".

    If several differ in build metadata only, prefer one that differs from the control plane's.
    """
    top = parse_version(control_plane, "ControlPlane version")
    lowest: Version | None = None
    for text in versions:
        if text:
            version = parse_version(text, "version of workers")
            if lowest is None or _is_lower(version, lowest, top):
                lowest = version
    return f"v{lowest!s}" if lowest is not None else ""


def _is_lower(version: Version, lowest: Version, control_plane: Version) -> bool:
    difference = compare_with_build_tags(version, lowest)
    return difference < 0 or (difference == UNORDERED and str(version) != str(control_plane))
