"""A report as markdown, for a comment on a pull request and the summary of a CI job: never longer than GitHub takes."""

from __future__ import annotations

from krmkit.output.formats import Totals, counted
from krmkit.output.model import PackageReport, Report, Result
from krmkit.output.terminal import one_line

MOST = 65_000  # characters; GitHub refuses a comment of more than 65,536
_SIGNS = {"error": ":x:", "warning": ":warning:", "info": ":information_source:"}
_SPECIAL = str.maketrans({**{sign: f"\\{sign}" for sign in "\\`*_{}[]#|~!"}, "<": "&lt;", ">": "&gt;"})
_CLOSING = 200  # characters kept for the line about what was cut


def text(report: Report) -> str:
    """The report: a line of totals, the findings, then for each package its files, the machines that roll and its diff, folded.

    What would make it longer than `MOST` is left out, and the last line says how much that is.
    """
    totals = Totals()
    for package in report.packages:
        totals.add(package)
    parts = [f"### krmkit {report.command}\n\n{_escaped(totals.text(report.written))}\n\n"]
    parts += _findings(report)
    for package in report.packages:
        parts += _package(package, report.written)
    shown, length = [], 0
    for part in parts:
        if length + len(part) > MOST - _CLOSING:
            break
        shown.append(part)
        length += len(part)
    left = len(parts) - len(shown)
    if left:
        shown.append(
            f"\n_{counted(left, 'part')} of {len(parts)} left out: the whole is longer than {MOST:,} characters._\n"
        )
    return "".join(shown)


def _findings(report: Report) -> list[str]:
    """One row for each finding, so that what does not fit is cut between rows."""
    order = {"error": 0, "warning": 1}
    found = sorted(report.findings, key=lambda result: order.get(result.severity, 2))
    failures = [
        f"| {_SIGNS['error']} | {_code(package.path)} |  | {_escaped(package.failure)} |\n"
        for package in report.packages
        if package.failure
    ]
    rows = failures + [_row(result) for result in found]
    return ["| | Where | Rule | Message |\n|---|---|---|---|\n" + rows[0], *rows[1:], "\n"] if rows else []


def _row(result: Result) -> str:
    """A finding. A path with its line is a link where the page lies in the repository, as a job's summary does."""
    where = _code(result.place) if result.place else _code(result.function)
    subject = f" {_escaped(result.subject)}" if result.subject else ""
    sign = _SIGNS.get(result.severity, _SIGNS["info"])
    return f"| {sign} | {where}{subject} | {_escaped(result.rule)} | {_escaped(result.message)} |\n"


def _package(package: PackageReport, written: bool) -> list[str]:
    """What becomes of one package: nothing is shown of one that stays as it is."""
    parts = []
    if package.changes:
        did = "changed" if written else "would change"
        files = "".join(f"- {_code(change.path)} {change.action}\n" for change in package.changes)
        head = f"{_code(package.path)}: {counted(len(package.changes), 'file')} {did}"
        parts.append(f"\n<details><summary>{_html(head)}</summary>\n\n{files}\n</details>\n")
    rolls = [
        f"- Cluster {_code(cluster['name'])}, {_escaped(roll['group'])}: {_escaped('; '.join(roll['reasons']))}\n"
        for cluster in package.topology.get("clusters") or ()
        for roll in cluster.get("rolls") or ()
    ]
    if rolls:
        parts.append(f"\nMachines that roll in {_code(package.path)}:\n\n" + "".join(rolls))
    diff = package.diff or "".join(change.diff for change in package.changes)
    if diff:
        # A fence that is longer than any in the diff keeps the diff inside.
        fence = "`" * max(3, 1 + max((len(run) for run in _runs(diff)), default=0))
        title = _html(f"Diff of {_code(package.path)}")
        parts.append(
            f"\n<details><summary>{title}</summary>\n\n{fence}diff\n{diff.rstrip()}\n{fence}\n\n</details>\n"
        )
    return parts


def _runs(text: str) -> list[str]:
    """The runs of backticks in a text."""
    import re

    return re.findall("`+", text)


def _escaped(text: str) -> str:
    """Text that no markdown and no HTML reads as its own, on one line."""
    return one_line(text).replace("&", "&amp;").translate(_SPECIAL).replace("@", "&#64;")


def _code(text: str) -> str:
    """A path or name as code: `a`b` has a longer fence, and a bar does not end a cell."""
    plain = one_line(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in _runs(plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}" if plain else ""


def _html(text: str) -> str:
    """A summary, in which markdown is not read."""
    return (
        text.replace("`", "")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
    )
