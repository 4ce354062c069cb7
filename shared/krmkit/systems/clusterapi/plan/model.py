"""The plan of a change: what happens to each Cluster's objects and machines, now, later, and step by step."""

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
    """One object. action: create, change, replace (a template that rotates; `old_name` goes) or remove."""

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
    """Machines that are replaced: of the control plane, a MachineDeployment or a MachinePool, and why.

    sure: the core controllers replace them; otherwise the provider of the kind decides. only: the machines of
    the group that roll, such as "created before 2026-01-01T00:00:00Z"; "" for all. times: how often they
    roll. replicas, max_surge, max_unavailable: the group's size and its rolling update's limits, None if not
    known.
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
    """One reconciliation that changes something: the machines that roll in it, and what waits for them."""

    version: str
    changes: list[ObjectChange] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ClusterPlan:
    """The change of one Cluster. action: same, create, change, remove, paused or refused (`errors` say why).

    changes: what the controller does at once. rolls: all machines that roll until the change is done. steps:
    the sequence of an upgrade; empty if one reconciliation does it all. then: what happens once nothing is in
    the way, when a paused Cluster is resumed or a template that cannot be edited is replaced; `changes` and
    `rolls` are empty until then.
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
        """Return the changes of the plan, of its steps and of `then`, which are still blocked."""
        later = self.then.all_changes() if self.then is not None else []
        return [*self.changes, *(change for step in self.steps for change in step.changes), *later]


@dataclass(slots=True)
class TopologyPlan:
    """All Clusters by namespace and name, errors about classes and other items, and warnings."""

    clusters: list[ClusterPlan] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


def said(finding: Finding) -> str:
    """Return the text of a finding beside the name of its Cluster: `spec.x: must be y`."""
    return f"{finding.field}: {finding.message}" if finding.field else finding.message


def distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings without those that say the same once more."""
    known: dict[str, Finding] = {}
    for finding in findings:
        known.setdefault(str(finding), finding)
    return list(known.values())


def warning(text: str) -> Finding:
    """Return a warning about the whole plan."""
    return Finding("plan-warning", text)
