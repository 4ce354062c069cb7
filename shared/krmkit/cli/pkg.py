"""Run `krmkit pkg get`, `diff` and `update`: follow an upstream in git, and keep local edits."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable

from krmkit.cli.arguments import CommandParser, add_output
from krmkit.fleet.follow import STRATEGIES, local_files, updated
from krmkit.fleet.getpackage import get_package
from krmkit.fleet.packagediff import DIFF_TYPES, compared
from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.packages import MergedPackage, PackageMergeError
from krmkit.kpt.merge.policy import MARKERS, POLICIES
from krmkit.libraries.process.stderr import say, visible
from krmkit.render.diff import diff
from krmkit.render.findings.mergereport import merge_report
from krmkit.render.findings.model import Report
from krmkit.render.findings.places import shown_path
from krmkit.render.secrets.files import secrets_of
from krmkit.storage.disk.journal import recover
from krmkit.storage.disk.write import FileEdit, write
from krmkit.storage.git.treeupdate import File
from krmkit.views.formats import FORMATS, counted
from krmkit.views.outcome import Told
from krmkit.views.terminal import Terminal, unread_is_fine


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit pkg", description="Get a package from git, and follow its upstream there."
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="get|diff|update")
    _add_get(commands.add_parser)
    for name, summary in (
        (
            "update",
            "Merge the changes of the upstream package into the local one, as edits of the local files.",
        ),
        ("diff", "Show what `krmkit pkg update` would change, and write nothing."),
    ):
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        command.add_argument(
            "package",
            nargs="?",
            default=".",
            metavar="PKG[@REVISION]",
            help="the package's folder, and a tag, branch or commit (default: the Kptfile's upstream.git.ref)",
        )
        command.add_argument(
            "--strategy",
            choices=STRATEGIES,
            metavar="STRATEGY",
            help=f"{', '.join(STRATEGIES)} (default: the Kptfile's updateStrategy, else resource-merge)",
        )
        command.add_argument(
            "--on-conflict",
            choices=POLICIES,
            default=POLICIES[0],
            metavar="POLICY",
            help="what becomes of a value that both sides changed: upstream or local takes that side's, stop changes"
            " nothing, markers writes both into the file as git does, and ends with 1 (default: upstream)",
        )
        command.add_argument(
            "--check", action="store_true", help="write nothing; exit code 2 if files would change"
        )
        if name == "diff":
            command.add_argument(
                "--diff-type",
                choices=DIFF_TYPES,
                metavar="TYPE",
                help="what else to compare: local (edits here since the fetch), remote (upstream's changes since then),"
                " combined (upstream's REVISION with the files here), 3way (local and remote)",
            )
        if name == "update":
            command.add_argument("--dry-run", action="store_true", help="write nothing")
            command.add_argument(
                "--diff", action="store_true", help="show what would change, and write nothing"
            )
            command.add_argument("--write", action="store_true", help="write, beside --diff")
        add_output(command, FORMATS)
    return made


def _add_get(add: Callable[..., CommandParser]) -> None:
    summary = "Get a package from git into a new folder, ready to be followed."
    command = add("get", help=summary, description=summary, allow_abbrev=False)
    command.add_argument(
        "source",
        metavar="REPO[/PATH][@REF]",
        help="a repository's address or folder, the package's folder in it, and a tag, branch or commit (default: the"
        " default branch);"
        " REPO.git/PATH if the end of the address is ambiguous",
    )
    command.add_argument(
        "folder",
        metavar="DIR",
        help='the new folder, or an existing one, in which the package gets its own folder; "." is the working directory',
    )
    command.add_argument(
        "--strategy",
        choices=STRATEGIES,
        default=STRATEGIES[0],
        metavar="STRATEGY",
        help=f"how updates merge: {', '.join(STRATEGIES)} (default: %(default)s)",
    )
    command.add_argument("--for-deployment", action="store_true", help="add a package context, as kpt does")
    add_output(command, FORMATS)


def main(words: list[str]) -> int:
    """Run `krmkit pkg ...`; returns the exit code: 2 when --check found that files would change."""
    arguments = parser().parse_args(words[1:])
    if arguments.command == "get":
        return _get(arguments)
    folder, revision = arguments.package, ""
    if "@" in folder and not os.path.isdir(folder):
        folder, _, revision = folder.rpartition("@")
    folder = folder or "."
    if arguments.command == "diff" and arguments.diff_type:
        return _compare(arguments, folder, revision)
    shows = arguments.command == "diff" or arguments.diff
    dry = arguments.check or (shows and not (arguments.command == "update" and arguments.write))
    dry = dry or (arguments.command == "update" and arguments.dry_run)
    try:
        for note in recover(folder):
            say("pkg", note)
        local = local_files(folder)
        merged, fresh = updated(local, revision, arguments.strategy, arguments.on_conflict)
        changes = _save(folder, local, merged, fresh, dry)
    except PackageMergeError as error:
        if error.conflicts and arguments.format not in FORMATS[:2]:
            _show_stopped(arguments, folder, error.conflicts)
        raise
    terminal = Terminal.of(arguments)
    if shows:
        _show_diff(arguments, changes, merged.secrets)
    one = merge_report(folder, merged.conflicts, changes)
    report = Report(f"pkg {arguments.command}", [one], not dry, arguments.check)
    listed: dict[str, object] = {"changes": [change.data() for change in report.packages[0].changes]}
    closing = _closing(changes, merged, dry)
    Told(report, "PackageUpdate", listed, closing=closing).show(arguments.format, terminal)
    if arguments.on_conflict == MARKERS and merged.conflicts and not dry:
        say("pkg update", "the files hold both sides of the conflicts, between <<<<<<< and >>>>>>>")
        return 1
    return 2 if arguments.check and changes else 0


def _compare(arguments: Namespace, folder: str, revision: str) -> int:
    """Show the differences between the package and its upstream."""
    changes: list[FileEdit] = []
    for title, edits in compared(local_files(folder), revision, arguments.diff_type):
        _show_diff(arguments, edits, set(), f"# {title}\n")
        changes += edits
    report = Report("pkg diff", [merge_report(folder, [], changes)], False, arguments.check)
    listed: dict[str, object] = {"changes": [change.data() for change in report.packages[0].changes]}
    closing = f"{counted(len(changes), 'difference')}" if changes else "no difference"
    Told(report, "PackageUpdate", listed, closing=closing).show(arguments.format, Terminal.of(arguments))
    return 2 if arguments.check and changes else 0


def _show_diff(arguments: Namespace, changes: list[FileEdit], secrets: set[str], title: str = "") -> None:
    """Show changes on stdout; with a machine-readable format, on stderr."""
    where = Terminal.of(arguments)
    if arguments.format not in FORMATS[:2]:
        where = Terminal(sys.stderr, arguments.color)
    with unread_is_fine(where.stream):
        texts = {text.encode() for change in changes for text in (change.before, change.after) if text}
        where.stream.write(title + diff(changes, where.colour, secrets | secrets_of(texts)))
        for change in changes:
            if title and not change.before and not change.after:  # binary or empty: a diff has no lines of it
                sides = (change.before is None, change.after is None)
                done = {(True, False): "created", (False, True): "removed"}.get(sides, "changed")
                where.stream.write(f"{visible(change.path)}: {done}, without lines of text\n")


def _show_stopped(arguments: Namespace, folder: str, conflicts: list[ResourceConflict]) -> None:
    """Report unresolved conflicts as errors, in machine-readable formats."""
    one = merge_report(folder, conflicts, [], "error")
    report = Report(f"pkg {arguments.command}", [one], False, arguments.check)
    Told(report, "PackageUpdate", {"changes": []}).show(arguments.format, Terminal.of(arguments))


def _get(arguments: Namespace) -> int:
    got = get_package(arguments.source, arguments.folder, arguments.strategy, arguments.for_deployment)
    where = shown_path(got.folder)
    closing = f"{where}: {counted(got.files, 'file')} from {got.directory or 'the root'} at {got.ref}"
    report = Report("pkg get", [merge_report(got.folder, got.conflicts, [])], True, False)
    details: dict[str, object] = {
        "folder": where,
        "directory": got.directory,
        "ref": got.ref,
        "files": got.files,
    }
    Told(report, "PackageGet", details, closing=closing).show(arguments.format, Terminal.of(arguments))
    return 0


def _save(
    folder: str, local: dict[str, File], merged: MergedPackage, fresh: dict[str, File], dry: bool
) -> list[FileEdit]:
    """Write all changes or, on an error, none; return the changes in the order of their paths."""
    changes: list[FileEdit] = []
    with tempfile.TemporaryDirectory(prefix="krmkit-update-") as place:
        for number, path in enumerate(sorted({*local, *merged.files})):
            before, after = local.get(path), merged.files.get(path)
            rights = fresh.get(path) if before is None else before
            executable = merged.executable.get(path, rights is not None and rights.executable)
            chmod = before is not None and after is not None and executable != before.executable
            if before is not None and before.content == after and not chmod:
                continue
            source = ""
            if after is not None and (before is None or chmod or _text(after) is None):
                # New files, and those whose mode changed upstream, get its mode. Binary files are copied.
                source = os.path.join(place, str(number))
                with open(source, "wb") as stream:
                    stream.write(after)
                os.chmod(source, 0o755 if executable else 0o644)
            change = FileEdit(
                path,
                None if before is None else _text(before.content) or "",
                None if after is None else _text(after) or "",
                source,
                "" if before is None or chmod else os.path.join(folder, path),
                None if before is None else before.content,
            )
            changes.append(change)
        if not dry:
            write(folder, changes, careful=True)
    return changes


def _text(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _closing(changes: list[FileEdit], merged: MergedPackage, dry: bool) -> str:
    """Return a sentence such as `3 files changed, 1 conflict`."""
    files = counted(len(changes), "file") if changes else "no file"
    done = " (nothing was written)" if dry and changes else ""
    return f"{files} changed, {counted(len(merged.conflicts), 'conflict')}{done}"
