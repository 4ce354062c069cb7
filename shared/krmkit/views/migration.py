"""What a migration of a package did, for people."""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.analysis.plans.migration import PackageMigration
from krmkit.render.diff import diff
from krmkit.systems.clusterapi.plan.model import ClusterPlan
from krmkit.views.terminal import Terminal
from krmkit.views.topology import cells, summary


def told(found: PackageMigration, changed: Sequence[ClusterPlan], with_diff: bool, terminal: Terminal) -> str:
    """Return the diff, the findings with places, the Clusters that change, and a closing line."""
    text = diff(found.edits, terminal.colour) if with_diff else ""
    text += "".join(f"{one.severity}: {place}: {one.message}\n" for one, place in found.findings)
    text += "".join(" ".join(cells(one)) + "\n" for one in changed)
    files = len(found.edits)
    return f"{text}{files} file{'s' * (files != 1)} to change; {summary(found.plan.clusters)}\n"
