"""Return the report on an unreadable package: the message's place becomes a finding's, for editors."""

from __future__ import annotations

import os
import re

from krmkit.render.findings.model import PackageReport, Result

_MESSAGE = re.compile(
    r"(?P<file>[^\n]+?): (?:line (?P<line>\d+)(?:, column (?P<column>\d+))?: )?(?P<said>.+)", re.DOTALL
)


def unreadable(path: str, problem: str) -> PackageReport:
    """Return the report on the package at `path` for the text of a Refused: a result for each file it names.

    unreadable("p", "a.yaml: line 2, column 1: ...").results[0].place   # "p/a.yaml:2:1"

    A line that does not begin with a file of the package goes on with the message above it; a first one has
    no place, and the whole becomes the package's failure.
    """
    report = PackageReport(path)
    for line in problem.split("\n"):
        result = _result(path, line)
        if result is not None:
            report.results.append(result)
        elif report.results:
            report.results[-1].message += f"; {line}"
        else:
            report.failure = problem
            break
    return report


def _result(path: str, line: str) -> Result | None:
    match = _MESSAGE.match(line)
    if match is None:
        return None
    file = os.path.normpath(os.path.join(path, match["file"]))
    if not os.path.isfile(file):
        return None
    numbers = int(match["line"] or 0), int(match["column"] or 0)
    return Result("error", "unreadable", match["said"], file, *numbers)
