"""The report on a package that cannot be read: the place that the message names is that of a finding, for editors and CI."""

from __future__ import annotations

import os
import re

from krmkit.cli.report.model import PackageReport, Result

_MESSAGE = re.compile(
    r"(?P<file>[^\n]+?): (?:line (?P<line>\d+)(?:, column (?P<column>\d+))?: )?(?P<said>.+)", re.DOTALL
)


def unreadable(path: str, problem: str) -> PackageReport:
    """Return the report on the package at `path` for the text of a PackageError.

    unreadable("p", "a.yaml: line 2, column 1: ...").results[0].place   # "p/a.yaml:2:1"

    A message that begins with no file of the package has no place, and is the package's failure only.
    """
    report = PackageReport(path, failure=problem)
    found = _MESSAGE.match(problem)
    if found is None:
        return report
    file = os.path.normpath(os.path.join(path, found["file"]))
    if os.path.isfile(file):
        line, column = int(found["line"] or 0), int(found["column"] or 0)
        report.results.append(Result("error", "unreadable", found["said"], file, line, column))
    return report
