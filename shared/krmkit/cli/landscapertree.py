"""`krmkit landscaper graph|explain|reconcile -r DIR`: Installations of all packages, on all cores."""

from __future__ import annotations

import argparse

from krmkit.analysis.plans import installationtree
from krmkit.cli.recursive import chosen_packages, stream
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import PackageReport, Report
from krmkit.render.findings.places import shown_path
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.views.outcome import Told

DRAWINGS = ("dot", "mermaid")  # formats of a graph, beside those of all commands


def drawing(form: str) -> str:
    """Return the form of a graph in one of the formats; pages of markdown draw Mermaid."""
    return form if form in DRAWINGS else "mermaid" if form == "markdown" else "table"


def tell_all(arguments: argparse.Namespace, now: str) -> tuple[Told, int]:
    """Run a command on every package below a folder. Raises Refused, InstallationError."""
    paths = chosen_packages(arguments.package, arguments)
    installation, value = (getattr(arguments, name, "") for name in ("installation", "value"))
    job = installationtree.LandscaperJob(arguments.command, now, installation, value)
    report = Report(f"landscaper {arguments.command}", written=False)
    installations: list[installationtree.PackageInstallations] = []
    for path, one, problem in stream(job, paths, arguments):
        if one is not None:
            installations.append(one)
            report.packages.append(PackageReport(one.path, results=one.results, failure=one.failure))
        elif problem:
            report.packages.append(PackageReport(shown_path(path), failure=problem))
    if not report.packages and not arguments.since:
        problem = f"{arguments.package}: no package at or below holds an Installation"
        raise InstallationError("no-installation", problem)
    code = 1 if any(package.has_errors for package in report.packages) else 0
    if arguments.command == "graph":
        whole = installationtree.joined(installations)
        drawn = whole.shown(drawing(arguments.format))
        data = installationtree.graph_data(installations, whole)
        return Told(report, "InstallationGraph", data, drawn, block="mermaid"), code
    problem = ""
    if arguments.command == "explain":
        problem = installationtree.unknown(installation, installations, code == 0)
    if problem and code == 0:
        raise InstallationError("no-installation", problem)
    if problem:
        say("landscaper", problem)
    told = [one for one in installations if one.lines]
    text = "".join(f"{one.path}\n" + "".join(f"  {line}\n" for line in one.lines) for one in told)
    if arguments.command == "reconcile":
        return Told(report, "ReconcilePlan", {"now": now}, text), code
    packages = [{"path": one.path, "lines": one.lines} for one in told]
    return Told(report, "ImportSources", {"packages": packages}, text, block="text"), code
