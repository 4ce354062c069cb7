"""The outcome of a sync for one variant."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.libraries.json.paths import dotted


@dataclass(slots=True)
class SyncOutcome:
    """The result of a sync for one variant: `actions` in words, in their order; `error`: why it failed.

    `stuck`: a draft was left alone because of its conflicts. `waiting`: a draft is not approved because of
    earlier conflicts. `held`: a draft is not published because a person's change in main would be lost.
    `leftovers`: unneeded refs, which --prune removes; `leftover`: the reason. `drift`: differences from the
    state by hand. `collisions`: objects that another package makes as well. `targets`: the refs of its
    package revisions, Porch's status.downstreamTargets. `rendered`: the last render's condition in its draft
    or newest version, if nothing is written.
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
    rendered: str = ""
    stuck: bool = False
    waiting: bool = False
    held: bool = False
    error: str = ""


def said(conflict: ResourceConflict) -> str:
    """Return `app.yaml:9:3 data.size: changed upstream to ...`; a whole resource has its name, no path."""
    name = "" if conflict.resource in conflict.message else conflict.resource
    return f"{conflict.place} {dotted(conflict.path) or name}".rstrip() + f": {conflict.message}"
