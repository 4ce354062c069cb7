"""`krmkit pkg diff` and `krmkit pkg update`: follow the upstream of a package in git, keeping local edits and comments."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace

from krmkit.cli.arguments import CommandParser, add_output, say
from krmkit.cli.git.program import GitError
from krmkit.cli.git.treeupdate import File
from krmkit.cli.report.formats import FORMATS, counted
from krmkit.cli.report.model import CHANGED, CREATED, REMOVED, FileChange, PackageReport, Report, Result
from krmkit.cli.report.resultplaces import shown_path
from krmkit.cli.report.told import Told
from krmkit.cli.terminal import Terminal, unread_is_fine
from krmkit.cli.upstream import Fetched, Revision, Upstream, UpstreamError
from krmkit.disk import folders
from krmkit.disk.journal import recover
from krmkit.disk.write import FileEdit, write
from krmkit.krm.errors import ListError
from krmkit.lang.dottedpath import dotted
from krmkit.render.diff import diff
from krmkit.render.package import KPTFILE
from krmkit.render.packagemerge import MergedPackage, PackageMergeError, merge_packages
from krmkit.render.resourcemerge import is_unedited
from krmkit.render.source import SourceFile
from krmkit.yaml.errors import YamlError

DEEPEST = 16  # subpackages in subpackages: one that names its own package as upstream would never end
STRATEGIES = ("resource-merge", "fast-forward", "force-delete-replace")


def parser() -> CommandParser:
    """The command line of `krmkit pkg`."""
    made = CommandParser(
        prog="krmkit pkg", description="Follow the upstream of a package in git.", allow_abbrev=False
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="diff|update")
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
            "--check", action="store_true", help="write nothing; exit code 2 if files would change"
        )
        if name == "update":
            command.add_argument("--dry-run", action="store_true", help="write nothing")
            command.add_argument("--diff", action="store_true", help="show what changes")
        add_output(command, FORMATS)
    return made


def main(words: list[str]) -> int:
    """Run `krmkit pkg ...`; returns the exit code: 2 when --check found that files would change."""
    arguments = parser().parse_args(words[1:])
    folder, _, revision = arguments.package.partition("@")
    folder = folder or "."
    try:
        for note in recover(folder):
            say("pkg", note)
        local = _local_files(folder)
        merged, fresh = _updated(local, revision, arguments.strategy)
        dry = arguments.command == "diff" or arguments.dry_run or arguments.check
        changes = _save(folder, local, merged, fresh, dry)
    except (
        GitError, ListError, OSError, PackageMergeError, UpstreamError, YamlError, folders.TreeError
    ) as error:  # fmt: skip
        say(f"pkg {arguments.command}", error)
        return 1
    terminal = Terminal(sys.stdout, arguments.color)
    if arguments.command == "diff" or arguments.diff:
        # Beside a format for programs, the diff is for the one who watches.
        where = terminal if arguments.format in FORMATS[:2] else Terminal(sys.stderr, arguments.color)
        with unread_is_fine(where.stream):
            where.stream.write(diff(changes, where.colour))
    report = Report(f"pkg {arguments.command}", [_report(folder, merged, changes)], not dry, arguments.check)
    listed: dict[str, object] = {"changes": [change.data() for change in report.packages[0].changes]}
    closing = _closing(changes, merged, dry)
    Told(report, "PackageUpdate", listed, closing=closing).show(arguments.format, terminal)
    return 2 if arguments.check and changes else 0


def _updated(
    local: dict[str, File], revision: str, strategy: str | None
) -> tuple[MergedPackage, dict[str, File]]:
    """The package at a revision of its upstream, and its subpackages at the revisions that their own upstreams name.

    Returns the upstreams' files too, by path.
    """
    merged, fresh = _follow(local, revision, strategy)
    pending = [("", merged.files)]
    merged.files = {}
    while pending:
        prefix, files = pending.pop()
        if prefix and "upstream" in _kptfile({KPTFILE: File(files[KPTFILE])}):
            below, found = _followed_below(prefix.rstrip("/"), files)
            files = below.files
            merged.conflicts += [replace(one, file=prefix + one.file) for one in below.conflicts]
            fresh.update({prefix + path: file for path, file in found.items()})
        own, subpackages = _split(files)
        merged.files.update({prefix + path: content for path, content in own.items()})
        pending += [
            (f"{prefix}{folder}/", subpackages[folder]) for folder in sorted(subpackages, reverse=True)
        ]
    return merged, fresh


def _followed_below(folder: str, files: dict[str, bytes]) -> tuple[MergedPackage, dict[str, File]]:
    """A subpackage at the revision that its own upstream names. Raises UpstreamError."""
    if folder.count("/") >= DEEPEST:
        raise UpstreamError(
            f"subpackage {folder}: subpackages with an upstream lie more than {DEEPEST} folders deep"
        )
    try:
        return _follow({path: File(content) for path, content in files.items()}, "", None)
    except (GitError, UpstreamError, PackageMergeError) as error:
        raise UpstreamError(f"subpackage {folder}: {error}") from None


def _split(files: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, dict[str, bytes]]]:
    """A package's own files, and those of each subpackage directly below it by their paths in there."""
    folders = {path.removesuffix(f"/{KPTFILE}") for path in files if path.endswith(f"/{KPTFILE}")}
    own: dict[str, bytes] = {}
    below: dict[str, dict[str, bytes]] = defaultdict(dict)
    for path, content in files.items():
        end = path.find("/")
        while end >= 0 and path[:end] not in folders:
            end = path.find("/", end + 1)
        if end < 0:
            own[path] = content
        else:
            below[path[:end]][path[end + 1 :]] = content
    return own, below


def _follow(
    local: dict[str, File], revision: str, strategy: str | None
) -> tuple[MergedPackage, dict[str, File]]:
    with Fetched(Upstream.of(_kptfile(local))) as fetched:
        base = fetched.revision(fetched.upstream.commit)
        update = fetched.revision(revision or fetched.upstream.ref)
        strategy = strategy or _strategy(local)
        merged = _merge(strategy, base, update, local)
        _lock(merged, fetched.upstream, update, strategy)
    return merged, dict(update.files)


def _local_files(folder: str) -> dict[str, File]:
    """Every file of the package. Raises UpstreamError where the folder is no package."""
    if not os.path.isfile(os.path.join(folder, KPTFILE)):
        raise UpstreamError(f"{folder}: must be a package, a folder with a Kptfile")
    found: dict[str, File] = {}
    for path in folders.files(folder):
        place = os.path.join(folder, path)
        content = folders.read_file(place, path, within=folder)
        assert content is not None
        found[path] = File(content, bool(os.stat(place).st_mode & 0o100))
    return found


def _kptfile(files: dict[str, File]) -> dict[str, object]:
    return _data(_source(files[KPTFILE].content))


def _source(content: bytes) -> SourceFile:
    file = SourceFile(KPTFILE, content.decode("utf-8"), "", KPTFILE)
    if len(file.items) != 1:
        raise UpstreamError(f"Kptfile must hold one document, got {len(file.items)}")
    return file


def _data(file: SourceFile) -> dict[str, object]:
    data = file.items[0].get()
    assert isinstance(data, dict)
    return data


def _strategy(files: dict[str, File]) -> str:
    upstream = _kptfile(files).get("upstream")
    given = upstream.get("updateStrategy") if isinstance(upstream, dict) else None
    if given and given not in STRATEGIES:
        raise UpstreamError(
            f"Kptfile: upstream.updateStrategy must be one of {', '.join(STRATEGIES)}, got {given}"
        )
    return str(given or STRATEGIES[0])


def _merge(strategy: str, base: Revision, update: Revision, local: dict[str, File]) -> MergedPackage:
    before, after, here = (
        {path: file.content for path, file in files.items()} for files in (base.files, update.files, local)
    )
    if KPTFILE not in after:
        raise UpstreamError(f"{update.ref} has no Kptfile, so it is no package any more")
    if strategy == "resource-merge":
        return merge_packages(before, after, here)
    kptfile = {KPTFILE: here[KPTFILE]}
    if strategy == "fast-forward":
        edited = sorted(
            path
            for path in {*before, *here} - {KPTFILE}
            if not is_unedited(path, before.get(path), here.get(path))
        )
        if edited:
            raise UpstreamError(
                f"fast-forward needs a package without local edits; edited: {', '.join(edited[:5])}"
                f"{' and more' if len(edited) > 5 else ''}; use --strategy resource-merge"
            )
    return MergedPackage({**after, **kptfile})


def _lock(merged: MergedPackage, upstream: Upstream, update: Revision, strategy: str) -> None:
    """Write the revision that the package has now into its Kptfile, as kpt does."""
    file = _source(merged.files[KPTFILE])
    kptfile = file.items[0]
    for path, value in (
        (("upstream", "git", "ref"), update.ref),
        (("upstream", "updateStrategy"), strategy),
        (("upstreamLock", "git", "repo"), upstream.repo),
        (("upstreamLock", "git", "directory"), f"/{upstream.directory}"),
        (("upstreamLock", "git", "ref"), update.ref),
        (("upstreamLock", "git", "commit"), update.commit),
    ):
        if kptfile.get(*path) != value:
            kptfile.set(path, value)
    merged.files[KPTFILE] = file.joined(file.items).encode()


def _save(
    folder: str, local: dict[str, File], merged: MergedPackage, fresh: dict[str, File], dry: bool
) -> list[FileEdit]:
    """Write what changed, all of it or nothing; returns the changes, in the order of their paths."""
    changes: list[FileEdit] = []
    with tempfile.TemporaryDirectory(prefix="krmkit-update-") as place:
        for number, path in enumerate(sorted({*local, *merged.files})):
            before, after = local.get(path), merged.files.get(path)
            if before is not None and before.content == after:
                continue
            source = ""
            if after is not None and (before is None or _text(after) is None):
                # A new file gets the rights that it has upstream; one that is no text is copied.
                source = os.path.join(place, str(number))
                with open(source, "wb") as stream:
                    stream.write(after)
                new = fresh.get(path)
                os.chmod(source, 0o755 if new is not None and new.executable else 0o644)
            change = FileEdit(
                path,
                None if before is None else _text(before.content) or "",
                None if after is None else _text(after) or "",
                source,
                "" if before is None else os.path.join(folder, path),
            )
            changes.append(change)
        if not dry:
            texts = all(not change.source or change.before is None for change in changes)
            write(folder, changes, careful=texts)
    return changes


def _text(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _report(folder: str, merged: MergedPackage, changes: list[FileEdit]) -> PackageReport:
    """Conflicts as results, and the files that change."""
    report = PackageReport(shown_path(folder))
    above = "" if report.path == "." else f"{report.path}/"
    for conflict in merged.conflicts:
        kind, _, name = conflict.resource.partition(" ")
        result = Result("warning", "conflict", conflict.message, f"{above}{conflict.file}")
        result.resource = {"kind": kind, "name": name} if kind else {}
        result.field = dotted(conflict.path)
        report.results.append(result)
    for change in changes:
        action = CREATED if change.before is None else REMOVED if change.after is None else CHANGED
        report.changes.append(FileChange(f"{above}{change.path}", action))
    return report


def _closing(changes: list[FileEdit], merged: MergedPackage, dry: bool) -> str:
    """`3 files changed, 1 conflict`."""
    files = counted(len(changes), "file") if changes else "no file"
    done = " (nothing was written)" if dry and changes else ""
    return f"{files} changed, {counted(len(merged.conflicts), 'conflict')}{done}"
