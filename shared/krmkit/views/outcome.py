"""Show the output of commands that do not render, in a report's formats."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.render.findings.model import Report
from krmkit.views.formats import FORMATS, json_of, results_text, shown
from krmkit.views.markdown import fenced
from krmkit.views.terminal import Terminal, unread_is_fine


@dataclass(frozen=True, slots=True)
class Told:
    """The output of a command that does not render, in all FORMATS.

    It has a report, an object of `kind` with `details` for json, its own table or lines, and one closing
    line. `block`: the language of the table if it is a block in markdown, else "".

    Example: `Told(report, "Variants", {"variants": rows}, table.text(terminal), "3 variants changed")`.
    """

    report: Report
    kind: str
    details: dict[str, object]
    table: str = ""
    closing: str = ""
    block: str = ""

    def shown(self, form: str, terminal: Terminal) -> str:
        """Return the text in one of FORMATS."""
        results = self.report.narrowed(terminal.least).findings
        if terminal.quiet and form in FORMATS[:2]:
            return results_text(results, form, terminal)
        if form == "json":
            data = {"results": [result.data() for result in results]}
            return json_of(self.kind, **{**self.details, **data, "written": self.report.written})
        if form not in FORMATS[:2]:
            block = fenced(self.table, self.block) if form == "markdown" and self.block and self.table else ""
            return shown(self.report, form, terminal) + block
        closing = f"{self.closing}\n" if self.closing else ""
        if form == "text":
            return (results_text(results, form, terminal) or ("" if closing else self.table)) + closing
        table = self.table or results_text(results, form, terminal)
        return table + "\n" * bool(table and closing) + closing

    def show(self, form: str, terminal: Terminal) -> None:
        """Write the text to the terminal's stream; a closed pipe is ignored."""
        with unread_is_fine(terminal.stream):
            terminal.stream.write(self.shown(form, terminal))
