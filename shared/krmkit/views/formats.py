"""Show a report in each format. A new one is a function `Report -> text` and a line in FORMATS."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module

from krmkit.libraries.messages.listed import listed
from krmkit.libraries.process.stderr import visible, without_commands
from krmkit.render.findings.model import API_VERSION, CHECK, SEVERITIES, PackageReport, Report, Result
from krmkit.views.terminal import CYAN, GREEN, RED, YELLOW, Table, Terminal, one_line

FORMATS = ("table", "text", "json", "sarif", "junit", "github", "gitlab", "markdown")
_STYLES = {"error": RED, "warning": YELLOW, "info": CYAN}
_MOST_ALIKE = 3  # equal findings that are shown one by one
_MOST_ANNOTATIONS = 10
_WIDE, _NARROW = 120, 40  # columns from which on a table has room, and those that a message has at least
_LEVELS = {"error": "error", "warning": "warning"}


def json_of(kind: str, **fields: object) -> str:
    """Return an object of this kind as JSON, see docs/report.md. Example: `json_of("Packs", packs=[...])`."""
    return (
        json.dumps({"apiVersion": API_VERSION, "kind": kind, **fields}, indent=2, ensure_ascii=False) + "\n"
    )


def shown(report: Report, form: str, terminal: Terminal) -> str:
    """Return the report in one of FORMATS. terminal: its stream, with the wanted severities."""
    report = report.narrowed(terminal.least)
    if form in ("table", "text"):
        return _for_people(report, form, terminal)
    if form == "json":
        return json.dumps(report.data(), indent=2, ensure_ascii=False) + "\n"
    if form == "github":
        return _annotations(report)
    text: str = import_module(f"krmkit.views.{form}").text(report)
    return text


def _for_people(report: Report, form: str, terminal: Terminal) -> str:
    """Return diffs, results and a summary line; grouped by package if there are several.

    A check lists the findings of all packages together.
    """
    if report.command == CHECK:
        results = results_text(_findings(report), form, terminal)
        closing = "" if terminal.quiet else _verdict(report) + "\n"
        return results + "\n" * bool(results and closing and form == "table") + closing
    if len(report.packages) != 1:
        return _many(report, form, terminal)
    package = report.packages[0]
    results = results_text(package.results, form, terminal)
    between = "\n" if package.diff and results else ""
    after = "\n" if results and form == "table" else ""
    unread = package.has_errors and not package.steps
    said = not (package.failure or unread or terminal.quiet)
    closing = _closing(package, report.written) + "\n" if said else ""
    return package.diff + between + results + after + closing


def _findings(report: Report) -> list[Result]:
    """Return the findings of all packages, the worst first, and failures that no finding reports."""
    failures = [
        Result("error", "", f"{package.path}: {package.failure}")
        for package in report.packages
        if package.failure and all(one.severity != "error" for one in package.results)
    ]
    return sorted([*report.findings, *failures], key=lambda one: SEVERITIES.index(one.severity))


def _verdict(report: Report) -> str:
    """Return a sentence such as `3 packages: 2 errors, 1 warning, 4 files would change`."""
    files = sum(len(package.changes) for package in report.packages)
    found = [one.severity for one in _findings(replace(report, check=False))]
    parts = [counted(found.count(word), word) for word in ("error", "warning") if word in found]
    parts += [f"{counted(files, 'file')} would change"] * bool(files)
    parts = parts or ["nothing is wrong"]
    hidden = _hidden(sum(package.hidden for package in report.packages))
    return f"{counted(len(report.packages), 'package')}: {', '.join(parts)}{hidden}"


def _many(report: Report, form: str, terminal: Terminal) -> str:
    totals = Totals()
    parts = []
    for package in report.packages:
        totals.add(package)
        parts.append(of_package(package, report.written, form, terminal))
    return "".join(parts) + ("" if terminal.quiet else totals.text(report.written) + "\n")


def of_package(package: PackageReport, written: bool, form: str, terminal: Terminal) -> str:
    """Return the lines of one of several packages; "" without changes and wanted results."""
    package = package.narrowed(terminal.least)
    if terminal.quiet and not package.has_errors:
        return package.diff
    if not (package.changes or package.has_errors or package.results):
        return ""
    if package.has_errors:
        said = terminal.paint("failed", RED) + (f": {package.failure}" if package.failure else "")
    else:
        said = terminal.paint(counted(len(package.changes), "file"), GREEN * bool(package.changes))
        said += " changed" if written else " would change"
    results = results_text(package.results, form, terminal)
    if form == "table":
        results = "".join(f"  {line}" for line in results.splitlines(keepends=True))
    return f"{package.path}: {said}\n{package.diff}{results}"


class Totals:
    """The number of packages by result."""

    def __init__(self) -> None:
        self.packages = self.files = self.changed = self.failed = self.hidden = 0

    def add(self, package: PackageReport) -> None:
        """Count a package; changes of a failed one are not written, and do not count."""
        self.packages += 1
        self.hidden += package.hidden
        if package.has_errors:
            self.failed += 1
        elif package.changes:
            self.changed += 1
            self.files += len(package.changes)

    def exit_code(self, check: bool) -> int:
        """Return the exit code by the rules of Report."""
        return 1 if self.failed else 2 if check and self.changed else 0

    def text(self, written: bool) -> str:
        """Return a sentence such as `3 packages: 2 files changed in 1, 1 unchanged, 1 failed`."""
        rest = self.packages - self.changed - self.failed
        note = "" if written or not self.files else " (nothing was written)"
        return (
            f"{counted(self.packages, 'package')}: {counted(self.files, 'file')} changed in {self.changed},"
            f" {rest} unchanged, {self.failed} failed{_hidden(self.hidden)}{note}"
        )


def results_text(results: list[Result], form: str, terminal: Terminal) -> str:
    """Return results as lines ("text") or as a table; "" for none."""
    if form == "text":
        return "".join(f"{line(result, terminal)}\n{_notes(result)}" for result in results)
    if 0 < terminal.width < _WIDE:
        return "".join(_stacked(result, terminal) for result in once(results))
    table = Table(["SEVERITY", "RULE", "WHERE", "MESSAGE"])
    for result in once(results):
        where = " ".join(part for part in (result.place, result.subject) if part)
        if not where:
            where = result.function
        table.add([result.severity, result.rule, where, result.told], _STYLES.get(result.severity, ""))
    return table.text(terminal)


def _stacked(result: Result, terminal: Terminal) -> str:
    """Return a finding on two or three lines, for narrow terminals; no path is broken."""
    from textwrap import fill

    head = terminal.paint(result.severity, _STYLES.get(result.severity, ""))
    where = visible(result.place or result.function)
    about = f"{result.subject}: " if result.subject else ""
    said = fill(
        one_line(about + result.told),
        max(terminal.width, _NARROW),
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{' '.join(filter(None, (head, result.rule, where)))}\n{said}\n"


def once(results: list[Result]) -> list[Result]:
    """Merge equal results about more than three subjects into one, which names the first three."""
    alike: dict[tuple[str, ...], list[Result]] = {}
    for one in results:
        alike.setdefault(_alike(one), []).append(one)
    shown = []
    for one in results:
        same = alike[_alike(one)]
        if len(same) <= _MOST_ALIKE:
            shown.append(one)
        elif one is same[0]:
            names = listed([each.subject or each.place for each in same], _MOST_ALIKE)
            shown.append(replace(one, message=f"{one.message} ({len(same)} times: {names})"))
    return shown


def _alike(one: Result) -> tuple[str, ...]:
    about = one.resource.get("kind", "") or one.place  # files keep a row for each
    return one.severity, one.rule, one.message, one.function, about


def line(result: Result, terminal: Terminal) -> str:
    """Return a line for editors: `p/app.yaml:7:3: error: must be above 0 (ConfigMap app n) [bad]`."""
    severity = terminal.paint(result.severity, _STYLES.get(result.severity, ""))
    subject = f" ({result.subject})" if result.subject else ""
    rule = f" [{result.rule}]" if result.rule else ""
    where = visible(result.place or result.function or "-")
    return f"{where}: {severity}: {one_line(result.message + subject + rule)}"


def _notes(result: Result) -> str:
    """Return a line for each related place, as compilers print them: `class.yaml:9:5: note: ...`."""
    return "".join(
        f"{visible(f'{one.path}:{one.line}:{one.column}')}: note: {one_line(one.message)}\n"
        for one in result.related
    )


def _closing(package: PackageReport, written: bool) -> str:
    count = len(package.changes)
    files = "no file" if not count else counted(count, "file")
    functions = counted(len(package.steps), "function")
    note = "" if written or not count else " (nothing was written)"
    return f"{functions} ran in {counted(package.packages, 'package')}: {files} changed{_hidden(package.hidden)}{note}"


def _hidden(number: int) -> str:
    return f", {counted(number, 'finding')} hidden" if number else ""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2 files`."""
    return f"{number} {noun}{'s' * (number != 1)}"


def _annotations(report: Report) -> str:
    """Return GitHub annotations.

    GitHub shows ten of each level per step, so the others become plain lines.
    """
    from io import StringIO

    levels: dict[str, int] = {}
    annotations, others = [], []
    for one in once(_findings(report)):
        levels[one.severity] = levels.get(one.severity, 0) + 1
        if levels[one.severity] <= _MOST_ANNOTATIONS:
            annotations.append(_annotation(one))
        else:
            others.append(without_commands(f"{line(one, Terminal(StringIO(), 'never'))}\n"))
    if others:
        told = f"GitHub shows {_MOST_ANNOTATIONS} annotations of each level; {len(others)} more:\n"
        others.insert(0, told)
    return "".join([*annotations, *others])


def _annotation(result: Result) -> str:
    """Return a workflow command of GitHub Actions, which is shown as an annotation."""
    level = _LEVELS.get(result.severity, "notice")
    values = {"file": result.path, "line": result.line, "col": result.column, "title": result.rule}
    properties = ",".join(
        f"{name}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in values.items()
        if value
    )
    subject = f"{result.subject}: " if result.subject else ""
    return f"::{level}{' ' * bool(properties)}{properties}::{_escaped(subject + result.told)}\n"


def _escaped(text: str) -> str:
    lines = map(visible, text.replace("%", "%25").replace("\r", "%0D").split("\n"))
    return "%0A".join(lines)
