"""A plan as a table, as a diff of objects, as JSON, and as markdown for a pull request."""

from __future__ import annotations

from krmkit.cli.report.model import PackageReport, Report, Result
from krmkit.cli.report.told import Told
from krmkit.cli.terminal import GREEN, RED, YELLOW, Table
from krmkit.clusterapi.changeplan import CHANGE, CREATE, REFUSED, REMOVE, REPLACE, SAME
from krmkit.clusterapi.generateditems import text_of
from krmkit.disk.write import FileEdit
from krmkit.render.diff import diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krmkit.cli.terminal import Terminal
    from krmkit.clusterapi.changeplan import ClusterPlan, ObjectChange, TopologyPlan

PAGES = ("diff", "markdown")  # forms of a plan beside the formats of all commands
_COLOURS = {SAME: GREEN, REFUSED: RED}


def told(plan: TopologyPlan, package: str, form: str, terminal: Terminal) -> Told:
    """The plan in one of FORMATS: what is refused is an error, machines that roll are a warning, other changes are infos."""
    report = Report("topology plan", [PackageReport(package)], written=False)
    report.packages[0].results = [
        *(Result("error", "refused", text) for text in plan.errors),
        *(Result("warning", "plan-warning", text) for text in plan.warnings),
        *(result for one in plan.clusters for result in _results(one)),
    ]
    return Told(report, "TopologyPlan", as_data(plan), _for_people(plan, form, terminal))


def _results(one: ClusterPlan) -> Iterator[Result]:
    cluster = {"kind": "Cluster", "namespace": one.namespace, "name": one.name}
    for text in one.errors:
        yield Result("error", REFUSED, text, resource=cluster)
    for roll in one.rolls:
        sure = "" if roll.sure else ", unless the provider changes them in place"
        message = f"the machines of {roll.group} roll{sure}: {'; '.join(roll.reasons)}"
        yield Result("warning", "machines-roll", message, resource=cluster)
    if one.action not in (SAME, REFUSED) and not one.rolls:
        yield Result("info", one.action, f"{_counts(one) or 'no object'}: {_why(one)}", resource=cluster)


def _for_people(plan: TopologyPlan, form: str, terminal: Terminal) -> str:
    if form == "diff":
        return "".join(_diff(one, terminal.colour) for one in plan.clusters)
    if form == "markdown":
        return _markdown(plan)
    table = Table(["CLUSTER", "ACTION", "OBJECTS", "MACHINES THAT ROLL", "WHY"])
    for one in plan.clusters:
        table.add(
            [_label(one), one.action, _counts(one) or "-", _rolling(one) or "-", _why(one)],
            _COLOURS.get(one.action, YELLOW),
        )
    return table.text(terminal) + summary(plan) + "\n"


def summary(plan: TopologyPlan) -> str:
    """One line: how many Clusters change, roll and are refused. `2 Clusters: 1 changes, 1 rolls machines`."""
    count = len(plan.clusters)
    changing = sum(one.action in (CREATE, CHANGE, REMOVE) for one in plan.clusters)
    rolling = sum(bool(one.rolls) for one in plan.clusters)
    refused = sum(one.action == REFUSED for one in plan.clusters)
    text = f"{count} Cluster{'s' * (count != 1)}: {changing} change{'s' * (changing == 1)}"
    text += f", {rolling} roll{'s' * (rolling == 1)} machines"
    return text + (f", {refused} refused" if refused else "")


def _label(one: ClusterPlan) -> str:
    return f"{one.namespace}/{one.name}"


def _counts(one: ClusterPlan) -> str:
    """`+2 ~1 -3`: objects created, changed and removed; a template that is replaced counts as changed."""
    counts = {
        "+": sum(change.action == CREATE for change in one.changes),
        "~": sum(change.action in (CHANGE, REPLACE) for change in one.changes),
        "-": sum(change.action == REMOVE for change in one.changes),
    }
    return " ".join(f"{sign}{count}" for sign, count in counts.items() if count)


def _rolling(one: ClusterPlan) -> str:
    return ", ".join(roll.group + ("" if roll.sure else " (provider decides)") for roll in one.rolls)


def _why(one: ClusterPlan) -> str:
    if one.errors:
        return "; ".join(one.errors)
    reasons: dict[str, None] = {}
    for roll in one.rolls:
        reasons.update(dict.fromkeys(roll.reasons))
    if not reasons:
        for change in one.changes:
            if change.action == CHANGE:
                reasons[f"{change.kind} {', '.join(change.fields[:3])}"] = None
    return "; ".join([*reasons, *one.waits])


def as_data(plan: TopologyPlan) -> dict[str, Any]:
    """The plan for programs: the classes of krmkit.clusterapi.changeplan, without the objects themselves."""
    return {
        "clusters": [
            {
                "namespace": one.namespace,
                "name": one.name,
                "action": one.action,
                "changes": [_change(change) for change in one.changes],
                "rolls": [
                    {"group": roll.group, "sure": roll.sure, "reasons": roll.reasons} for roll in one.rolls
                ],
                "waits": one.waits,
                "errors": one.errors,
            }
            for one in plan.clusters
        ],
        "errors": plan.errors,
        "warnings": plan.warnings,
    }


def _change(change: ObjectChange) -> dict[str, Any]:
    data: dict[str, Any] = {
        "action": change.action,
        "role": change.role,
        "kind": change.kind,
        "name": change.name,
    }
    if change.old_name and change.old_name != change.name:
        data["oldName"] = change.old_name
    if change.fields:
        data["fields"] = change.fields
    return data


def _diff(one: ClusterPlan, colour: bool) -> str:
    parts = [f"# {_label(one)}: {text}\n" for text in one.errors]
    for change in one.changes:
        item = change.after or change.before
        assert item is not None
        name = change.name if change.after is not None else change.old_name or change.name
        path = f"topology/{one.namespace}/{one.name}/{change.kind.lower()}-{name}.yaml"
        before = text_of(change.before, {}) if change.before is not None else None
        after = text_of(change.after, {}) if change.after is not None else None
        parts.append(diff([FileEdit(path, before, after)], colour))
    return "".join(parts)


def _markdown(plan: TopologyPlan) -> str:
    lines = [f"**Topology plan**: {summary(plan)}", ""]
    shown = [one for one in plan.clusters if one.action != SAME]
    if shown:
        lines += ["| Cluster | Action | Objects | Machines that roll | Why |", "|---|---|---|---|---|"]
    for one in shown:
        cells = [_label(one), one.action, _counts(one), _rolling(one), _why(one)]
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    same = len(plan.clusters) - len(shown)
    if same:
        lines += ["", f"{same} Cluster{'s' * (same != 1)} without changes."]
    for text in plan.errors:
        lines += ["", f"Error: {_cell(text)}"]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split()) or "-"
