"""Run `krmkit check [PATH...]`: report all errors in packages; nothing is written."""

from __future__ import annotations

import argparse
import os
import sys

from krmkit.analysis.baseline import Baseline, baseline_text
from krmkit.analysis.mending import mend
from krmkit.analysis.package import judge
from krmkit.cli.arguments import CommandParser, add_output, package_above
from krmkit.cli.recursive import PackageJob, chosen_packages, reports
from krmkit.cli.report import add_analysis
from krmkit.cli.running import options_of
from krmkit.fn.knownfunctions import catalog
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import CHECK, PackageReport, Report
from krmkit.render.package import read
from krmkit.render.resolve import ProgramResolver
from krmkit.storage.disk.write import write, write_file
from krmkit.views.formats import FORMATS, counted, shown
from krmkit.views.terminal import PEOPLE, Terminal, unread_is_fine

EPILOG = """
krmkit check                     the package that the working directory lies in
krmkit check sites blueprints    every package below two folders
krmkit check --rendered          and what a render would change
krmkit check --write-baseline old.json; krmkit check --baseline old.json

Packages are rendered in memory, and their Clusters are planned. What the
functions, the plan and the API's rules find is shown, each mistake once;
`krmkit explain RULE` says more about one. `# krmkit: ignore RULE (reason)` on
the line of a finding or above it hides it; an error that stops a render is
always shown.

Exit code: 0 nothing is wrong; 1 an error, or a wrong call; 2 with --rendered: a
file would change.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit check",
        description="Say everything that is wrong in packages, and write nothing.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a package, a folder with packages below, or a file of a package (default: the package that the"
        " working directory is in)",
    )
    made.add_argument(
        "--rendered", action="store_true", help="end with 2 if a render would change a file, and name it"
    )
    made.add_argument("--fix", action="store_true", help="show what the safe fixes would change")
    made.add_argument("--write", action="store_true", help="write, beside --fix")
    made.add_argument(
        "--baseline",
        default="",
        metavar="FILE",
        help="hide the findings in FILE, which --write-baseline wrote",
    )
    made.add_argument(
        "--write-baseline",
        default="",
        metavar="FILE",
        help="write the findings of today into FILE, so that only new ones are shown with --baseline",
    )
    add_analysis(made)
    add_output(made, FORMATS)
    made.set_defaults(severity="warning")
    return made


def main(words: list[str]) -> int:
    """Run `krmkit check ...`; returns the exit code: 1 for errors, 2 if --rendered finds changes."""
    arguments = parser().parse_args(words[1:])
    if arguments.functions:
        catalog(arguments.functions)  # an error in it is reported once, and not for every package
    terminal = Terminal.of(arguments)
    baseline = Baseline(arguments.baseline) if arguments.baseline else None
    report = Report(CHECK, written=False, check=arguments.rendered)
    folders = [
        package_above(path) if os.path.exists(path) else path for path in arguments.paths or [os.curdir]
    ]
    paths = {
        os.path.realpath(path): path for folder in folders for path in chosen_packages(folder, arguments)
    }
    if arguments.write and not arguments.fix:
        raise Refused("--write is for --fix; add --fix")
    people = arguments.format in PEOPLE
    job = CheckJob(arguments)
    job.colour = terminal.colour and people
    for package in reports(job, list(paths.values()), arguments):
        for note in package.notes:
            say("check", note)
        if arguments.format != "markdown":
            (terminal.stream if people else sys.stderr).write(package.diff)
        report.packages.append(package)
    if arguments.write_baseline:
        return _write_baseline(report.narrowed(arguments.severity), arguments.write_baseline)
    if baseline is not None:
        baseline.hide(report)
    with unread_is_fine(terminal.stream):
        terminal.stream.write(shown(report, arguments.format, terminal))
    return report.exit_code()


def _write_baseline(report: Report, path: str) -> int:
    """Write the findings to a file; return 1 if there are errors that no baseline may hide."""
    text, left = baseline_text(report)
    write_file(path, text)
    if left:
        say("check", f"{counted(left, 'error')} not in {path}: no baseline hides what stops a render")
    return 1 if left else 0


class CheckJob(PackageJob):
    """Check packages. `colour`: diffs are coloured."""

    colour = False

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__(arguments, options_of(arguments))

    def report(self, path: str, resolver: ProgramResolver) -> PackageReport:
        """Render a package in memory, and return its findings; changes only with --rendered."""
        if self.arguments.fix:
            made = mend(path, resolver, self.arguments.against)
            if self.arguments.write:
                write(made.package.path, made.edits, careful=True)
            found = made.report(self.arguments.write, self.colour)
        else:
            found, _ = judge(read(path, self.options.limits), resolver, self.arguments.against)
        if not self.arguments.rendered:
            found.changes = []
        return found
