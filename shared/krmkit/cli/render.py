"""`krmkit render PKG`: the embedded pipeline on a package on disk."""

from __future__ import annotations

import argparse
import os
import sys
import time

from krmkit.cli.terminal import CYAN, RED, YELLOW, Table, Terminal, seconds, unread_is_fine
from krmkit.fn.arguments import UsageError, parse_arguments
from krmkit.fn.diff import diff
from krmkit.fn.external import TIMEOUT
from krmkit.fn.package import Package, PackageError, read
from krmkit.fn.pipeline import Rendering, render
from krmkit.fn.resolve import Resolver
from krmkit.fn.resultlist import FILE, FunctionRun, normalized, results_text
from krmkit.fn.run import Options
from krmkit.fn.write import Change, WriteError, write, write_file, write_folder

_SLOW = 0.5  # seconds after which a terminal shows what is going on
_COLOURS = {"error": RED, "warning": YELLOW, "info": CYAN}
_STREAMS = ("stdout", "unwrap", "cluster")
EPILOG = """
Functions of this catalog run in this process, found by the last segment of image: (whatever registry and tag) or by the
program of exec:. Other images run in docker, podman or nerdctl (KPT_FN_RUNTIME names one), without network and as nobody;
other programs run with --allow-exec. If a function cannot be run or fails, no file is touched.
"""


def parser() -> argparse.ArgumentParser:
    """The command line of `krmkit render`."""
    made = argparse.ArgumentParser(
        prog="krmkit render",
        description="Run the pipeline of a kpt package and its subpackages, and write the files that changed.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "package", nargs="?", default=".", metavar="PKG", help="the package's folder (default: .)"
    )
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
    made.add_argument("--diff", action="store_true", help="show what changes")
    made.add_argument(
        "--show-secrets", action="store_true", help="show secrets that macros were resolved to in --diff"
    )
    made.add_argument("--dry-run", action="store_true", help="write nothing into the package")
    made.add_argument("--allow-exec", action="store_true", help="let programs outside the catalog run")
    made.add_argument("--allow-network", action="store_true", help="let containers reach the network")
    made.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help="how long a function outside the catalog may take (default: %(default)g)",
    )
    made.add_argument(
        "--image-pull-policy",
        choices=["Always", "IfNotPresent", "Never"],
        default="IfNotPresent",
        help="when to pull images (default: %(default)s)",
    )
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
    """Run `krmkit render ...`; returns the exit code: 1 when a function failed or the package is not right."""
    arguments = parser().parse_args(words[1:])
    try:
        options = _options(arguments)
    except UsageError as error:
        print(f"krmkit render: {error}", file=sys.stderr)
        return 2
    streams = arguments.output in _STREAMS
    if arguments.output and not streams and os.path.lexists(arguments.output):
        print(
            f"krmkit render: {arguments.output} is there already; name a folder that does not exist yet",
            file=sys.stderr,
        )
        return 1
    observer = _Progress(Terminal(sys.stderr))
    try:
        package = read(arguments.package, options.limits)
        for note in package.notes:
            print(f"krmkit render: {note}", file=sys.stderr)
        resolver = Resolver(
            options,
            arguments.allow_exec,
            arguments.allow_network,
            arguments.image_pull_policy,
            arguments.timeout,
        )
        rendering = render(package, resolver, observer)
    except PackageError as error:
        print(f"krmkit render: {error}", file=sys.stderr)
        return 1
    finally:
        observer.clear()
    report = Terminal(sys.stderr if streams else sys.stdout)
    try:
        if arguments.results_dir:
            path = os.path.join(arguments.results_dir, FILE)
            write_file(path, results_text(rendering.runs, rendering.exit_code))
        if not rendering.failure:
            _save(package, rendering, arguments.output, arguments.dry_run)
    except WriteError as error:
        print(f"krmkit render: {error}", file=sys.stderr)
        return 1
    shown = (
        diff(rendering.changes, report.colour, rendering.secrets if not arguments.show_secrets else ())
        if arguments.diff
        else ""
    )
    with unread_is_fine(report.stream):
        report.stream.write(shown)
        _report(rendering, report, "\n" if shown else "", arguments.output, arguments.dry_run)
    if rendering.failure:
        print(f"krmkit render: {rendering.failure}; nothing was written", file=sys.stderr)
    return rendering.exit_code


def _options(arguments: argparse.Namespace) -> Options:
    words = ["--explain"] * arguments.explain + ["--debug"] * arguments.debug
    return parse_arguments(words + [f"--limit={limit}" for limit in arguments.limit]).options


def _save(package: Package, rendering: Rendering, output: str | None, dry_run: bool) -> None:
    if output == "stdout":
        sys.stdout.write(rendering.listed())
    elif output == "unwrap":
        sys.stdout.write(rendering.unwrapped())
    elif output == "cluster":
        sys.stdout.write(rendering.applied())
    elif dry_run:
        return
    elif output:
        write_folder(
            output,
            [
                Change(path, None, text, like=os.path.join(package.path, path))
                for path, text in rendering.contents.items()
            ],
        )
    else:
        write(package.path, rendering.changes, package.leftovers, careful=True)


def _report(
    rendering: Rendering, terminal: Terminal, between: str, output: str | None, dry_run: bool
) -> None:
    """The table of the results, set off by `between` from what stands before it, and what happened in one line."""
    table = Table(["SEVERITY", "RULE", "WHERE", "MESSAGE"])
    for run in rendering.runs:
        for result in map(normalized, run.results):
            severity = str(result.get("severity", "info"))
            tags = result.get("tags")
            rule = str(tags.get("rule", "")) if isinstance(tags, dict) else ""
            table.add(
                [severity, rule, _where(result, run), str(result["message"])], _COLOURS.get(severity, "")
            )
        if run.reason:
            table.add(["error", "", run.name, run.reason], RED)
    stream = terminal.stream
    if len(table):
        stream.write(between + table.text(terminal) + "\n")
    if rendering.failure:
        return
    count = len(rendering.changes)
    files = "no file changed" if not count else "1 file changed" if count == 1 else f"{count} files changed"
    done = " (dry run: nothing was written)" if dry_run and not output else ""
    functions, packages = len(rendering.runs), rendering.packages
    stream.write(
        f"{functions} function{'s' * (functions != 1)} ran in {packages} package{'s' * (packages != 1)}: {files}{done}\n"
    )


def _where(result: dict[str, object], run: FunctionRun) -> str:
    """`sub/app.yaml ConfigMap app data.x`, as much of it as the result says."""
    parts = []
    file, reference, field = result.get("file"), result.get("resourceRef"), result.get("field")
    if isinstance(file, dict) and file.get("path"):
        parts.append(f"{run.package}/{file['path']}" if run.package else str(file["path"]))
    if isinstance(reference, dict):
        name = f"{reference.get('namespace', '')}/{reference.get('name', '')}".lstrip("/")
        parts.append(f"{reference.get('kind', '')} {name}")
    if isinstance(field, dict) and field.get("path"):
        parts.append(str(field["path"]))
    return " ".join(parts)


class _Progress:
    """One line on a terminal that says which function is at work, once a run takes its time."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.start = time.monotonic()
        self.shown = False

    def started(self, run: FunctionRun, number: int, total: int, resources: int) -> None:
        if self.terminal.watched and (self.shown or time.monotonic() - self.start > _SLOW):
            where = f" in {run.package}" if run.package else ""
            text = f"[{number}/{total}] {run.name} on {resources} resources{where}"
            self.terminal.stream.write("\r\x1b[K" + text[: max(self.terminal.width - 1, 10)])
            self.terminal.stream.flush()
            self.shown = True

    def finished(self, run: FunctionRun) -> None:
        """The next function says that this one has ended."""

    def clear(self) -> None:
        if self.shown:
            self.terminal.stream.write("\r\x1b[K")
            self.shown = False
