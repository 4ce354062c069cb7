"""The report on a package that took changes of its upstream: what was in conflict, and which files change."""

from __future__ import annotations

from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.libraries.json.paths import dotted
from krmkit.render.findings.model import CHANGED, CREATED, REMOVED, FileChange, PackageReport, Result
from krmkit.render.findings.places import shown_path
from krmkit.storage.disk.write import FileEdit


def merge_report(
    folder: str, conflicts: list[ResourceConflict], changes: list[FileEdit], severity: str = "warning"
) -> PackageReport:
    """Return the report on a merged package: conflicts as results of this severity, and changed files.

    folder: the package, as the user named it; paths of conflicts and changes are relative to it.
    """
    report = PackageReport(shown_path(folder))
    above = "" if report.path == "." else f"{report.path}/"
    for conflict in conflicts:
        kind, _, name = conflict.resource.partition(" ")
        place = f"{above}{conflict.file}", conflict.line, conflict.column
        result = Result(severity, "conflict", conflict.message, *place)
        result.resource = {"kind": kind, "name": name} if kind else {}
        result.field = dotted(conflict.path)
        report.results.append(result)
    for change in changes:
        action = CREATED if change.before is None else REMOVED if change.after is None else CHANGED
        report.changes.append(FileChange(f"{above}{change.path}", action))
    return report
