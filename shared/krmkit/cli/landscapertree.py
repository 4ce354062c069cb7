"""`krmkit landscaper graph|explain|reconcile -r DIR`: the Installations of every package below a folder, on all cores."""

from __future__ import annotations

import sys

from krmkit.cli.arguments import cores
from krmkit.cli.recursive import chosen_packages
from krmkit.fleet.engine.jobs import local
from krmkit.landscaper.errors import InstallationError
from krmkit.output.model import PackageReport, Report
from krmkit.output.outcome import Told
from krmkit.output.places import shown_path
from krmkit.output.stderr import say
from krmkit.output.terminal import Terminal
from krmkit.report.installationtree import (
    LandscaperJob,
    PackageInstallations,
    graph_data,
    joined,
    unknown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def tell_all(arguments: argparse.Namespace, now: str, drawings: tuple[str, ...]) -> tuple[Told, int]:
    """Do a command for every package below a folder. Raises PackageTreeError, InstallationError."""
    paths = chosen_packages(arguments.package, arguments.since, arguments.exclude)
    installation = getattr(arguments, "installation", "")
    job = LandscaperJob(arguments.command, now, installation, getattr(arguments, "value", ""))
    report = Report(f"landscaper {arguments.command}", written=False)
    progress = Terminal(sys.stderr, arguments.color)
    found: list[PackageInstallations] = []
    engine = local(arguments.jobs or cores(), len(paths))
    for done, (path, (one, problem)) in enumerate(zip(paths, engine.map(job, paths), strict=True), 1):
        progress.line(f"{done} of {len(paths)} packages")
        if one is not None:
            found.append(one)
            report.packages.append(PackageReport(one.path, results=one.results, failure=one.failure))
        elif problem:
            report.packages.append(PackageReport(shown_path(path), failure=problem))
    progress.line("")
    code = 1 if any(package.has_errors for package in report.packages) else 0
    if arguments.command == "graph":
        whole = joined(found)
        drawn = whole.shown(arguments.format if arguments.format in drawings else "table")
        return Told(report, "InstallationGraph", graph_data(found, whole), drawn), code
    problem = unknown(installation, found, code == 0) if arguments.command == "explain" else ""
    if problem and code == 0:
        raise InstallationError("no-installation", problem)
    if problem:
        say("landscaper", problem)
    told = [one for one in found if one.lines]
    text = "".join(f"{one.path}\n" + "".join(f"  {line}\n" for line in one.lines) for one in told)
    if arguments.command == "reconcile":
        return Told(report, "ReconcilePlan", {"now": now}, text), code
    packages = [{"path": one.path, "lines": one.lines} for one in told]
    return Told(report, "ImportSources", {"packages": packages}, text), code
