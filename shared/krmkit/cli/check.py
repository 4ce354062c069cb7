"""`krmkit check [PATH...]`: everything that is wrong in packages, with nothing written."""

from __future__ import annotations

import argparse
import os

from krmkit.analysis.package import judge
from krmkit.cli.arguments import CommandParser, add_output, package_above
from krmkit.cli.recursive import PackageJob, chosen_packages, reports
from krmkit.cli.report import add_analysis
from krmkit.cli.running import options_of
from krmkit.fn.knownfunctions import catalog
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import CHECK, PackageReport, Report
from krmkit.render.package import read
from krmkit.render.resolve import ProgramResolver
from krmkit.views.formats import FORMATS, shown
from krmkit.views.terminal import Terminal, unread_is_fine

EPILOG = """
krmkit check                     the package that the working directory lies in
krmkit check sites blueprints    every package below two folders
krmkit check --rendered          and what a render would change

Packages are rendered in memory, and their Clusters are planned. What the
functions, the plan and the API's rules find is shown, each mistake once;
`krmkit explain RULE` says more about one.

Exit code: 0 nothing is wrong; 1 an error, or a wrong call; 2 with --rendered: a
file would change.
"""


def parser() -> CommandParser:
    """Return the command line of `krmkit check`."""
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
    report = Report(CHECK, written=False, check=arguments.rendered)
    folders = [
        package_above(path) if os.path.exists(path) else path for path in arguments.paths or [os.curdir]
    ]
    paths = {
        os.path.realpath(path): path for folder in folders for path in chosen_packages(folder, arguments)
    }
    for package in reports(CheckJob(arguments), list(paths.values()), arguments):
        for note in package.notes:
            say("check", note)
        report.packages.append(package)
    with unread_is_fine(terminal.stream):
        terminal.stream.write(shown(report, arguments.format, terminal))
    return report.exit_code()


class CheckJob(PackageJob):
    """Judges packages."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__(arguments, options_of(arguments))

    def report(self, path: str, resolver: ProgramResolver) -> PackageReport:
        """Render a package in memory, and return its findings; changes only with --rendered."""
        found = judge(read(path, self.options.limits), resolver, self.arguments.against)
        if not self.arguments.rendered:
            found.changes = []
        return found
