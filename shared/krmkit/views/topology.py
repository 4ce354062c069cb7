"""Show plans as tables, diffs of objects, JSON or markdown, without secrets.

One package has a row for each Cluster. The plans of a tree are shown as one: changes, the replaced machines
at all sites, their order, and the limits of each rolling update.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.analysis.plans.plandata import as_data, roll_data
from krmkit.analysis.plans.planjob import PackagePlan
from krmkit.analysis.plans.results import changed, group_text, groups, signs, why
from krmkit.krm.finding import ERROR, Finding
from krmkit.render.diff import diff
from krmkit.render.findings.model import PackageReport, Report
from krmkit.storage.disk.write import FileEdit
from krmkit.systems.clusterapi.desired.generated import text_of
from krmkit.systems.clusterapi.plan.model import (
    CHANGE,
    CREATE,
    PAUSED,
    REFUSED,
    REMOVE,
    SAME,
    ClusterPlan,
    Roll,
    Step,
    said,
)
from krmkit.views.formats import counted
from krmkit.views.markdown import escaped, limited
from krmkit.views.outcome import Told
from krmkit.views.terminal import GREEN, RED, YELLOW, Table, Terminal, one_line

MARKDOWN = "markdown"
PAGES = ("diff", MARKDOWN)  # formats of a plan, beside those of all commands
_COLOURS = {SAME: GREEN, REFUSED: RED}
_COLUMNS = ("Cluster", "Action", "Objects", "Machines that roll", "Why")
_ORDER = ("Step", "Package", "Cluster", "Machines", "How many", "At a time")


def told(
    packages: list[PackagePlan], form: str, terminal: Terminal, tree: bool = True, steps: bool = False
) -> Told:
    """Return the plans in one of FORMATS or PAGES.

    tree: the plans are of a tree of packages. steps: the table shows the sequence of each upgrade.
    """
    reports = [PackageReport(one.path, results=one.results) for one in packages]
    report = Report("topology plan", reports, written=False)
    order = turns(packages) if tree else []
    clusters = [one for package in packages for one in package.plan.clusters]
    warnings = [
        f"{package.path}: {one}" if tree else str(one)
        for package in packages
        for one in (package.plan.warnings if terminal.least != ERROR else ())
    ]
    closing = summary(clusters)
    if tree:
        closing = f"{counted(len(packages), 'package')}, {closing}"
        machines = sum(turn.roll.replicas or 0 for turn in order)
        closing += f"; {machines} machines roll" if order else ""
    if form == "diff":
        text = "".join(_diff(one, terminal.colour) for one in clusters)
    elif form == MARKDOWN:
        text = _markdown(packages, closing, order, tree, warnings)
    else:
        text = _tables(packages, order, terminal, tree)
        text += "".join(f"warning: {one_line(one)}\n" for one in warnings)
        shown = "".join(_steps_table(one, terminal) for one in clusters) if steps else ""
        if steps and not shown:
            shown = "No Cluster needs several steps: one reconciliation does what changes.\n"
        text += f"{shown}{closing}\n"
    if not tree:
        return Told(report, "TopologyPlan", as_data(packages[0].plan), text)
    data = [_data(one) for one in packages]
    return Told(report, "TopologyPlans", {"packages": data, "order": [_turn(one) for one in order]}, text)


def _rows(packages: list[PackagePlan], tree: bool, same: bool) -> list[tuple[str, list[str]]]:
    """Return rows with their colours. tree: with the package. same: also Clusters without changes."""
    rows = []
    for package in packages:
        first = [package.path] if tree else []
        if package.problem:
            rows.append((RED, [*first, "-", "unreadable", "-", "-", package.problem]))
        for one in package.plan.clusters:
            if same or one.action != SAME:
                rows.append((_COLOURS.get(one.action, YELLOW), [*first, *cells(one)]))
        rows += [(RED, [*first, *refusal_cells(error)]) for error in package.plan.errors]
    return rows


def _tables(packages: list[PackagePlan], order: list[Turn], terminal: Terminal, tree: bool) -> str:
    columns = ("Package", *_COLUMNS) if tree else _COLUMNS
    rows = _rows(packages, tree, same=not tree)
    text = ""
    for heading, lines in ((columns, rows), (_ORDER, [(YELLOW, _row(turn)) for turn in order])):
        table = Table([name.upper() for name in heading])
        for colour, row in lines:
            table.add(row, colour)
        text += table.text(terminal) if lines else ""
    return text


def _steps_table(one: ClusterPlan, terminal: Terminal) -> str:
    """Return the sequence of an upgrade: one line for each replacement that the next step waits for."""
    plan = one.then or one
    if not plan.steps:
        return ""
    table = Table([f"STEPS OF {_label(one)}", "CONTROL PLANE", "OBJECTS", "MACHINES THAT ROLL", "WHY"])
    for number, step in enumerate(plan.steps, 1):
        reasons = list(dict.fromkeys(reason for roll in step.rolls for reason in roll.reasons))
        line = [str(number), step.version, signs(step.changes) or "-", groups(step.rolls) or "-"]
        table.add([*line, "; ".join(reasons) or "; ".join(changed(step.changes))], YELLOW)
    return table.text(terminal)


def cells(one: ClusterPlan) -> list[str]:
    """Return a Cluster's line of a table: name, action, objects, replaced machines, and the reason."""
    return [_label(one), one.action, signs(one.changes) or "-", groups(one.rolls) or "-", why(one)]


def refusal_cells(error: Finding) -> list[str]:
    """Return the line of a table for a refused class or template."""
    reference = error.resource_ref or {}
    name = f"{reference.get('namespace', '')}/{reference.get('name', '')}".strip("/")
    return [f"{reference.get('kind', '')} {name}".strip() or "-", REFUSED, "-", "-", said(error)]


def summary(clusters: list[ClusterPlan]) -> str:
    """Return how many Clusters change, roll and are refused: `2 Clusters: 1 with changes, 1 refused`."""
    count = len(clusters)
    changing = sum(one.action in (CREATE, CHANGE, REMOVE) for one in clusters)
    paused = sum(one.action == PAUSED for one in clusters)
    rolling = sum(bool(one.rolls) for one in clusters)
    refused = sum(one.action == REFUSED for one in clusters)
    text = f"{counted(count, 'Cluster')}: {changing} with changes"
    text += f", {rolling} with rolling machines"
    text += f", {paused} paused" if paused else ""
    return text + (f", {refused} refused" if refused else "")


def _label(one: ClusterPlan) -> str:
    return f"{one.namespace}/{one.name}"


def _diff(one: ClusterPlan, colour: bool) -> str:
    parts = [f"# {_label(one)}: {said(error)}\n" for error in one.errors]
    for change in (one.then or one).changes:
        item = change.after or change.before
        assert item is not None
        name = change.name if change.after is not None else change.old_name or change.name
        path = f"topology/{one.namespace}/{one.name}/{change.kind.lower()}-{name}.yaml"
        before = text_of(change.before, {}) if change.before is not None else None
        after = text_of(change.after, {}) if change.after is not None else None
        parts.append(diff([FileEdit(path, before, after)], colour))
    return "".join(parts)


@dataclass(slots=True)
class Turn:
    """Machines that are replaced in one step of a Cluster; equal steps of Clusters happen together."""

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
    """Return the limits of a rolling update: `1 more, 25% fewer`; "provider decides" if none is known."""
    limits = ((roll.max_surge, "more"), (roll.max_unavailable, "fewer"))
    parts = [f"{limit} {word}" for limit, word in limits if limit not in (None, 0, "0%")]
    return ", ".join(parts) or ("provider decides" if roll.max_surge is None else "0")


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


def _row(turn: Turn) -> list[str]:
    label = f"{turn.cluster.namespace}/{turn.cluster.name}"
    many = "-" if turn.roll.replicas is None else str(turn.roll.replicas)
    return [str(turn.step), turn.path, label, group_text(turn.roll), many, at_a_time(turn.roll)]


def _markdown(
    packages: list[PackagePlan], closing: str, order: list[Turn], tree: bool, warnings: list[str]
) -> str:
    columns = ["Package", *_COLUMNS] if tree else [*_COLUMNS]
    lines = [f"**Topology plan**: {closing}", ""]
    lines += grid(columns, [row for _, row in _rows(packages, tree, same=False)])
    same = 0 if tree else sum(one.action == SAME for one in packages[0].plan.clusters)
    lines += [f"{counted(same, 'Cluster')} without changes."] if same else []
    lines += grid([*_ORDER], [_row(turn) for turn in order])
    lines += [f"- :warning: {escaped(one)}" for one in warnings]
    return limited([f"{line}\n" for line in "\n".join(lines).rstrip("\n").split("\n")])


def grid(heading: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a markdown table, and an empty one; none without rows."""
    if not rows:
        return []
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in (heading, *rows)]
    return [lines[0], "|" + "---|" * len(heading), *lines[1:], ""]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split()) or "-"
