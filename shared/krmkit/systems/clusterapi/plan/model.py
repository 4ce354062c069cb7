"""Model the plan of a change: each Cluster's objects and machines, now, later, and step by step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from krmkit.krm.finding import Finding
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.roles import Role

CREATE = "create"
CHANGE = "change"
REPLACE = "replace"
REMOVE = "remove"
SAME = "same"
REFUSED = "refused"
PAUSED = "paused"


@dataclass(slots=True)
class ObjectChange:
    """One object. action: create, change, remove, or replace (a template rotates; `old_name` goes)."""

    action: str
    role: Role
    kind: str
    name: str
    old_name: str = ""
    fields: list[str] = field(default_factory=list)
    before: Object | None = None
    after: Object | None = None


@dataclass(slots=True)
class Roll:
    """A replacement of machines of a control plane, MachineDeployment or MachinePool, with the reasons.

    sure: the core controllers replace them; otherwise the provider of the kind decides. only: the affected
    machines of the group, such as "created before 2026-01-01T00:00:00Z"; "" for all. times: how often they
    are replaced. replicas, max_surge, max_unavailable: the group's size and its rolling update's limits, None
    if unknown.
    """

    group: str
    reasons: list[str]
    sure: bool = True
    only: str = ""
    times: int = 1
    replicas: int | None = None
    max_surge: int | str | None = None
    max_unavailable: int | str | None = None


@dataclass(slots=True)
class Step:
    """One reconciliation with changes: the machines that it replaces, and the parts that wait for them."""

    version: str
    changes: list[ObjectChange] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ClusterPlan:
    """The change of one Cluster. action: same, create, change, remove, paused or refused (see `errors`).

    changes: the controller's changes at once. rolls: all machines replaced until the change is done. steps:
    the sequence of an upgrade; empty if one reconciliation is enough. then: the plan for the time after a
    paused Cluster is resumed or an immutable template is replaced; `changes` and `rolls` are empty until
    then.
    """

    namespace: str
    name: str
    action: str
    changes: list[ObjectChange] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    then: ClusterPlan | None = None

    def all_changes(self) -> list[ObjectChange]:
        """Return the changes of the plan, of its steps and of `then`, which is still blocked."""
        later = self.then.all_changes() if self.then is not None else []
        return [*self.changes, *(change for step in self.steps for change in step.changes), *later]


@dataclass(slots=True)
class TopologyPlan:
    """All Clusters by namespace and name, errors about classes and other items, and warnings."""

    clusters: list[ClusterPlan] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


def said(finding: Finding) -> str:
    """Return the text of a finding without its Cluster's name: `spec.x: must be y`."""
    return f"{finding.field}: {finding.message}" if finding.field else finding.message


def distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Drop findings that repeat an earlier one."""
    known: dict[str, Finding] = {}
    for finding in findings:
        known.setdefault(str(finding), finding)
    return list(known.values())


def warning(text: str) -> Finding:
    """Return a warning about the whole plan."""
    return Finding("plan-warning", text)
