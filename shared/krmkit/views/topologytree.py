"""The plans of many packages as one: the machines that roll at all sites, in order and number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from krmkit.analysis.plans.plandata import as_data, roll_data
from krmkit.analysis.plans.planjob import PackagePlan
from krmkit.analysis.plans.results import group_text
from krmkit.render.findings.model import PackageReport, Report
from krmkit.systems.clusterapi.plan.model import REFUSED, SAME, ClusterPlan, Roll, Step
from krmkit.views.outcome import Told
from krmkit.views.terminal import RED, YELLOW, Table, Terminal
from krmkit.views.topology import cells, grid, refusal_cells, summary


@dataclass(slots=True)
class Turn:
    """Machines that roll in one step. Clusters do not wait for each other, so equal steps go together."""

    step: int
    path: str
    cluster: ClusterPlan
    roll: Roll


def turns(packages: list[PackagePlan]) -> list[Turn]:
    """Return the machines that roll, by step, then by package and Cluster."""
    order = []
    for package in packages:
        for one in package.plan.clusters:
            steps = one.steps or [Step("", rolls=one.rolls)]
            rolling = [step for step in steps if step.rolls]
            for number, step in enumerate(rolling, 1):
                order += [Turn(number, package.path, one, roll) for roll in step.rolls]
    return sorted(order, key=lambda turn: turn.step)


def at_a_time(roll: Roll) -> str:
    """Return the limits of a rolling update: `1 more, 25% fewer`; "provider decides" if nothing is known."""
    limits = ((roll.max_surge, "more"), (roll.max_unavailable, "fewer"))
    parts = [f"{limit} {word}" for limit, word in limits if limit not in (None, 0, "0%")]
    return ", ".join(parts) or ("provider decides" if roll.max_surge is None else "0")


def told(packages: list[PackagePlan], form: str, terminal: Terminal) -> Told:
    """Return the plans in one of FORMATS, or as markdown."""
    report = Report(
        "topology plan", [PackageReport(one.path, results=one.results) for one in packages], written=False
    )
    clusters = [one for package in packages for one in package.plan.clusters]
    order = turns(packages)
    data: dict[str, Any] = {
        "packages": [_data(one) for one in packages],
        "order": [_turn(one) for one in order],
    }
    if form == "markdown":
        return Told(report, "TopologyPlans", data, _markdown(packages, clusters, order))
    return Told(
        report, "TopologyPlans", data, _table(packages, order, terminal) + _closing(packages, clusters, order)
    )


def _data(package: PackagePlan) -> dict[str, Any]:
    problem = {"problem": package.problem} if package.problem else {}
    return {"path": package.path, **as_data(package.plan), **problem}


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "step": turn.step,
        "path": turn.path,
        "namespace": turn.cluster.namespace,
        "name": turn.cluster.name,
        **roll_data(turn.roll),
    }


def _changing(packages: list[PackagePlan]) -> Iterator[tuple[PackagePlan, ClusterPlan]]:
    for package in packages:
        for one in package.plan.clusters:
            if one.action != SAME:
                yield package, one


def _refusals(packages: list[PackagePlan]) -> list[list[str]]:
    return [[one.path, *refusal_cells(error)] for one in packages for error in one.plan.errors]


def _table(packages: list[PackagePlan], order: list[Turn], terminal: Terminal) -> str:
    table = Table(["PACKAGE", "CLUSTER", "ACTION", "OBJECTS", "MACHINES THAT ROLL", "WHY"])
    shown = False
    for package in packages:
        if package.problem:
            table.add([package.path, "-", "unreadable", "-", "-", package.problem], RED)
            shown = True
    for package, one in _changing(packages):
        table.add([package.path, *cells(one)], RED if one.action == REFUSED else YELLOW)
        shown = True
    for row in _refusals(packages):
        table.add(row, RED)
        shown = True
    text = table.text(terminal) if shown else ""
    if order:
        when = Table(["STEP", "PACKAGE", "CLUSTER", "MACHINES", "HOW MANY", "AT A TIME"])
        for turn in order:
            when.add(_row(turn), YELLOW)
        text += when.text(terminal)
    return text


def _row(turn: Turn) -> list[str]:
    label = f"{turn.cluster.namespace}/{turn.cluster.name}"
    many = "-" if turn.roll.replicas is None else str(turn.roll.replicas)
    return [str(turn.step), turn.path, label, group_text(turn.roll), many, at_a_time(turn.roll)]


def _closing(packages: list[PackagePlan], clusters: list[ClusterPlan], order: list[Turn]) -> str:
    machines = sum(turn.roll.replicas or 0 for turn in order)
    text = f"{len(packages)} package{'s' * (len(packages) != 1)}, {summary(clusters)}"
    return f"{text}; {machines} machines roll\n" if order else text + "\n"


def _markdown(packages: list[PackagePlan], clusters: list[ClusterPlan], order: list[Turn]) -> str:
    lines = [f"**Topology plan**: {_closing(packages, clusters, order).strip()}", ""]
    rows = [[package.path, *cells(one)] for package, one in _changing(packages)]
    rows += _refusals(packages)
    rows += [[one.path, "-", "unreadable", "-", "-", one.problem] for one in packages if one.problem]
    lines += grid(["Package", "Cluster", "Action", "Objects", "Machines that roll", "Why"], rows)
    lines += grid(
        ["Step", "Package", "Cluster", "Machines", "How many", "At a time"], [_row(one) for one in order]
    )
    return "\n".join(lines).rstrip("\n") + "\n"
