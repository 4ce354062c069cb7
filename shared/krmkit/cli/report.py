"""Run `krmkit report PKG|DIR`: all about a package or a tree of packages, as one page or as data."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from krmkit.analysis.fleet import collisions, synced_variants, variants_of
from krmkit.analysis.package import WHOLE, describe
from krmkit.analysis.systems.acrosspackages import links, versions
from krmkit.cli.arguments import (
    CommandParser,
    add_color,
    add_open,
    add_place,
    add_tree,
    package_above,
    show_page,
)
from krmkit.cli.recursive import PackageJob, chosen_packages, reports
from krmkit.cli.running import add_running, options_of
from krmkit.fn.knownfunctions import catalog
from krmkit.krm.errors import Refused
from krmkit.libraries.process.stderr import say
from krmkit.render.diff import CONTEXT
from krmkit.render.findings.model import PackageReport, Report
from krmkit.render.package import read
from krmkit.render.resolve import ProgramResolver
from krmkit.render.resourcefiles import resources_below
from krmkit.storage.disk.write import write_file
from krmkit.views.formats import counted, shown
from krmkit.views.page import page
from krmkit.views.terminal import Terminal, unread_is_fine

FORMATS = ("html", "json")
EPILOG = """
krmkit report profile -o profile.html     one package
krmkit report . -o fleet.html             every package below a folder
krmkit report profile --format json       the same as data

The page is one file that loads nothing. It shows what a render would change,
the findings, the pipeline, where values come from, packs and their pools, the
variants of a fleet, and the machines that roll. Packages are rendered in
memory: nothing of them is written. Secrets are not shown.

Exit code: 0 done; 1 a package has an error (the page shows it), or a wrong
call.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit report",
        description="Show all about a package, or about every package below a folder, on one page.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "package",
        nargs="?",
        default="",
        metavar="PKG|DIR",
        help="a package's folder, or one with packages below (default: the package that the working directory is in)",
    )
    add_place(made, "FILE", "the page: FILE.html (or FILE.json)", default="")
    add_open(made)
    made.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="",
        metavar="FORMAT",
        help="html or json (default: html; json goes to stdout without -o)",
    )
    add_analysis(made)
    made.add_argument(
        "--objects",
        default="",
        metavar="DIR",
        help="the Repositories of a fleet, as `krmkit variants` takes them: they say which packages go to one cluster",
    )
    made.add_argument(
        "--status",
        default="",
        metavar="FILE",
        help="what `krmkit variants status -f json` wrote, for a fleet whose packages are in git repositories",
    )
    add_color(made)
    return made


def add_analysis(made: CommandParser) -> None:
    """Add the flags for reading packages and comparing their Clusters."""
    made.add_argument(
        "--against",
        default="",
        metavar="DIR|REVISION",
        help="what Clusters are compared with for the machines that roll (default: HEAD)",
    )
    add_tree(made)
    add_running(made)
    made.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    arguments.format = arguments.format or (os.path.splitext(arguments.output)[1][1:] or FORMATS[0])
    if problem := _problem(arguments):
        raise Refused(problem)
    report = build(arguments)
    text = page(report.data()) if arguments.format == "html" else shown(report, "json", Terminal(sys.stdout))
    if arguments.output:
        write_file(arguments.output, text)
    with unread_is_fine(sys.stdout):
        sys.stdout.write(_said(report, arguments.output) if arguments.output else text)
    if arguments.open:
        show_page("report", Path(arguments.output).resolve().as_uri())
    for package in report.packages:
        for note in package.notes:
            say("report", note)
        if package.has_errors and (reason := package.reason):
            whole = len(report.packages) == 1 or reason.startswith(f"{package.path}/")
            say("report", reason if whole else f"{package.path}: {reason}")
    return report.exit_code()


def _problem(arguments: argparse.Namespace) -> str:
    """Return the error of contradictory flags, or ""."""
    output, form = arguments.output, arguments.format
    if form not in FORMATS:
        return f'-o must be a file that ends with .html or .json, got "{output}"'
    if arguments.open and (form != "html" or not output):
        return "--open shows a page; name it with -o FILE.html"
    if not output:
        return "name the page with -o FILE.html" if form == "html" else ""
    if not output.endswith(f".{form}"):
        return f'-o must end with .{form}, as the format is {form}, got "{output}"'
    return f"{output} is a folder; name a file" if os.path.isdir(output) else ""


def _said(report: Report, output: str) -> str:
    changed = sum(bool(package.changes) and not package.has_errors for package in report.packages)
    failed = sum(package.has_errors for package in report.packages)
    of = counted(len(report.packages), "package")
    return f"{output}: {of}, {changed} would change, {failed} failed\n"


def build(arguments: argparse.Namespace) -> Report:
    """Return the report of a package or of all below a folder. Raises Refused."""
    if arguments.functions:
        catalog(arguments.functions)  # an error in it is reported once, and not for every package
    folder = arguments.package or package_above()
    report = Report("report", written=False)
    # Fail early, before the long work.
    objects = resources_below(arguments.objects) if arguments.objects else []
    synced = synced_variants(arguments.status) if arguments.status else []
    paths = chosen_packages(folder, arguments)
    job = ReportJob(arguments, WHOLE if len(paths) == 1 else CONTEXT)
    report.packages += reports(job, paths, arguments)
    report.variants = variants_of(folder, report.packages) + synced
    report.links, report.versions = links(report.packages), versions(report.packages)
    report.collisions = collisions(report, objects)
    return report


class ReportJob(PackageJob):
    """Reports on packages. `context`: lines around each change in the diffs."""

    def __init__(self, arguments: argparse.Namespace, context: int) -> None:
        super().__init__(arguments, options_of(arguments, explain=True))
        self.context = context

    def report(self, path: str, resolver: ProgramResolver) -> PackageReport:
        """Render a package in memory, and report on it."""
        package = read(path, self.options.limits)
        return describe(package, resolver, self.context, against=self.arguments.against)[0]
