"""The feature gates of the webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class FeatureGates:
    """Cluster API's feature gates, with the defaults of a management cluster that uses ClusterClasses."""

    machine_taint_propagation: bool = False
    runtime_sdk: bool = False
    cluster_topology: bool = True

    @classmethod
    def of(cls, config: Mapping[str, bool]) -> FeatureGates:
        """Return the gates of a config: FeatureGates.of({"RuntimeSDK": True})."""
        return cls(config.get("MachineTaintPropagation", False), config.get("RuntimeSDK", False))
