"""`krmkit variants render SETFILE`: the packages of a fleet, from blueprints and a PackageVariantSet."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext

from krmkit.cli.fleet import Fleet, Row, read_fleet
from krmkit.cli.fleetplan import FleetError
from krmkit.cli.fleetwork import run
from krmkit.cli.sync.command import add_commands
from krmkit.cli.terminal import GREEN, RED, YELLOW, Table, Terminal, seconds, unread_is_fine
from krmkit.fn.external import TIMEOUT
from krmkit.fn.journal import recover
from krmkit.fn.write import Writer

EPILOG = """
A blueprint is a kpt package in DIR/<repo>/<package>, or in a folder below named like the upstream's workspace or revision (v3 or 3).
Each variant goes to OUT/<repo>/<package> of its downstream: cloned (Kptfile name and upstream set, package-context.yaml new), changed
as the PackageVariant says, and rendered. Functions of this catalog run in this process, others as `krmkit render` runs them.

Only files that an earlier run wrote are overwritten or removed; OUT/.krmkit-variants lists them. A package that was changed by hand
since is an error; --force overwrites it. Packages of the sets in SETFILE, and of sets that were in it, are removed when nothing
targets them any more (those with deletionPolicy: orphan stay); those of other set files stay. A selector without any object of its
kind is an error; --prune allows it. A variant that fails leaves its package as it was and the others to go on; the exit code is 1 then.
"""
_NAMED = 10  # variants in the closing line


def parser() -> argparse.ArgumentParser:
    """The command line of `krmkit variants`."""
    made = argparse.ArgumentParser(
        prog="krmkit variants",
        description="Packages from PackageVariantSets, without a cluster.",
        allow_abbrev=False,
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="render|sync|status")
    render = commands.add_parser(
        "render",
        help="make and render the packages of all variants",
        description="Generate the PackageVariants of the sets in SETFILE, and make the package of each.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
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
    render.add_argument("--out", required=True, metavar="DIR", help="where the packages go")
    render.add_argument(
        "--jobs",
        type=_count,
        default=0,
        metavar="N",
        help="how many processes work (default: one for each core)",
    )
    render.add_argument(
        "--prune", action="store_true", help="go on if a selector has no object of its kind to select from"
    )
    render.add_argument("--force", action="store_true", help="overwrite what was changed by hand")
    render.add_argument("--diff", action="store_true", help="show what changes")
    render.add_argument("--dry-run", action="store_true", help="write nothing")
    render.add_argument("--allow-exec", action="store_true", help="let programs outside the catalog run")
    render.add_argument("--allow-network", action="store_true", help="let containers reach the network")
    render.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help="how long a function outside the catalog may take (default: %(default)g)",
    )
    render.add_argument(
        "--image-pull-policy",
        choices=["Always", "IfNotPresent", "Never"],
        default="IfNotPresent",
        help="when to pull images (default: %(default)s)",
    )
    add_commands(commands)
    return made


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f'"{text}" is no number of processes')
    return int(text)


def main(words: list[str]) -> int:
    """Run `krmkit variants ...`; returns the exit code: 1 when a set or a variant failed."""
    arguments = parser().parse_args(words[1:])
    if arguments.command != "render":
        from krmkit.cli.sync.command import main as sync

        return sync(arguments)
    terminal = Terminal(sys.stderr)
    try:
        with Writer(arguments.out) if not arguments.dry_run else nullcontext() as writer:
            notes = writer.notes if writer is not None else recover(arguments.out)
            for note in notes:
                print(f"krmkit variants render: {note}", file=sys.stderr)
            fleet = read_fleet(
                arguments.setfile, arguments.packages, arguments.objects, arguments.out, arguments.prune
            )
            fleet.force, fleet.dry_run = arguments.force, arguments.dry_run
            fleet.show, fleet.colour = arguments.diff, Terminal(sys.stdout).colour
            fleet.allow_exec = arguments.allow_exec
            fleet.allow_network = arguments.allow_network
            fleet.pull = arguments.image_pull_policy
            fleet.timeout = arguments.timeout
            rows = []
            for row in run(fleet, arguments.jobs or _cores(), writer):
                rows.append(row)
                _progress(terminal, len(rows), len(fleet.tasks), row.variant)
    except (FleetError, OSError) as error:
        _clear(terminal)
        said = (
            f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        )
        print(f"krmkit variants render: {said}", file=sys.stderr)
        return 1
    _clear(terminal)
    with unread_is_fine(sys.stdout):
        _report(fleet, sorted(rows, key=lambda row: row.number))
    return 1 if fleet.errors or any(row.error for row in rows) else 0


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _report(fleet: Fleet, rows: list[Row]) -> None:
    terminal = Terminal(sys.stdout)
    for warning in fleet.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for error in fleet.errors:
        print(f"krmkit variants render: {error}", file=sys.stderr)
    for row in rows:
        sys.stdout.write(row.diff)
    table = Table(["VARIANT", "FILES CHANGED", "GATES OPEN", "ERRORS"])
    for row in rows:
        colour = RED if row.error else YELLOW if row.gates or row.warnings else GREEN
        notes = row.error or "; ".join(f"warning: {warning}" for warning in row.warnings)
        table.add(
            [
                row.variant,
                "-" if row.error else str(row.changed),
                "-" if row.error else str(len(row.gates)),
                notes,
            ],
            colour,
        )
    sys.stdout.write(table.text(terminal))
    failed = sum(bool(row.error) for row in rows)
    changed = sum(row.changed for row in rows)
    parts = [f"{len(rows)} variant{'s' * (len(rows) != 1)}", f"{changed} file{'s' * (changed != 1)} changed"]
    for done, packages in (("removed", fleet.removed), ("kept", fleet.kept)):
        if packages:
            parts.append(f"{len(packages)} package{'s' * (len(packages) != 1)} {done}")
    failed += len(fleet.errors)
    parts += [f"{failed} failed"] if failed else []
    if rows:
        print()
    for package in fleet.removed:
        print(f"removed: {package}")
    for package in fleet.kept:
        print(f"kept: {package} is no longer targeted (deletionPolicy: orphan)")
    print(", ".join(parts) + " (dry run: nothing was written)" * fleet.dry_run)
    waiting = [row.variant for row in rows if row.gates and not row.error]
    if waiting:
        more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
        print(f"not ready, gates open: {', '.join(waiting[:_NAMED])}{more}")


def _progress(terminal: Terminal, done: int, total: int, name: str) -> None:
    """A bar with the variant that was finished last, on a terminal that somebody watches."""
    if not terminal.watched:
        return
    length = 24
    filled = length * done // total
    text = f"[{'#' * filled}{'.' * (length - filled)}] {done}/{total} {name}"
    terminal.stream.write("\r\x1b[K" + text[: max(terminal.width - 1, 10)])
    terminal.stream.flush()


def _clear(terminal: Terminal) -> None:
    if terminal.watched:
        terminal.stream.write("\r\x1b[K")
        terminal.stream.flush()
