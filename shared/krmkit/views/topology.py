"""A plan as a table, as a diff of objects, as JSON, and as markdown for a pull request, each without secrets."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.analysis.plans.plandata import as_data
from krmkit.render.diff import diff
from krmkit.render.findings.model import PackageReport, Report, Result
from krmkit.storage.disk.write import FileEdit
from krmkit.systems.clusterapi.desired.generated import text_of
from krmkit.systems.clusterapi.plan.model import (
    CHANGE,
    CREATE,
    PAUSED,
    REFUSED,
    REMOVE,
    REPLACE,
    SAME,
    ClusterPlan,
    ObjectChange,
    Roll,
    TopologyPlan,
)
from krmkit.views.outcome import Told
from krmkit.views.terminal import GREEN, RED, YELLOW, Table, Terminal

MARKDOWN = "markdown"
PAGES = ("diff", MARKDOWN)  # formats of a plan, beside those of all commands
_COLOURS = {SAME: GREEN, REFUSED: RED}


def told(plan: TopologyPlan, package: str, form: str, terminal: Terminal, steps: bool = False) -> Told:
    """The plan in one of FORMATS: refusals are errors, rolling machines warnings, other changes infos.

    steps: the table shows the sequence of each upgrade.
    """
    report = Report("topology plan", [PackageReport(package)], written=False)
    report.packages[0].results = list(results_of(plan))
    return Told(report, "TopologyPlan", as_data(plan), _for_people(plan, form, terminal, steps))


def results_of(plan: TopologyPlan) -> Iterator[Result]:
    """Yield the results of a plan."""
    yield from (Result("error", "refused", text) for text in plan.errors)
    yield from (Result("warning", "plan-warning", text) for text in plan.warnings)
    for one in plan.clusters:
        yield from _results(one)


def _results(one: ClusterPlan) -> Iterator[Result]:
    cluster = {"kind": "Cluster", "namespace": one.namespace, "name": one.name}
    for text in one.errors:
        yield Result("error", REFUSED, text, resource=cluster)
    for roll in one.rolls:
        yield Result(
            "warning", "machines-roll", f"{_sentence(roll)}: {'; '.join(roll.reasons)}", resource=cluster
        )
    if one.action not in (SAME, REFUSED) and not one.rolls:
        yield Result("info", one.action, f"{_counts(one) or 'no object'}: {_why(one)}", resource=cluster)


def _sentence(roll: Roll) -> str:
    """`the machines of controlPlane roll twice`, with its restrictions."""
    which = f" {roll.only}" if roll.only else ""
    times = "" if roll.times == 1 else f" {roll.times} times"
    sure = "" if roll.sure else ", unless the provider changes them in place"
    return f"the machines of {roll.group}{which} roll{times}{sure}"


def _for_people(plan: TopologyPlan, form: str, terminal: Terminal, steps: bool) -> str:
    if form == "diff":
        return "".join(_diff(one, terminal.colour) for one in plan.clusters)
    if form == "markdown":
        return _markdown(plan)
    table = Table(["CLUSTER", "ACTION", "OBJECTS", "MACHINES THAT ROLL", "WHY"])
    for one in plan.clusters:
        table.add(cells(one), _COLOURS.get(one.action, YELLOW))
    shown = "".join(_steps_table(one, terminal) for one in plan.clusters) if steps else ""
    if steps and not shown:
        shown = "No Cluster needs several steps: one reconciliation does what changes.\n"
    return table.text(terminal) + shown + summary(plan.clusters) + "\n"


def _steps_table(one: ClusterPlan, terminal: Terminal) -> str:
    """The sequence of an upgrade: one line for each roll of machines that the next step waits for."""
    plan = one.then or one
    if not plan.steps:
        return ""
    table = Table([f"STEPS OF {_label(one)}", "CONTROL PLANE", "OBJECTS", "MACHINES THAT ROLL", "WHY"])
    for number, step in enumerate(plan.steps, 1):
        reasons = list(dict.fromkeys(reason for roll in step.rolls for reason in roll.reasons))
        line = [str(number), step.version, _signs(step.changes) or "-", _groups(step.rolls) or "-"]
        table.add([*line, "; ".join(reasons) or "; ".join(_changed(step.changes))], YELLOW)
    return table.text(terminal)


def cells(one: ClusterPlan) -> list[str]:
    """Return a Cluster's line of a table: name, action, objects, machines that roll, and why."""
    return [_label(one), one.action, _counts(one) or "-", _rolling(one) or "-", _why(one)]


def summary(clusters: list[ClusterPlan]) -> str:
    """One line: how many Clusters change, roll and are refused. `2 Clusters: 1 with changes, 1 with rolling machines`."""
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


def _counts(one: ClusterPlan) -> str:
    """`+2 ~1 -3`: objects created, changed and removed; a template that is replaced counts as changed."""
    return _signs(one.changes)


def _signs(changes: list[ObjectChange]) -> str:
    counts = {
        "+": sum(change.action == CREATE for change in changes),
        "~": sum(change.action in (CHANGE, REPLACE) for change in changes),
        "-": sum(change.action == REMOVE for change in changes),
    }
    return " ".join(f"{sign}{count}" for sign, count in counts.items() if count)


def _rolling(one: ClusterPlan) -> str:
    return _groups(one.rolls)


def _groups(rolls: list[Roll]) -> str:
    return ", ".join(group_text(roll) for roll in rolls)


def group_text(roll: Roll) -> str:
    """`controlPlane (2 times)`, `MachineDeployment md-0 (created before 2026-01-01T00:00:00Z)`."""
    notes = [
        *([roll.only] if roll.only else []),
        *([f"{roll.times} times"] if roll.times > 1 else []),
        *([] if roll.sure else ["provider decides"]),
    ]
    return roll.group + (f" ({', '.join(notes)})" if notes else "")


def _why(one: ClusterPlan) -> str:
    if one.errors:
        return "; ".join([*one.errors, *_then(one)])
    reasons: dict[str, None] = {}
    for roll in one.rolls:
        reasons.update(dict.fromkeys(roll.reasons))
    if not reasons:
        reasons = dict.fromkeys(_changed(one.changes))
    return "; ".join([*reasons, *one.waits, *_then(one)])


def _changed(changes: list[ObjectChange]) -> list[str]:
    return [f"{one.kind} {', '.join(one.fields[:3])}" for one in changes if one.action == CHANGE]


def _then(one: ClusterPlan) -> list[str]:
    """The effects of a change after what holds it up is resolved."""
    later = one.then
    if later is None:
        return []
    rolling = _rolling(later)
    return [
        f"then: {_counts(later) or 'no object'}, {f'{rolling} rolls' if rolling else 'no machine rolls'}: {_why(later)}"
    ]


def _diff(one: ClusterPlan, colour: bool) -> str:
    parts = [f"# {_label(one)}: {text}\n" for text in one.errors]
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
    shown = [one for one in plan.clusters if one.action != SAME]
    if shown:
        lines += ["| Cluster | Action | Objects | Machines that roll | Why |", "|---|---|---|---|---|"]
    for one in shown:
        lines.append("| " + " | ".join(_cell(cell) for cell in cells(one)) + " |")
    same = len(plan.clusters) - len(shown)
    if same:
        lines += ["", f"{same} Cluster{'s' * (same != 1)} without changes."]
    for text in plan.errors:
        lines += ["", f"Error: {_cell(text)}"]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split()) or "-"
