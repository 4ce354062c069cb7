"""Find the machines that changes replace, by the rules of the controllers that own the machines.

Sources: controlplane/kubeadm/internal/filters.go and core/controllers/machinedeployment/mdutil.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from krmkit.libraries.messages.listed import listed
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE, Role
from krmkit.systems.clusterapi.desired.rotation import Rotation
from krmkit.systems.clusterapi.plan.model import CREATE, REMOVE, ObjectChange, Roll

_KUBEADM = "KubeadmControlPlane"
_MOST_FIELDS = 10
_CONFIG = "spec.kubeadmConfigSpec."
_JOIN = _CONFIG + "joinConfiguration"
# Fields that KubeadmControlPlane's controller ignores when it compares a machine with its specification.
_IN_PLACE = tuple(
    _CONFIG + path
    for path in (
        "initConfiguration",
        "clusterConfiguration.dns",
        "clusterConfiguration.controlPlaneEndpoint",
        "clusterConfiguration.apiServer.timeoutForControlPlane",
        "joinConfiguration.discovery",
        "joinConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds",
    )
)
_AFTER = ("spec", "rollout", "after")
_REPLACING = ("version", "failureDomain")


class Clock:
    """The time, and the creation times of the groups' machines.

    now: RFC 3339, "" if unknown. created: group -> the creation times that decide about its age: of a control
    plane's machines, of a MachineDeployment's MachineSets; None if nothing is known.
    """

    def __init__(self, now: str = "", created: Callable[[str], list[str] | None] | None = None) -> None:
        self.now = now
        self._created = created

    def is_past(self, date: str) -> bool:
        """Return whether a date has come; True if no time is known."""
        return not self.now or _moment(date) <= _moment(self.now)

    def any_older(self, group: str, date: str) -> bool:
        """Return whether any member of a group may be older than a date."""
        created = self._created(group) if self._created is not None else None
        return created is None or any(_moment(one) < _moment(date) for one in created)


def _moment(text: str) -> tuple[int, str]:
    """Return the sort key of a time in RFC 3339; other texts come first."""
    from krmkit.libraries.kube.timestamps import unix_seconds

    seconds = unix_seconds(text)
    return (0, text) if seconds is None else (1, f"{seconds:020.6f}")


def rolls(
    changes: Iterable[ObjectChange], rotations: Mapping[Role, Rotation], clock: Clock | None = None
) -> tuple[list[Roll], list[str]]:
    """Return the machines that changes replace, in the objects' order, and the changes of a later date."""
    return _Rolls(clock or Clock()).of(list(changes), rotations)


class _Rolls:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._found: dict[str, Roll] = {}
        self._later: list[str] = []

    def of(
        self, changes: list[ObjectChange], rotations: Mapping[Role, Rotation]
    ) -> tuple[list[Roll], list[str]]:
        created = {change.role for change in changes if change.action == CREATE}
        for change in changes:
            group = change.role.owner
            if group == "" or change.action in (CREATE, REMOVE) or change.role.holder in created:
                continue
            if change.role in rotations:
                self._add(group, f"{change.kind} {listed(rotations[change.role].fields, _MOST_FIELDS)}")
            elif change.role == CONTROL_PLANE:
                self._control_plane(change)
            elif change.role.is_holder:
                self._worker(group, change)
            elif change.role.is_of_pool:
                inner = [path for path in change.fields if path.startswith("spec")]
                if inner:
                    self._add(group, f"{change.kind} {listed(inner, _MOST_FIELDS)}", sure=False)
        return list(self._found.values()), self._later

    def _add(self, group: str, reason: str, sure: bool = True, only: str = "") -> None:
        roll = self._found.get(group)
        if roll is None:
            roll = self._found[group] = Roll(group, [], sure, only)
        roll.sure = roll.sure or sure
        # One reason that concerns all machines outweighs one about some of them.
        roll.only = roll.only if only else ""
        if reason not in roll.reasons:
            roll.reasons.append(reason)

    def _control_plane(self, change: ObjectChange) -> None:
        """Add the replacements that a control plane's own changes cause.

        The rules of Kubeadm's controller are known; those of other providers are not.
        """
        group, kubeadm = change.role.owner, change.kind == _KUBEADM
        if _differ(change, ("spec", "version")):
            self._add(group, _from_to(change, ("spec", "version")), kubeadm)
        self._after(group, change)
        harmless = ("spec.version", "spec.replicas", "spec.rollout", "spec.machineTemplate")
        other = [path for path in change.fields if path.startswith("spec.") and not path.startswith(harmless)]
        if kubeadm:
            deep = [inner for path in other for inner in _within(change, path)]
            other = [path for path in deep if path.startswith(_CONFIG) and not path.startswith(_IN_PLACE)]
        if other:
            only = ""
            if kubeadm and all(path.startswith(_JOIN) for path in other):
                only = "that joined the first one"
            self._add(group, f"{change.kind} {listed(other, _MOST_FIELDS)}", kubeadm, only)

    def _worker(self, group: str, change: ObjectChange) -> None:
        for name in _REPLACING:
            path = ("spec", "template", "spec", name)
            if _differ(change, path):
                # The provider of a pool decides about a new version.
                self._add(group, _from_to(change, path), change.kind != "MachinePool")
        self._after(group, change)

    def _after(self, group: str, change: ObjectChange) -> None:
        """Add the machines that rollout.after replaces: those older than its date, once that has come."""
        date = find(change.after, _AFTER)
        if not date or date == find(change.before, _AFTER):
            return
        if not self._clock.is_past(str(date)):
            self._later.append(
                f"rollout.after of {group} is {date}: it rolls no machine until then, and then those created before"
            )
        elif self._clock.any_older(group, str(date)):
            self._add(group, f"rollout.after {date}", only=f"created before {date}")


def _within(change: ObjectChange, path: str) -> list[str]:
    """Return the changed paths inside an added or removed block: some may replace no machine."""
    if not any(one.startswith(f"{path}.") for one in _IN_PLACE):
        return [path]
    before, after = (mapping(one, *path.split(".")) for one in (change.before, change.after))
    return [
        inner
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
        for inner in _within(change, f"{path}.{name}")
    ]


def _differ(change: ObjectChange, path: tuple[str, ...]) -> bool:
    return bool(find(change.before, path) != find(change.after, path))


def _from_to(change: ObjectChange, path: tuple[str, ...]) -> str:
    return f"{path[-1]} {find(change.before, path)} -> {find(change.after, path)}"
