"""Write the files and results of rendered packages, one or ten thousand, and make their reports."""

from __future__ import annotations

import argparse
import os

from krmkit.kpt.resultlist import FILE, results_text
from krmkit.render.diff import diff
from krmkit.render.findings.model import PackageReport
from krmkit.render.findings.places import report_of
from krmkit.render.package import Package
from krmkit.render.rendering import Rendering
from krmkit.render.status import edits_in_place
from krmkit.storage.disk.write import FileEdit, write, write_file


def only_shows(arguments: argparse.Namespace) -> bool:
    """Return whether a render's flags leave the package unchanged."""
    return bool(arguments.check or arguments.dry_run or (arguments.diff and not arguments.write))


def finished(
    package: Package, rendering: Rendering, arguments: argparse.Namespace, colour: bool
) -> PackageReport:
    """Write the wanted files, and return the report, with a diff if wanted. Raises Refused."""
    untouched = package.kptfile.is_blueprint and not arguments.output
    if not (only_shows(arguments) or arguments.output or untouched):
        edits = edits_in_place(package, rendering, arguments.render_status)
        write(package.path, edits, [] if rendering.failure else package.leftovers, careful=True)
        if not rendering.failure:
            rendering.changes = edits
    report = report_of(package, rendering)
    report.notes = package.notes
    above = report.path if arguments.recursive else ""
    if arguments.results_dir:
        place = os.path.join(arguments.results_dir, above, FILE)
        write_file(place, results_text(rendering.runs, rendering.exit_code))
    if untouched:
        report.changes = []
    elif arguments.diff:
        from krmkit.render.findings.secrets import secrets_of

        secrets = () if arguments.show_secrets else secrets_of(package, rendering)
        folder = f"{above}/" if above not in ("", ".") else ""
        changes = [FileEdit(folder + change.path, change.before, change.after) for change in rendering.shown]
        report.diff = diff(changes, colour, secrets)
    return report
