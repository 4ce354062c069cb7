"""A plan as a table, a diff of objects, JSON or markdown, each without secrets."""

from __future__ import annotations

from krmkit.analysis.plans.plandata import as_data
from krmkit.analysis.plans.results import changed, groups, signs, why
from krmkit.krm.finding import Finding
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
    TopologyPlan,
    said,
)
from krmkit.views.outcome import Told
from krmkit.views.terminal import GREEN, RED, YELLOW, Table, Terminal

MARKDOWN = "markdown"
PAGES = ("diff", MARKDOWN)  # formats of a plan, beside those of all commands
_COLOURS = {SAME: GREEN, REFUSED: RED}


def told(
    plan: TopologyPlan, report: PackageReport, form: str, terminal: Terminal, steps: bool = False
) -> Told:
    """Return the plan in one of FORMATS.

    steps: the table shows the sequence of each upgrade.
    """
    whole = Report("topology plan", [report], written=False)
    return Told(whole, "TopologyPlan", as_data(plan), _for_people(plan, form, terminal, steps))


def _for_people(plan: TopologyPlan, form: str, terminal: Terminal, steps: bool) -> str:
    if form == "diff":
        return "".join(_diff(one, terminal.colour) for one in plan.clusters)
    if form == "markdown":
        return _markdown(plan)
    table = Table(["CLUSTER", "ACTION", "OBJECTS", "MACHINES THAT ROLL", "WHY"])
    for one in plan.clusters:
        table.add(cells(one), _COLOURS.get(one.action, YELLOW))
    for error in plan.errors:
        table.add(refusal_cells(error), RED)
    shown = "".join(_steps_table(one, terminal) for one in plan.clusters) if steps else ""
    if steps and not shown:
        shown = "No Cluster needs several steps: one reconciliation does what changes.\n"
    return table.text(terminal) + shown + summary(plan.clusters) + "\n"


def _steps_table(one: ClusterPlan, terminal: Terminal) -> str:
    """Return the sequence of an upgrade: one line for each roll of machines that the next step waits for."""
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
    """Return a Cluster's line of a table: name, action, objects, machines that roll, and why."""
    return [_label(one), one.action, signs(one.changes) or "-", groups(one.rolls) or "-", why(one)]


def refusal_cells(error: Finding) -> list[str]:
    """Return the line of a table for a class or template that is refused."""
    reference = error.resource_ref or {}
    name = f"{reference.get('namespace', '')}/{reference.get('name', '')}".strip("/")
    return [f"{reference.get('kind', '')} {name}".strip() or "-", REFUSED, "-", "-", said(error)]


def summary(clusters: list[ClusterPlan]) -> str:
    """Return a line of counts: `2 Clusters: 1 with changes, 1 with rolling machines`."""
    count = len(clusters)
    changing = sum(one.action in (CREATE, CHANGE, REMOVE) for one in clusters)
    paused = sum(one.action == PAUSED for one in clusters)
    rolling = sum(bool(one.rolls) for one in clusters)
    refused = sum(one.action == REFUSED for one in clusters)
    text = f"{count} Cluster{'s' * (count != 1)}: {changing} with changes"
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


def _markdown(plan: TopologyPlan) -> str:
    lines = [f"**Topology plan**: {summary(plan.clusters)}", ""]
    rows = [cells(one) for one in plan.clusters if one.action != SAME]
    lines += grid(["Cluster", "Action", "Objects", "Machines that roll", "Why"], rows)
    same = len(plan.clusters) - len(rows)
    lines += [f"{same} Cluster{'s' * (same != 1)} without changes."] if same else []
    lines += [line for error in plan.errors for line in ("", f"Error: {_cell(str(error))}")]
    return "\n".join(lines).rstrip("\n") + "\n"


def grid(heading: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table in markdown, and an empty one; none without rows."""
    if not rows:
        return []
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in (heading, *rows)]
    return [lines[0], "|" + "---|" * len(heading), *lines[1:], ""]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split()) or "-"
