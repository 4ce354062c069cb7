"""`krmkit landscaper`: import components into a package, and draw, explain and plan its installations."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial

from krmkit.analysis.plans import installationtree
from krmkit.cli.arguments import (
    CommandParser,
    add_output,
    add_package,
    add_place,
    add_tree,
    check_tree,
    package_above,
    package_and_words,
)
from krmkit.cli.recursive import chosen_packages, stream
from krmkit.fn.masking import Mask, hide, secrets_among
from krmkit.krm.finding import ERROR
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.process.stderr import say
from krmkit.render.conversion.variablevalues import add_values, read_values
from krmkit.render.findings.model import PackageReport, Report, Result
from krmkit.render.findings.places import shown_path
from krmkit.render.resourcefiles import items_of as package_items
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.explain import explain
from krmkit.systems.landscaper.flow.graph import graph_of
from krmkit.systems.landscaper.items import installations as items_of
from krmkit.systems.landscaper.reconcile.plan import plan_items
from krmkit.views.formats import FORMATS
from krmkit.views.outcome import Told
from krmkit.views.terminal import Terminal

COMMANDS = "import|graph|explain|reconcile"


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit landscaper",
        description="Bring components into a package; draw, explain and plan its Installations.",
    )
    commands = made.add_subparsers(dest="command", required=True, metavar=COMMANDS)
    bring = commands.add_parser(
        "import",
        help="component archives, CTF folders and component constructors -> ConfigMaps in a package",
        description="Make ConfigMaps marked local-config of each component descriptor, blueprint and local resource below"
        " a folder: component archives (component-descriptor.yaml and blobs/) and folders in the common transport format;"
        " where there is neither, of component constructors (components.yaml, resources.yaml), with the files beside them."
        " Texts are carried byte for byte. Registries are not reached.",
    )
    bring.add_argument(
        "folders",
        nargs="+",
        metavar="SOURCE",
        help="a component archive, a CTF folder, or a component constructor (a file, or a folder with such)",
    )
    bring.add_argument(
        "--values", metavar="FILE", help="a YAML map of the variables in constructors, ${NAME}"
    )
    bring.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one of them; it wins over --values"
    )
    bring.add_argument(
        "--component", default="", metavar="NAME:VERSION", help="the component of a resources.yaml alone"
    )
    add_place(bring, "PKG", "the package", required=True)
    add_output(bring, FORMATS, results=False)
    draw = commands.add_parser(
        "graph",
        help="which installation exports data to which",
        description="Show the installations of a package, nested ones too, in the order in which they run, with the data"
        " that flows between them. Problems go to stderr, and the exit code is 1 then.",
    )
    _add_tree(draw)
    add_output(draw, (*FORMATS, *DRAWINGS), results=False, does=False)
    tell = commands.add_parser(
        "explain",
        help="where the value of an import comes from",
        description="Show where the imports of an installation come from: through every mapping and scope up to the object"
        " and the file. Values are not shown, as they may be secrets.",
    )
    _add_tree(tell)
    tell.add_argument(
        "installation", nargs="?", metavar="INSTALLATION", help="its path, as in shop/stack/web"
    )
    tell.add_argument("value", nargs="?", metavar="VALUE", help="one import of its blueprint; all without it")
    add_output(tell, FORMATS, results=False, does=False)
    plan = commands.add_parser(
        "reconcile",
        help="what Landscaper would reconcile by itself",
        description="Say for each Installation of a package whether Landscaper would reconcile it, and why.",
    )
    _add_tree(plan)
    plan.add_argument(
        "--now", default="", metavar="TIME", help="the time, as in 2026-05-01T08:00:00Z (default: now)"
    )
    add_output(plan, FORMATS)
    return made


def _add_tree(command: argparse.ArgumentParser) -> None:
    """Add the package, and the flags of all packages below a folder."""
    add_package(command)
    add_tree(command, "every package below the folder that is not a blueprint, on all cores")


def main(words: list[str]) -> int:
    arguments = parser().parse_args(words[1:])
    told, code = _told(arguments)
    form = "table" if arguments.format in DRAWINGS else arguments.format
    told.show(form, Terminal.of(arguments))
    return code


def _told(arguments: argparse.Namespace) -> tuple[Told, int]:
    """Return a command's output and its exit code."""
    if arguments.command == "explain":
        words = (arguments.package, arguments.installation, arguments.value)
        meant = os.curdir if arguments.recursive else package_above() if not words[1] else ""
        try:
            arguments.package, asked = package_and_words(words, 2, meant)
        except ValueError as error:
            raise InstallationError("call", str(error)) from None
        if not asked:
            raise InstallationError(
                "call",
                "explain needs an INSTALLATION, as in shop/stack/web; krmkit landscaper graph lists them",
            )
        arguments.installation, arguments.value = asked[0], asked[1] if len(asked) > 1 else ""
    elif arguments.command != "import" and not arguments.package:
        arguments.package = os.curdir if arguments.recursive else package_above()
    package = PackageReport(arguments.output if arguments.command == "import" else arguments.package)
    report = Report(f"landscaper {arguments.command}", [package], written=arguments.command == "import")
    if arguments.command == "import":
        from krmkit.render.conversion.componentfolder import imported

        values = add_values(read_values(arguments.values) if arguments.values else {}, arguments.set)
        warn = partial(say, "landscaper")
        lines = imported(arguments.folders, arguments.output, warn, values, arguments.component)
        return Told(report, "WrittenComponents", {"paths": lines}, _text(lines)), 0
    now = getattr(arguments, "now", "") or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if arguments.recursive:
        told, code = tell_all(arguments, now)
        for one in told.report.packages:
            for problem in [
                *([one.failure] if one.failure else []),
                *(r.message for r in one.results if r.severity == ERROR),
            ]:
                say("landscaper", f"{one.path}: {problem}")
        return told, code
    check_tree(arguments, "since", "jobs", "exclude")
    resources = _resources(arguments.package)
    if not any(installationtree.is_installation(item) for item in resources.items):
        raise InstallationError("no-installation", f"{arguments.package}: holds no Installation")
    mask = Mask(secrets_among(resources.items))
    try:
        return _answer(arguments, resources, report, mask, now)
    except InstallationError as error:
        raise InstallationError(error.rule, mask.message(str(error))) from None


def _answer(
    arguments: argparse.Namespace, resources: ResourceList, report: Report, mask: Mask, now: str
) -> tuple[Told, int]:
    """Return a command's output on one package, masked, and its exit code. Raises InstallationError."""
    package = report.packages[0]
    if arguments.command == "reconcile":
        findings = plan_items(resources, [], now, write=False)
        hide(findings, resources.items)
        package.results = [installationtree.as_result(one) for one in findings]
        return Told(report, "ReconcilePlan", {"now": now}, _text(map(str, findings))), package.has_errors
    items = installationtree.readable(items_of.read(resources))
    if arguments.command == "explain":
        try:
            options = installationtree.told_exports(resources, items)
            told = explain(items, arguments.installation, arguments.value, options)
            lines = [mask.message(line) for line in told]
        except InstallationError as error:
            place = _place(arguments, items, error.field)
            raise InstallationError(error.rule, f"{place}: {error}" if place else str(error)) from None
        return Told(report, "ImportSources", {"lines": lines}, _text(lines), block="text"), 0
    exports = installationtree.told_exports(resources, items)
    graph = graph_of(items, exports, partial(installationtree.place_in, arguments.package))
    for problem in map(mask.message, graph.problems):
        say("landscaper", problem)
        package.results.append(Result("error", "installation", problem))
    drawn = graph.shown(drawing(arguments.format))
    return Told(report, "InstallationGraph", graph.data(), drawn, block="mermaid"), package.has_errors


def _place(arguments: argparse.Namespace, items: items_of.Items, field: str) -> str:
    """Return the place of explain's root Installation, as `path:line:column`; "" if none."""
    root = arguments.installation.partition("/")[0]
    installations = [one for key, one in items.places.items() if key[0] == "Installation" and key[2] == root]
    return installationtree.place_in(arguments.package, installations[0], field) if installations else ""


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _resources(path: str) -> ResourceList:
    """Return all items of a package and of the packages in it, or of the YAML files of a folder."""
    items, notes = package_items(path)
    for note in notes:
        say("landscaper", note)
    return ResourceList.of(items)


DRAWINGS = ("dot", "mermaid")  # formats of a graph, beside those of all commands


def drawing(form: str) -> str:
    """Return the form of a graph in an output format; markdown draws Mermaid."""
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
