"""Show the migration of a package."""

from __future__ import annotations

import json
from collections.abc import Sequence

from krmkit.analysis.plans.migration import PackageMigration
from krmkit.analysis.plans.plandata import as_data
from krmkit.render.diff import diff
from krmkit.systems.clusterapi.plan.model import ClusterPlan
from krmkit.views.terminal import Terminal
from krmkit.views.topology import cells, summary

FORMATS = ("text", "json")


def told_json(found: PackageMigration) -> str:
    """Return the files that change, the findings with their places, and the plan, as JSON."""
    findings = [
        {"severity": one.severity, "rule": one.rule, "place": place, "message": one.message}
        for one, place in found.findings
    ]
    data = {"files": [one.path for one in found.edits], "findings": findings, "plan": as_data(found.plan)}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def told(found: PackageMigration, changed: Sequence[ClusterPlan], with_diff: bool, terminal: Terminal) -> str:
    """Return the diff, the findings with places, the Clusters that change, and a closing line."""
    text = diff(found.edits, terminal.colour, found.secrets) if with_diff else ""
    text += "".join(f"{one.severity}: {place}: {one.message}\n" for one, place in found.findings)
    text += "".join(" ".join(cells(one)) + "\n" for one in changed)
    files = len(found.edits)
    return f"{text}{files} file{'s' * (files != 1)} to change; {summary(found.plan.clusters)}\n"
