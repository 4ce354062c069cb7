"""`krmkit render PKG`: the embedded pipeline on a package on disk."""

from __future__ import annotations

import argparse
import os
import sys
import time

from krmkit.cli.arguments import CommandParser, add_output, add_running, count, resolver_of, say
from krmkit.cli.report.formats import FORMATS, shown
from krmkit.cli.report.model import Report
from krmkit.cli.report.resultplaces import report_of, shown_path
from krmkit.cli.report.unreadable import unreadable
from krmkit.cli.terminal import Terminal, unread_is_fine
from krmkit.cli.work.shard import add_shard
from krmkit.disk.write import FileEdit, WriteError, write, write_file, write_folder
from krmkit.fn.commandline import UsageError, parse_arguments
from krmkit.fn.knownfunctions import CatalogError
from krmkit.fn.run import RunOptions
from krmkit.render.diff import diff
from krmkit.render.package import KPTFILE, Package, PackageError, read
from krmkit.render.pipeline import render
from krmkit.render.rendering import Rendering
from krmkit.render.resultlist import FILE, FunctionRun, results_text
from krmkit.render.source import FileResource

_SLOW = 0.5  # seconds after which a terminal shows what is going on
_PROGRAMS = FORMATS[2:]  # formats that programs read
_STREAMS = ("stdout", "unwrap", "cluster")
EPILOG = """
Without PKG, the package is the one that the working directory lies in.
Functions of this catalog run in this process, found by the last segment of
image: (whatever registry and tag) or by the program of exec:. Other images run
in docker, podman or nerdctl (KPT_FN_RUNTIME names one), without network and as
nobody; other programs run with --allow-exec. If a function cannot be run or
fails, no file is touched.

Exit code: 0 done, or nothing to do; 1 an error, or a wrong call; 2 with
--check: a file would change.
"""


def parser() -> CommandParser:
    """The command line of `krmkit render`."""
    made = CommandParser(
        prog="krmkit render",
        description="Run the pipeline of a kpt package and its subpackages, and write the files\nthat changed.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("package", nargs="?", default="", metavar="PKG", help="the package's folder")
    made.add_argument(
        "-o",
        "--output",
        metavar="stdout|unwrap|cluster|DIR",
        help="leave the package as it is, and write its resources to stdout as a ResourceList, to stdout as documents,"
        " to stdout as documents without what never reaches a cluster (Kptfiles, and what is marked local-config),"
        " or to a new folder",
    )
    made.add_argument(
        "--results-dir", metavar="DIR", help="write the results of all functions to DIR/results.yaml"
    )
    made.add_argument(
        "--check", action="store_true", help="write nothing, and end with 2 if a file would change"
    )
    made.add_argument("--diff", action="store_true", help="show what would change, and write nothing")
    made.add_argument("--write", action="store_true", help="write, beside --diff")
    made.add_argument("--show-secrets", action="store_true", help="show secrets in --diff")
    made.add_argument("--dry-run", action="store_true", help="write nothing into the package")
    made.add_argument(
        "-r",
        "--recursive",
        action="store_true",
        help="render every package at and below PKG, each for itself",
    )
    made.add_argument(
        "--since",
        metavar="REVISION",
        help="with -r: only packages in which something differs from a git revision",
    )
    made.add_argument(
        "--jobs",
        type=count,
        metavar="N",
        help="with -r: how many processes work (default: one for each core)",
    )
    add_shard(made)
    add_output(made, FORMATS)
    add_running(made)
    made.add_argument(
        "--explain", action="store_true", help="add results that say which rule applied and why"
    )
    made.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    made.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=N",
        help="raise a limit: depth, aliases, items, item_size, total_size, effort (Ki, Mi, Gi may follow N)",
    )
    return made


def main(words: list[str]) -> int:
    """Run `krmkit render ...`; returns the exit code: 1 for errors, 2 where --check finds that files would change."""
    arguments = parser().parse_args(words[1:])
    try:
        options = _options(arguments)
        resolver = resolver_of(arguments, options)
    except (CatalogError, UsageError) as error:
        say("render", error)
        return 1
    problem = _contradiction(arguments)
    if problem:
        say("render", problem)
        return 1
    only_show = arguments.check or arguments.dry_run or (arguments.diff and not arguments.write)
    if arguments.recursive:
        from krmkit.cli.recursive import PackageTreeError, render_all

        try:
            return render_all(arguments.package or os.curdir, arguments, options, only_show)
        except PackageTreeError as error:
            say("render", error)
            return 1
    observer = _Progress(Terminal(sys.stderr, arguments.color))
    folder = arguments.package or package_above()
    try:
        package = read(folder, options.limits)
        for note in package.notes:
            say("render", note)
        rendering = render(package, resolver, observer)
    except PackageError as error:
        if arguments.format != "table":
            failed = unreadable(shown_path(folder), str(error))
            terminal = Terminal(sys.stdout, arguments.color)
            print(shown(Report("render", [failed], written=False), arguments.format, terminal), end="")
        say("render", error)
        return 1
    finally:
        observer.clear()
    try:
        if arguments.results_dir:
            path = os.path.join(arguments.results_dir, FILE)
            write_file(path, results_text(rendering.runs, rendering.exit_code))
        if not rendering.failure:
            _save(package, rendering, arguments.output, only_show)
    except WriteError as error:
        say("render", error)
        return 1
    return _show(package, rendering, arguments, only_show)


def package_above() -> str:
    """The package that the working directory lies in: the nearest folder upwards with a Kptfile, else `.`."""
    folder = os.path.realpath(os.curdir)
    while not os.path.exists(os.path.join(folder, KPTFILE)):
        above = os.path.dirname(folder)
        if above == folder:
            return os.curdir
        folder = above
    return os.path.relpath(folder)


def _contradiction(arguments: argparse.Namespace) -> str:
    """What is wrong with the flags as a whole, "" where nothing is."""
    if arguments.write and (arguments.check or arguments.dry_run):
        return (
            f"--write and {'--check' if arguments.check else '--dry-run'} contradict each other; choose one"
        )
    output = arguments.output
    if arguments.recursive and output:
        return "--recursive renders packages in place, and cannot be combined with --output"
    for flag, given in (
        ("--since", arguments.since),
        ("--jobs", arguments.jobs),
        ("--shard", not arguments.shard.whole),
    ):
        if given and not arguments.recursive:
            return f"{flag} is for --recursive; add -r"
    if output and output not in _STREAMS and os.path.lexists(output):
        return f"{output} is there already; name a folder that does not exist yet"
    return ""


def _show(package: Package, rendering: Rendering, arguments: argparse.Namespace, only_show: bool) -> int:
    """Show the report; returns the exit code."""
    streams = arguments.output in _STREAMS
    terminal = Terminal(sys.stderr if streams else sys.stdout, arguments.color)
    one = report_of(package, rendering)
    report = Report("render", [one], written=not only_show or bool(arguments.output), check=arguments.check)
    people = arguments.format not in _PROGRAMS
    if arguments.diff:
        # Beside a format for programs, the diff is for the one who watches.
        where = terminal if people else Terminal(sys.stderr, arguments.color)
        from krmkit.cli.report.mask import secrets_of

        secrets = () if arguments.show_secrets else secrets_of(package, rendering)
        one.diff = diff(rendering.shown, where.colour, secrets)
        if not people:
            sys.stderr.write(one.diff)
    with unread_is_fine(terminal.stream):
        terminal.stream.write(shown(report, arguments.format, terminal))
    if rendering.failure:
        say("render", f"{rendering.failure}; nothing was written")
    return report.exit_code()


def _options(arguments: argparse.Namespace) -> RunOptions:
    words = ["--explain"] * arguments.explain + ["--debug"] * arguments.debug
    return parse_arguments(words + [f"--limit={limit}" for limit in arguments.limit]).options


def _save(package: Package, rendering: Rendering, output: str | None, only_show: bool) -> None:
    if output == "stdout":
        sys.stdout.write(rendering.listed())
    elif output == "unwrap":
        sys.stdout.write(rendering.unwrapped())
    elif output == "cluster":
        sys.stdout.write(rendering.applied())
    elif output and not only_show:
        write_folder(
            output,
            [
                FileEdit(path, None, text, like=os.path.join(package.path, path))
                for path, text in rendering.contents.items()
            ],
        )
    elif not output and not only_show:
        write(package.path, rendering.changes, package.leftovers, careful=True)


class _Progress:
    """One line on a terminal that says which function is at work, once a run takes its time."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.start = time.monotonic()
        self.shown = False

    def started(self, run: FunctionRun, number: int, total: int, resources: int) -> None:
        if self.terminal.watched and (self.shown or time.monotonic() - self.start > _SLOW):
            where = f" in {run.package}" if run.package else ""
            self.terminal.line(f"[{number}/{total}] {run.name} on {resources} resources{where}")
            self.shown = True

    def finished(self, run: FunctionRun) -> None:
        """The next function says that this one has ended."""

    def left(self, run: FunctionRun, before: list[FileResource], after: list[FileResource]) -> None:
        """What it did is shown at the end."""

    def clear(self) -> None:
        if self.shown:
            self.terminal.line("")
            self.shown = False
