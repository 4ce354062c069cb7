"""Output of commands that do not render, in the formats of a report of packages."""

from __future__ import annotations

from krmkit.output.formats import FORMATS, json_of, results_text, shown
from krmkit.output.model import Report
from krmkit.output.terminal import Terminal, unread_is_fine


class Told:
    """What a command that renders nothing has to say, for all FORMATS: its report, an object of `kind` with `details` for json, a
    table or lines of its own for people, and one closing line.

    Example: `Told(report, "Variants", {"variants": rows}, table.text(terminal), "3 variants changed")`.
    """

    __slots__ = ("closing", "details", "kind", "report", "table")

    def __init__(
        self, report: Report, kind: str, details: dict[str, object], table: str = "", closing: str = ""
    ) -> None:
        self.report = report
        self.kind = kind
        self.details = details
        self.table = table
        self.closing = closing

    def shown(self, form: str, terminal: Terminal) -> str:
        """The text in one of FORMATS."""
        results = self.report.narrowed(terminal.least).findings
        if terminal.quiet and form in FORMATS[:2]:
            return results_text(results, form, terminal)
        if form == "json":
            found = {"results": [result.data() for result in results]}
            return json_of(self.kind, **{**self.details, **found, "written": self.report.written})
        if form not in FORMATS[:2]:
            return shown(self.report, form, terminal)
        closing = f"{self.closing}\n" if self.closing else ""
        if form == "text":
            return (results_text(results, form, terminal) or ("" if closing else self.table)) + closing
        table = self.table or results_text(results, form, terminal)
        return table + "\n" * bool(table and closing) + closing

    def show(self, form: str, terminal: Terminal) -> None:
        """Write the text to where the terminal is; a reader that has gone is fine."""
        with unread_is_fine(terminal.stream):
            terminal.stream.write(self.shown(form, terminal))
