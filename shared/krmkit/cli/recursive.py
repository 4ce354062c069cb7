"""Run `krmkit render -r DIR`: every package below a folder, on all cores, each on its own.

Memory does not grow with the number of packages: a process keeps nothing of a finished package, and results
are shown in the order of paths, each as soon as all before it are complete.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from krmkit.cli.arguments import cores
from krmkit.cli.rendered import finished, only_shows
from krmkit.cli.running import resolver_of
from krmkit.fleet.engine.jobs import Plain, local, unexpected
from krmkit.fn.run import RunOptions
from krmkit.kpt.krmignore import KrmIgnore
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import PackageReport, Report
from krmkit.render.findings.places import shown_path
from krmkit.render.findings.unreadable import unreadable
from krmkit.render.package import KPTFILE, read
from krmkit.render.pipeline import render
from krmkit.render.resolve import ProgramResolver
from krmkit.storage.disk.folders import WORK, resolved_by, walk
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.views.formats import Totals, of_package, shown
from krmkit.views.terminal import Terminal, unread_is_fine

_MOST_ALIKE = 50  # packages without warnings that are listed one by one
_COLLECT = 16  # packages between two garbage collections: a run leaves reference cycles


class PackageJob(ABC):
    """Work on packages, one after the other; `report` handles one. The resolver is made once per process."""

    def __init__(self, arguments: argparse.Namespace, options: RunOptions) -> None:
        self.arguments = arguments
        self.options = options
        self._resolver: ProgramResolver | None = None
        self._done = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_resolver": None}

    def __call__(self, path: str) -> PackageReport:
        if self._resolver is None:
            self._resolver = resolver_of(self.arguments, self.options)
            gc.collect()
            gc.freeze()
        self._done += 1
        if self._done % _COLLECT == 0:
            gc.collect()
        try:
            return self.report(path, self._resolver)
        except Refused:
            raise
        except Exception as error:
            if self.arguments.debug:
                raise
            raise Refused(f"{unexpected(error)} (--debug shows where)") from None

    @abstractmethod
    def report(self, path: str, resolver: ProgramResolver) -> PackageReport:
        """Return the report on the package at a path. Raises Refused."""


class RenderJob(PackageJob):
    """Render packages, and write the changes. `colour`: diffs are coloured."""

    colour = False

    def report(self, path: str, resolver: ProgramResolver) -> PackageReport:
        """Render a package, and write the changes."""
        package = read(path, self.options.limits)
        return finished(package, render(package, resolver), self.arguments, self.colour)


def render_all(folder: str, arguments: argparse.Namespace, options: RunOptions) -> int:
    """Render every package below `folder`, show the reports, and return the exit code. Raises Refused."""
    paths = chosen_packages(folder, arguments)
    paths = [path for path in paths if arguments.shard.takes(name_of(path, folder))]
    terminal = Terminal.of(arguments)
    people = arguments.format in ("table", "text")
    job = RenderJob(arguments, options)
    job.colour = terminal.colour and people
    totals = Totals()
    alike = 0
    report = Report("render", written=not only_shows(arguments), check=arguments.check)
    with unread_is_fine(terminal.stream):
        for one in reports(job, paths, arguments):
            totals.add(one)
            for note in one.notes:
                say("render", note)
            if people:
                text = of_package(one, report.written, arguments.format, terminal)
                plain = bool(text) and not (one.diff or one.has_errors or one.narrowed("warning").results)
                alike += plain
                terminal.stream.write("" if plain and alike > _MOST_ALIKE else text)
            else:
                if arguments.format != "markdown":
                    sys.stderr.write(one.diff)
                report.packages.append(one)
        if people:
            if alike > _MOST_ALIKE:
                terminal.stream.write(
                    f"... and {alike - _MOST_ALIKE} more packages changed; -f json lists them\n"
                )
            terminal.stream.write("" if terminal.quiet else totals.text(report.written) + "\n")
        else:
            terminal.stream.write(shown(report, arguments.format, terminal))
    return totals.exit_code(arguments.check)


def reports(
    job: Callable[[str], PackageReport], paths: list[str], arguments: argparse.Namespace
) -> Iterator[PackageReport]:
    """Yield a job's report on each package, in the order of the paths."""
    for path, report, problem in stream(job, paths, arguments):
        yield report if report is not None else unreadable(shown_path(path), problem)


def stream(
    job: Callable[[str], Any], paths: list[str], arguments: argparse.Namespace
) -> Iterator[tuple[str, Any, str]]:
    """Run a job on each package in --jobs processes; yield path, answer and error, in the order of `paths`.

    On a terminal a progress line counts the packages; it is cleared while the caller handles an answer.
    """
    progress = Terminal(sys.stderr, arguments.color)
    # With --debug an unexpected error ends the run, with its traceback.
    debug = getattr(arguments, "debug", False)
    engine = Plain() if debug else local(arguments.jobs or cores(), len(paths))
    for done, (path, (answer, problem)) in enumerate(zip(paths, engine.map(job, paths), strict=True), 1):
        progress.line("")
        yield path, answer, problem
        progress.line(f"{done} of {len(paths)} packages")
    progress.line("")


def name_of(path: str, folder: str) -> str:
    """Return a package's path in the folder. It decides the package's shard, wherever the folder lies."""
    return os.path.relpath(path, folder).replace(os.sep, "/")


def chosen_packages(folder: str, arguments: argparse.Namespace) -> list[str]:
    """Return the packages at and below a folder, filtered by --exclude and --since.

    Raises Refused, also if there is no package.
    """
    since = arguments.since
    paths = packages_below(folder, KrmIgnore("\n".join(arguments.exclude)))
    if not paths:
        raise Refused(f"{folder}: holds no package; neither it nor a folder below has a Kptfile")
    return changed_since(folder, paths, since) if since else paths


def packages_below(folder: str, ignored: KrmIgnore) -> list[str]:
    """Return the packages at and below a folder, sorted; a subpackage belongs to the one above it."""
    if not os.path.isdir(folder):
        raise Refused(f"{folder}: " + ("is not a folder" if os.path.exists(folder) else "does not exist"))
    packages: list[str] = []
    # Reading an unreadable folder as a package reports the error.
    for path, folders, files in walk(folder, packages):
        if KPTFILE in files:
            packages.append(path)
            folders.clear()
        above = "" if path == folder else f"{name_of(path, folder)}/"
        folders[:] = sorted(
            name
            for name in folders
            if name not in (".git", WORK) and not ignored.ignores(above + name, is_folder=True)
        )
    return sorted(packages)


def changed_since(folder: str, paths: list[str], revision: str) -> list[str]:
    """Return the packages in which a file, or the target of a link, differs from a git revision.

    Untracked files count. Raises Refused if git fails.
    """
    try:
        repository = GitRepository(Path(folder))
        repository.check_files()
        repository.check_inside()
        top = repository.work_tree()
        repository.check_rules(top)
        commit = _commit(repository, revision)
        quiet = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
        said = repository.run("diff", *quiet, "--name-only", "--no-renames", "-z", commit)
        said += repository.run("ls-files", "--others", "--exclude-standard", "--full-name", "-z", top)
    except GitError as error:
        raise Refused(f"--since {revision}: {error}") from None
    changed = {os.path.join(top, name) for name in os.fsdecode(said).split("\0") if name}
    above: set[str] = {top} if changed else set()
    for path in changed:
        while path not in above:
            above.add(path)
            path = os.path.dirname(path)
    return [path for path in paths if os.path.realpath(path) in above or _links(path, changed)]


def _commit(repository: GitRepository, revision: str) -> str:
    """Return the commit id of a revision. Raises GitError."""
    missing = GitError("there is no such commit; name a branch, a tag or a commit of this repository")
    if revision.startswith("-"):
        raise missing
    try:
        return repository.run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except GitError:  # not a shallow clone, or no repository
        if repository.run("rev-parse", "--is-shallow-repository").strip() == b"true":
            raise GitError(
                "there is no such commit in this shallow clone; fetch the history first: git fetch --unshallow,"
                " or fetch-depth: 0 of actions/checkout"
            ) from None
        raise missing from None


def _links(package: str, changed: set[str]) -> bool:
    """Return whether a package's file is a link to a changed file, or lies behind a changed link."""
    return any(
        os.path.islink(os.path.join(path, name))
        and not changed.isdisjoint(resolved_by(os.path.join(path, name)))
        for path, _, files in walk(package)
        for name in files
    )
