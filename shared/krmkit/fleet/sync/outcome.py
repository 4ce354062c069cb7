"""What a sync did for one variant."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class SyncOutcome:
    """What a sync did for one variant: `actions` in words, in their order; `error` says why it could not.

    `stuck` says that a draft was left alone because of its conflicts, `waiting` that one is not approved because of conflicts that it had,
    `held` that one is not published because main has a person's change that would be lost.
    `leftovers` are refs that nothing wants any more, which --prune removes; `leftover` says why. `drift` is
    what differs from the state by hand. `collisions` are objects that another package makes as well. `targets` are the refs of its package
    revisions, Porch's status.downstreamTargets.
    """

    name: str
    package: str
    actions: list[str] = field(default_factory=list)
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    upstream: str = ""
    newest: str = ""
    draft: str = ""
    targets: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    leftovers: list[str] = field(default_factory=list)
    leftover: str = ""
    drift: list[str] = field(default_factory=list)
    collisions: list[str] = field(default_factory=list)
    stuck: bool = False
    waiting: bool = False
    held: bool = False
    error: str = ""
