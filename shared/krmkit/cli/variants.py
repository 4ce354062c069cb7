"""`krmkit variants render SETFILE`: render a fleet from blueprints and a PackageVariantSet."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack

from krmkit.cli.arguments import CommandParser, add_jobs, add_output, add_place
from krmkit.cli.engine import add_on, check_engine, engine_for
from krmkit.cli.running import add_running, options_of
from krmkit.cli.sync import add_commands
from krmkit.fleet.build import build_of
from krmkit.fleet.collisions import RULE
from krmkit.fleet.packages import collisions_of, run
from krmkit.fleet.shard import add_shard
from krmkit.fleet.tasks import FleetTasks, Row, read_fleet
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import CHANGED, REMOVED, FileChange, PackageReport, Report, Result
from krmkit.render.findings.places import placed, shown_path
from krmkit.storage.disk.journal import recover
from krmkit.storage.disk.spool import Spool
from krmkit.storage.disk.write import Writer
from krmkit.views.formats import FORMATS, counted, shown
from krmkit.views.terminal import GREEN, RED, YELLOW, Table, Terminal, unread_is_fine

EPILOG = """
A blueprint is a kpt package in DIR/<repo>/<package>, or in a folder below named like the upstream's workspace or revision (v3 or 3).
Each variant goes to OUT/<repo>/<package> of its downstream: cloned (Kptfile name and upstream set, package-context.yaml new), changed
as the PackageVariant says, and rendered. Functions of this catalog run in this process, others as `krmkit render` runs them.

Only files that an earlier run wrote are overwritten or removed; OUT/.krmkit-variants lists them. A package that was changed by hand
since is an error; --force overwrites it. Packages of the sets in SETFILE, and of sets that were in it, are named when nothing targets
them any more, and removed with --prune (those with deletionPolicy: orphan stay); those of other set files stay. A selector without any
object of its kind is an error; --prune allows it. Where spec.deployment of the downstream Repository is false, a package gets no
package context. A variant that fails leaves its package as it was and the others to go on; the exit code is 1 then.
"""
_COMMAND = "variants render"
_MOST_GATES = 10
_MOST_ALIKE = 3  # variants of one error that have a row each


def parser() -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = CommandParser(
        prog="krmkit variants", description="Packages from PackageVariantSets, without a cluster."
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="render|sync|status")
    render = commands.add_parser(
        "render",
        help="make and render the packages of all variants",
        description="Generate the PackageVariants of the sets in SETFILE, and make the package of each.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    render.add_argument(
        "setfile", metavar="SETFILE", help="a file with PackageVariantSets (and PackageVariants)"
    )
    render.add_argument("--packages", required=True, metavar="DIR", help="where the blueprints are")
    render.add_argument(
        "--objects",
        metavar="DIR",
        help="Repositories, PackageRevisions, objects to select and to inject, as YAML files",
    )
    add_place(render, "DIR", "where the packages go", required=True)
    add_jobs(render)
    add_shard(render)
    add_on(render)
    render.add_argument(
        "--prune",
        action="store_true",
        help="remove packages that nothing in SETFILE targets any more; go on if a selector has no object of its kind",
    )
    render.add_argument("--force", action="store_true", help="overwrite what was changed by hand")
    render.add_argument(
        "--check", action="store_true", help="write nothing, and end with 2 if a file would change"
    )
    render.add_argument("--diff", action="store_true", help="show what would change, and write nothing")
    render.add_argument("--write", action="store_true", help="write, beside --diff")
    render.add_argument("--show-secrets", action="store_true", help="show secrets in --diff")
    render.add_argument("--dry-run", action="store_true", help="write nothing")
    add_output(render, FORMATS)
    add_running(render)
    add_commands(commands)
    return made


def main(words: list[str]) -> int:
    """Run `krmkit variants ...`; returns the exit code: 1 when a set or a variant failed."""
    arguments = parser().parse_args(words[1:])
    if arguments.command != "render":
        from krmkit.cli.sync import main as sync

        return sync(arguments)
    if arguments.write and (arguments.check or arguments.dry_run):
        other = "--check" if arguments.check else "--dry-run"
        raise Refused(f"--write and {other} contradict each other; choose one")
    quiet = arguments.check or arguments.dry_run or (arguments.diff and not arguments.write)
    progress = Terminal(sys.stderr, arguments.color)
    terminal = Terminal.of(arguments)
    try:
        check_engine(arguments)
        with ExitStack() as stack:
            writer = None if quiet else stack.enter_context(Writer(arguments.output))
            notes = writer.notes if writer is not None else recover(arguments.output)
            for note in notes:
                say(_COMMAND, note)
            fleet = read_fleet(
                arguments.setfile, arguments.packages, arguments.objects, arguments.output, arguments.prune,
                arguments.shard,
            )  # fmt: skip
            fleet.force, fleet.dry_run = arguments.force, quiet
            fleet.show, fleet.colour = arguments.diff, terminal.colour
            fleet.show_secrets = arguments.show_secrets
            fleet.build = build_of(arguments, fleet.objects, options_of(arguments))
            rows: Spool[Row] = Spool()
            total = len(fleet.numbers)
            engine = engine_for(arguments, total)
            stack.callback(engine.close)
            for variant in run(fleet, engine, writer, rows):
                _progress(progress, len(rows), total, variant)
    finally:
        progress.line("")
    collisions = collisions_of(fleet, rows)
    with unread_is_fine(sys.stdout):
        for warning in fleet.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        for problem in fleet.errors:
            say(_COMMAND, problem)
        if arguments.format == FORMATS[0]:
            _table(fleet, rows, collisions, terminal)
        else:
            report = fleet_report(fleet, rows, arguments.setfile)
            add_collisions(report, fleet, collisions, arguments.setfile)
            report.check = arguments.check
            terminal.stream.write(shown(report, arguments.format, terminal))
    if fleet.errors or any(row.error for row in rows):
        return 1
    return 2 if arguments.check and (fleet.removed or any(row.changed for row in rows)) else 0


def fleet_report(fleet: FleetTasks, rows: Iterable[Row], setfile: str) -> Report:
    """Return the report of a fleet: a package for each variant, and one for findings about several."""
    report = Report(_COMMAND, written=not fleet.dry_run)
    for row in rows:
        target = fleet.tasks[row.number].target
        one = PackageReport(shown_path(os.path.join(fleet.out.path, target)) if target else row.variant)
        one.changes = [
            FileChange(shown_path(os.path.join(fleet.out.path, path)), CHANGED) for path in row.changed
        ]
        one.diff = row.diff
        resource = {"kind": "PackageVariant", "name": row.variant}
        place = shown_path(setfile)
        if row.error:
            one.results.append(placed("error", "variant-failed", row.error, place, resource))
        for warning in row.warnings:
            one.results.append(Result("warning", "variant", warning, place, resource=resource))
        for gate in row.gates:
            one.results.append(Result("info", "gate-open", f"waits for {gate}", place, resource=resource))
        report.packages.append(one)
    if fleet.errors or fleet.removed or fleet.stale:
        rest = PackageReport(shown_path(fleet.out.path))
        rest.results = [Result("error", "package-kept", error) for error in fleet.errors]
        for package in fleet.stale:
            message = f"{package} is no longer targeted; --prune removes it"
            rest.results.append(Result("warning", "left-over", message, shown_path(setfile)))
        rest.changes = [
            FileChange(shown_path(os.path.join(fleet.out.path, path)), REMOVED) for path in fleet.removed
        ]
        report.packages.append(rest)
    return report


def add_collisions(report: Report, fleet: FleetTasks, collisions: dict[str, list[str]], setfile: str) -> None:
    """Add a warning to each package of the report about the packages that it collides with."""
    names = {task.target: task.name for task in fleet.tasks}
    reports = {one.path: one for one in report.packages}
    for text, packages in collisions.items():
        for package in packages:
            resource = {"kind": "PackageVariant", "name": names[package]}
            warning = Result("warning", RULE, text, shown_path(setfile), resource=resource)
            reports[shown_path(os.path.join(fleet.out.path, package))].results.append(warning)


def _table(fleet: FleetTasks, rows: Spool[Row], collisions: Iterable[str], terminal: Terminal) -> None:
    """Show the variants that changed, failed or wait, and the number of the others."""
    stream = terminal.stream
    failed, changed = len(fleet.errors), 0
    waiting: list[str] = []
    gates: dict[str, list[str]] = {}
    for row in rows:
        stream.write(row.diff)
        failed += bool(row.error)
        changed += len(row.changed)
        if row.gates and not row.error:
            waiting.append(row.variant)
            for gate in row.gates:
                gates.setdefault(gate, []).append(row.variant)
    table, shown = _rows(rows, terminal)
    stream.write(table.text(terminal) + "\n" * bool(len(table)))
    for text in collisions:
        stream.write(f"collision: {text}\n")
    if terminal.quiet:
        return
    parts = [counted(len(rows), "variant")]
    if shown < len(rows):
        parts.append(f"{len(rows) - shown} unchanged")
    parts.append(counted(changed, "file") + " changed")
    for done, packages in (("removed", fleet.removed), ("kept", fleet.kept)):
        if packages:
            parts.append(f"{counted(len(packages), 'package')} {done}")
    parts += [f"{failed} failed"] if failed else []
    lines = [f"removed: {package}" for package in fleet.removed]
    lines += [f"{package} is no longer targeted; --prune removes it" for package in fleet.stale]
    lines += [f"kept: {one} is no longer targeted (deletionPolicy: orphan)" for one in fleet.kept]
    lines.append(", ".join(parts) + " (nothing was written)" * fleet.dry_run)
    lines += [f"not ready, gates open: {listed(waiting)}"] if waiting else []
    lines += [f"  {gate}: {listed(gates[gate])}" for gate in list(gates)[:_MOST_GATES]]
    if len(gates) > _MOST_GATES:
        lines.append(f"  and {counted(len(gates) - _MOST_GATES, 'other gate')}")
    stream.write("".join(f"{line}\n" for line in lines))


def _rows(rows: Iterable[Row], terminal: Terminal) -> tuple[Table, int]:
    """Return the table, and how many variants are in it; those of one error share a row."""
    count, table = 0, Table(["VARIANT", "FILES CHANGED", "GATES OPEN", "ERRORS"])
    alike: dict[str, list[str]] = {}
    for row in rows:
        if row.error:
            alike.setdefault(row.error, []).append(row.variant)
    for row in rows:
        name, same = row.variant, alike.get(row.error, [row.variant])
        warnings = row.warnings if terminal.least != ERROR else []
        if not row.error and (terminal.quiet or not (row.changed or row.gates or warnings)):
            continue
        count += 1
        if len(same) > _MOST_ALIKE:
            if name != same[0]:
                continue
            name = f"{len(same)} variants: {listed(same, _MOST_ALIKE)}"
        style = RED if row.error else YELLOW if row.gates or warnings else GREEN
        notes = row.error.replace("\n", "; ") or "; ".join(f"warning: {warning}" for warning in warnings)
        counts = ["-", "-"] if row.error else [str(len(row.changed)), str(len(row.gates))]
        table.add([name, *counts, notes], style)
    return table, count


def _progress(terminal: Terminal, done: int, total: int, name: str) -> None:
    """Show a progress bar on a terminal, with the variant that finished last."""
    length = 24
    filled = length * done // total
    terminal.line(f"[{'#' * filled}{'.' * (length - filled)}] {done}/{total} {name}")
