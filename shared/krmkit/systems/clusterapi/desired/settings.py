"""The options for computing the desired state of a Cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from krmkit.systems.clusterapi.model.causes import ClusterCauses
from krmkit.systems.clusterapi.model.extensions import Extensions, NoExtensions

WHEN_UID = "whenUid"
ALWAYS = "always"


@dataclass(slots=True)
class DesiredStateSettings:
    """Options of a desired state.

    owner_references: `whenUid` (only to Clusters with a uid), `always` (with an empty uid if it has none),
    `never`. names: pinned names by role. upgrading: MachineDeployments whose Machines have another version.
    causes: records what set the fields of the objects.
    """

    owner_references: str = WHEN_UID
    names: dict[str, str] = field(default_factory=dict)
    extensions: Extensions = field(default_factory=NoExtensions)
    upgrading: Sequence[str] = ()
    causes: ClusterCauses | None = None
