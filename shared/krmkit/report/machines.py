"""What a change of a package does to its Clusters, for a report: the plan of `krmkit topology plan`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from krmkit.clusterapi.plan.changes import make_plan
from krmkit.krm.resource import Resource
from krmkit.report.topology import as_data
from krmkit.report.topologysource import PlanError, read_both

HEAD = "HEAD"


def has_clusters(items: Iterable[Resource]) -> bool:
    """Whether a Cluster with a topology is among the items. Most packages hold none, and are not looked into."""
    return any(
        item.kind == "Cluster"
        and item.api_version.startswith("cluster.x-k8s.io/")
        and item.node("spec", "topology") is not None
        for item in items
    )


def topology_of(path: str, against: str, items: list[Resource]) -> dict[str, Any]:
    """The plan as data, with `against`, of a package at `path`; `items` are those of the package as rendered.

    Without a repository to compare with, `problem` says so, unless `against` was named: then PlanError is raised.
    """
    wanted = against or HEAD
    try:
        old, new, options = read_both(path, wanted, items)
        keys = sorted({item.key for item in (*old.clusters, *new.clusters)})
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return {"against": wanted, **as_data(make_plan(old, new, options, keys, now))}
    except PlanError as error:
        if against:
            raise
        return {"against": wanted, "clusters": [], "problem": str(error)}
