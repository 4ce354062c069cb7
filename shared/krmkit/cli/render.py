"""Run `krmkit render PKG`: the pipeline of a package on disk."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from krmkit.cli.arguments import (
    CommandParser,
    add_output,
    add_package,
    add_place,
    add_tree,
    check_tree,
    package_above,
)
from krmkit.cli.rendered import finished, only_shows
from krmkit.cli.running import add_running, options_of, resolver_of
from krmkit.fleet.shard import add_shard
from krmkit.krm.annotations import BLUEPRINT_MARK
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import Report
from krmkit.render.findings.places import shown_path
from krmkit.render.findings.unreadable import unreadable
from krmkit.render.package import Package, read
from krmkit.render.pipeline import SAVES, render
from krmkit.render.rendering import Rendering
from krmkit.storage.disk.write import FileEdit, write_folder
from krmkit.views.formats import FORMATS, shown
from krmkit.views.progress import RenderProgress
from krmkit.views.terminal import Terminal, unread_is_fine

_PROGRAMS = FORMATS[2:]  # formats that programs read
_STREAMS = ("stdout", "unwrap", "cluster")
EPILOG = """
Without PKG, the package is the one that the working directory lies in.
Functions of this catalog run in this process, for the images of kpt's catalog,
of krmkit and of --in-process, and for exec: NAME without a path; `krmkit list
--for PKG` says who answers. Other images run in docker, podman or nerdctl
(KRM_FN_RUNTIME names one), without network and as the user "nobody"; other
programs run with --allow-exec. If a function cannot be run or fails, no file is
touched.

Exit code: 0 done, or nothing to do; 1 an error, or a wrong call; 2 with
--check: a file would change.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit render",
        description="Run the pipeline of a kpt package and its subpackages, and write the files\nthat changed.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_package(made)
    add_place(
        made,
        "stdout|unwrap|cluster|DIR",
        "leave the package as it is, and write its resources to stdout as a ResourceList, to stdout as documents,"
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
    made.add_argument(
        "--render-status",
        action="store_true",
        help="write into the root Kptfile how each function ended, as kpt does (always where it has that already, or a"
        " readiness gate asks for Rendered)",
    )
    made.add_argument("--dry-run", action="store_true", help="write nothing into the package")
    add_tree(made, "render every package at and below PKG, each for itself", jobs_with="")
    add_shard(made)
    add_output(made, FORMATS)
    add_running(made)
    made.add_argument(
        "--explain", action="store_true", help="add results that say which rule applied and why"
    )
    made.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    return made


def main(words: list[str], prepare: Callable[[Package], None] | None = None) -> int:
    """Run `krmkit render ...`; returns the exit code: 1 for errors, 2 if --check finds changes.

    `prepare` may change the pipeline of the package before it runs.
    """
    arguments = parser().parse_args(words[1:])
    options = options_of(arguments)
    options.jobs = 1 if arguments.recursive else arguments.jobs
    resolver = resolver_of(arguments, options)
    if problem := _contradiction(arguments):
        raise Refused(problem)
    if arguments.recursive:
        from krmkit.cli.recursive import render_all

        return render_all(arguments.package or os.curdir, arguments, options)
    observer = RenderProgress(Terminal(sys.stderr, arguments.color))
    folder = arguments.package or package_above()
    try:
        package = read(folder, options.limits)
        if prepare is not None:
            prepare(package)
        for note in package.notes:
            say("render", note)
        if problem := _unknown_choice(
            package, [*(() if "skip" in arguments.from_settings else arguments.skip), *arguments.only]
        ):
            raise Refused(problem)
        rendering = render(package, resolver, observer)
    except Refused as error:
        if arguments.format == "table":
            raise
        failed = unreadable(shown_path(folder), str(error))
        terminal = Terminal.of(arguments)
        print(shown(Report("render", [failed], written=False), arguments.format, terminal), end="")
        if not failed.results:
            raise
        # A result names the place of the error, and stderr does not repeat it.
        raise Refused(f"{shown_path(folder)} cannot be rendered; nothing was written") from None
    finally:
        observer.clear()
    terminal = Terminal.of(arguments, sys.stderr if arguments.output in _STREAMS else sys.stdout)
    # With a format for programs on stdout, the diff goes to stderr for the user.
    people, on_page = arguments.format not in _PROGRAMS, arguments.format == "markdown"
    where = terminal if people else Terminal(sys.stderr, "never" if on_page else arguments.color)
    if arguments.output and not rendering.failure:
        _save(package, rendering, arguments.output, only_shows(arguments))
    package_report = finished(package, rendering, arguments, where.colour)
    if not people and not on_page:
        sys.stderr.write(package_report.diff)
    if package.kptfile.is_blueprint and not arguments.output:
        say(
            "render",
            f"{package_report.path} is a blueprint ({BLUEPRINT_MARK}): it is validated and not changed; -o DIR renders a copy",
        )
    written = not only_shows(arguments) or bool(arguments.output)
    report = Report("render", [package_report], written, arguments.check)
    with unread_is_fine(terminal.stream):
        terminal.stream.write(shown(report, arguments.format, terminal))
    if rendering.failure:
        saved = rendering.saved and written and not arguments.output
        left = f"what stood before it was written ({SAVES})" if saved else "nothing was written"
        say("render", f"{rendering.failure}; {left}")
    return report.exit_code()


def _contradiction(arguments: argparse.Namespace) -> str:
    """Return the error of contradictory flags, or ""."""
    if arguments.write and (arguments.check or arguments.dry_run):
        return (
            f"--write and {'--check' if arguments.check else '--dry-run'} contradict each other; choose one"
        )
    output = arguments.output
    if arguments.recursive and output:
        return "--recursive renders packages in place, and cannot be combined with --output"
    check_tree(arguments, "since", "exclude")
    if not arguments.shard.whole and not arguments.recursive:
        return "--shard is for --recursive; add -r"
    if output and output not in _STREAMS and os.path.lexists(output):
        return f"{output} is there already; name a folder that does not exist yet"
    return ""


def _unknown_choice(package: Package, names: list[str]) -> str:
    """Return the error for a name in --skip or --only that no pipeline of the package has, or ""."""
    known = [function.function_name for each in package.walk() for function in each.functions]
    for name in names:
        if name not in known:
            return f'no function of the pipeline is called "{name}"{did_you_mean(name, known)}'
    return ""


def _save(package: Package, rendering: Rendering, output: str, only_show: bool) -> None:
    if output in _STREAMS:
        made = {"stdout": rendering.listed, "unwrap": rendering.unwrapped, "cluster": rendering.applied}
        sys.stdout.write(made[output]())
        sys.stdout.flush()  # an error comes before the report
    elif not only_show:
        write_folder(
            output,
            [
                FileEdit(path, None, text, like=os.path.join(package.path, path))
                for path, text in rendering.contents.items()
            ],
        )
