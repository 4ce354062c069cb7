"""Show a report as markdown for pull requests and job summaries, within GitHub's size limit."""

from __future__ import annotations

from krmkit.render.findings.model import PackageReport, Report, Result
from krmkit.views.formats import Totals, counted, once
from krmkit.views.terminal import one_line

MOST = 65_000  # characters; GitHub refuses a comment of more than 65,536
_SIGNS = {"error": ":x:", "warning": ":warning:", "info": ":information_source:"}
_SPECIAL = str.maketrans({**{sign: f"\\{sign}" for sign in "\\`*_{}[]#|~!"}, "<": "&lt;", ">": "&gt;"})
_CLOSING = 200  # characters kept for the line about omitted parts


def text(report: Report) -> str:
    """Return the report: totals, findings, then each package's files, replaced machines and diff, folded.

    Parts beyond `MOST` characters are left out, and the last line counts them.
    """
    totals = Totals()
    for package in report.packages:
        totals.add(package)
    parts = [f"### krmkit {report.command}\n\n{escaped(totals.text(report.written))}\n\n"]
    parts += _findings(report)
    for package in report.packages:
        parts += _package(package, report.written)
    return limited(parts)


def limited(parts: list[str]) -> str:
    """Join the parts up to `MOST` characters; the last line counts the rest."""
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
    """Return one row for each finding, so that the text is cut between rows."""
    order = {"error": 0, "warning": 1}
    findings = sorted(once(report.findings), key=lambda result: order.get(result.severity, 2))
    failures = [
        f"| {_SIGNS['error']} | {_code(package.path)} |  | {escaped(package.failure)} |\n"
        for package in report.packages
        if package.failure
    ]
    rows = failures + [_row(result) for result in findings]
    return ["| | Where | Rule | Message |\n|---|---|---|---|\n" + rows[0], *rows[1:], "\n"] if rows else []


def _row(result: Result) -> str:
    """Return a finding's row. Its place is a link if the page is in the repository, like a job's summary."""
    where = _code(result.place) if result.place else _code(result.function)
    subject = f" {escaped(result.subject)}" if result.subject else ""
    sign = _SIGNS.get(result.severity, _SIGNS["info"])
    return f"| {sign} | {where}{subject} | {escaped(result.rule)} | {escaped(result.told)} |\n"


def _package(package: PackageReport, written: bool) -> list[str]:
    """Return the changes of one package; nothing for an unchanged one."""
    parts = []
    if package.changes:
        did = "changed" if written else "would change"
        files = "".join(f"- {_code(change.path)} {change.action}\n" for change in package.changes)
        head = f"{_code(package.path)}: {counted(len(package.changes), 'file')} {did}"
        parts.append(f"\n<details><summary>{_html(head)}</summary>\n\n{files}\n</details>\n")
    rolls = [
        f"- Cluster {_code(cluster['name'])}, {escaped(roll['group'])}: {escaped('; '.join(roll['reasons']))}\n"
        for cluster in package.topology.get("clusters") or ()
        for roll in cluster.get("rolls") or ()
    ]
    if rolls:
        parts.append(f"\nMachines that roll in {_code(package.path)}:\n\n" + "".join(rolls))
    diff = package.diff or "".join(change.diff for change in package.changes)
    if diff:
        title = _html(f"Diff of {_code(package.path)}")
        parts.append(f"\n<details><summary>{title}</summary>\n\n{fenced(diff, 'diff')}\n</details>\n")
    return parts


def fenced(text: str, language: str) -> str:
    """Return a text as a block of code, with a fence longer than any in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _runs(text: str) -> list[str]:
    """Return the runs of backticks in a text."""
    import re

    return re.findall("`+", text)


def escaped(text: str) -> str:
    """Escape a text for markdown and HTML, on one line."""
    return one_line(text).replace("&", "&amp;").translate(_SPECIAL).replace("@", "&#64;")


def _code(text: str) -> str:
    """Format a path or name as code: `a`b` gets a longer fence, and a bar does not end a table cell."""
    plain = one_line(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in _runs(plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}" if plain else ""


def _html(text: str) -> str:
    """Escape a text for a summary element, in which markdown does not apply."""
    return (
        text.replace("`", "")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
    )
