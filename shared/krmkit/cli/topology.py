"""`krmkit topology plan PKG`: show what a change of Clusters, classes or templates will do."""

from __future__ import annotations

import argparse
import sys

from krmkit.analysis.plans.planjob import PackagePlan, PlanJob
from krmkit.analysis.plans.planwork import Work, compute
from krmkit.analysis.plans.results import exit_code
from krmkit.analysis.plans.sources import extension_names, read_both, read_with_cluster, rebase
from krmkit.cli.arguments import (
    CommandParser,
    add_output,
    add_package,
    add_tree,
    check_tree,
    cores,
    package_above,
)
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import Result
from krmkit.render.findings.places import shown_path
from krmkit.services.extension.live import Recorder
from krmkit.systems.clusterapi.api.collection import Collected, Key
from krmkit.systems.clusterapi.desired.topologies import TopologyOptions
from krmkit.systems.clusterapi.plan.model import TopologyPlan
from krmkit.views.formats import FORMATS
from krmkit.views.terminal import Terminal
from krmkit.views.topology import MARKDOWN, PAGES, told

_WARNING = ("table", "text", MARKDOWN)  # formats that show the warnings to people
EPILOG = """
The package is rendered as it was, and then as it is with the first render as its current state. As it was: the commit HEAD, another
revision (--against main), or a folder, which may hold what `kubectl get -o yaml` exports; then the running objects are the state.
With --live, kubectl reads the running objects of the package's Clusters. The options of a RenderClusterTopology in the package hold.
Nothing is written.

Exit code: 0 nothing changes, 2 something does, 1 a Cluster or class is refused, or the packages cannot be read.
"""


def parser() -> CommandParser:
    made = CommandParser(
        prog="krmkit topology", description="Cluster API's managed topologies, offline.", allow_abbrev=False
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    plan = commands.add_parser(
        "plan",
        help="show what a change does to Clusters, and which machines roll",
        description="Show what a change of a package does to its Clusters, and which machines roll, and why.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_package(plan)
    add_tree(plan, "plan every package at and below PKG that holds Clusters, each for itself", jobs_with="")
    plan.add_argument(
        "--against",
        default="",
        metavar="DIR|REVISION",
        help="the package as it was: a folder, or a revision of its git repository (default: HEAD)",
    )
    plan.add_argument(
        "--live",
        action="store_true",
        help="compare with the running objects, which kubectl reads with its own credentials",
    )
    plan.add_argument("--context", default="", metavar="NAME", help="the context of kubectl (with --live)")
    plan.add_argument(
        "--cluster", action="append", default=[], metavar="NAME", help="only this Cluster (repeatable)"
    )
    plan.add_argument(
        "--rebase",
        action="append",
        default=[],
        metavar="CLUSTER=CLASS",
        help="ask what another class would do to a Cluster (repeatable)",
    )
    _add_extensions(plan)
    plan.add_argument(
        "--steps",
        action="store_true",
        help="show the sequence of each upgrade: which machines roll one after the other",
    )
    add_output(plan, tuple(dict.fromkeys((*FORMATS, *PAGES))))
    commands.add_parser(
        "check-extension", help="test whether a runtime extension keeps the contract", add_help=False
    )
    commands.add_parser(
        "explain",
        help="show what the variables of a ClusterClass do, or a minimal Cluster of it",
        add_help=False,
    )
    return made


def _add_extensions(plan: argparse.ArgumentParser) -> None:
    """Add the flags for running runtime extensions."""
    plan.add_argument(
        "--extension",
        action="append",
        default=[],
        metavar="NAME=URL",
        help="let this extension answer for the ExtensionConfig NAME: https://..., or exec:PROGRAM (repeatable)",
    )
    plan.add_argument(
        "--ca-file", default="", metavar="FILE", help="the authority of extensions' certificates (PEM)"
    )
    plan.add_argument(
        "--client-cert", default="", metavar="FILE", help="the certificate to show to extensions (PEM)"
    )
    plan.add_argument("--client-key", default="", metavar="FILE", help="its key (PEM)")
    plan.add_argument(
        "--record",
        default="",
        metavar="FILE",
        help="write all requests and answers of extensions as a TopologyResponses",
    )


def main(words: list[str]) -> int:
    """Run `krmkit topology ...`; returns the exit code: 0 nothing changes, 2 something does, 1 for errors."""
    if words[1:2] == ["check-extension"]:
        from krmkit.cli.checkextension import main as check_extension

        return check_extension(words[1:])
    if words[1:2] == ["explain"]:
        from krmkit.cli.explainclass import main as explain

        return explain(words[2:])
    arguments = parser().parse_args(words[1:])
    arguments.package = arguments.package or package_above()
    _check(arguments)
    tree = arguments.recursive
    ignored: list[str] = []
    plans = _plans(arguments) if tree else [_plan(arguments, ignored)]
    terminal = Terminal.of(arguments)
    form = arguments.format
    told(plans, form, terminal, tree, arguments.steps).show("table" if form in PAGES else form, terminal)
    for package in plans:
        above = f"{package.path}: " if tree else ""
        for warning in (*ignored, *(() if form in _WARNING else package.plan.warnings)):
            print(f"warning: {above}{warning}", file=sys.stderr)
        for error in (*package.plan.errors, *filter(None, [package.problem])):
            say("topology plan", f"{above}{error}")
    return 1 if any(one.problem for one in plans) else exit_code(one.plan for one in plans)


def _plan(arguments: argparse.Namespace, ignored: list[str]) -> PackagePlan:
    """Return a package's plan; messages about unused extensions go to `ignored`. Raises Refused."""
    work = _read(arguments)
    for text in arguments.rebase:
        cluster, equals, cluster_class = text.partition("=")
        if not (cluster and equals and cluster_class):
            raise Refused(f"--rebase must be CLUSTER=CLASS, got {text}")
        rebase(work.new, cluster, cluster_class)
    recorder = _extensions(arguments, work.options)
    keys = _chosen(arguments.package, work, arguments.cluster)
    # The recorder lives in this process.
    jobs = 1 if recorder is not None else arguments.jobs or cores()
    plan = compute(work, keys, jobs, Terminal(sys.stderr, arguments.color))
    if recorder is not None and arguments.record:
        _write_record(recorder, arguments.record)
    ignored += _unused(arguments.extension, work.old, work.new)
    ignored += recorder.ignored if recorder is not None else []
    return PackagePlan.of(arguments.package, work, plan)


def _plans(arguments: argparse.Namespace) -> list[PackagePlan]:
    """Return the plans of every package with Clusters below a folder, on all cores. Raises Refused."""
    from krmkit.cli.recursive import chosen_packages, stream

    paths = chosen_packages(arguments.package, arguments)
    context = arguments.context if arguments.live else None
    job = PlanJob(arguments.package, arguments.against or "HEAD", context, arguments.cluster)
    plans = []
    for path, one, problem in stream(job, paths, arguments):
        if problem:
            shown = shown_path(path)
            results = [Result(ERROR, "unreadable", problem, shown)]
            plans.append(PackagePlan(shown, TopologyPlan(), results, problem))
        elif one is not None:
            plans.append(one)
    if not plans and not arguments.since:
        raise Refused(f"{arguments.package}: no package at or below holds a Cluster")
    return plans


def _check(arguments: argparse.Namespace) -> None:
    """Raise Refused for contradictory flags."""
    check_tree(arguments, "since", "exclude")
    if arguments.live and arguments.against:
        raise Refused("--live and --against must not be given both: both name the old state")
    if arguments.context and not arguments.live:
        raise Refused("--context is for --live; add --live, or leave it out")
    for name in ("rebase", "extension", "record", "steps"):
        if arguments.recursive and getattr(arguments, name):
            raise Refused(f"--{name} is for one package; leave out --{name} or -r")
    if arguments.recursive and arguments.format == "diff":
        raise Refused("--format diff is for one package; leave out -r")


def _read(arguments: argparse.Namespace) -> Work:
    """Return the old package, the current one, the options, and warnings. Raises Refused."""
    if arguments.live:
        work = Work(*read_with_cluster(arguments.package, arguments.context, arguments.cluster))
    else:
        work = Work(*read_both(arguments.package, arguments.against or "HEAD"))
    work.with_objects = arguments.format == "diff"
    return work


def _extensions(arguments: argparse.Namespace, options: TopologyOptions) -> Recorder | None:
    """Connect the extensions of --extension and return their recorder; None without --extension and --record.

    Raises Refused.
    """
    if not arguments.extension and not arguments.record:
        return None
    from krmkit.services.extension.client import caller
    from krmkit.services.extension.live import LiveExtensions, Recorder

    callers = {}
    for text in arguments.extension:
        name, equals, address = text.partition("=")
        if not (name and equals and address):
            raise Refused(f"--extension must be NAME=https://... or NAME=exec:PROGRAM, got {text}")
        if name in callers:
            raise Refused(f"--extension {name} is given twice; name one address")
        try:
            callers[name] = caller(address, arguments.ca_file, arguments.client_cert, arguments.client_key)
        except Refused as error:
            raise Refused(f"--extension {name}: {error}") from None
    recorder = Recorder()
    options.around = lambda others: LiveExtensions(callers, others, recorder)
    return recorder


def _unused(given: list[str], *packages: Collected) -> list[str]:
    """Return a warning for each --extension that no class of the packages names."""
    used = sorted(extension_names(*packages))
    names = [text.partition("=")[0] for text in given]
    return [
        f"--extension {name}: no ClusterClass names this extension{did_you_mean(name, used)}"
        for name in names
        if name not in used
    ]


def _write_record(recorder: Recorder, path: str) -> None:
    from krmkit.libraries.yaml import emit
    from krmkit.storage.disk.write import write_file

    try:
        write_file(path, emit.document(recorder.item("recorded")))
    except Refused as error:
        raise Refused(f"--record: {error}") from None


def _chosen(folder: str, work: Work, names: list[str]) -> list[Key]:
    """Return (namespace, name) of all Clusters of both packages, or of those in `names`. Raises Refused."""
    keys = work.keys()
    if not keys:
        raise Refused(f"{folder}: holds no Cluster, and held none; name the package of a Cluster, or use -r")
    known = {name for key in keys for name in (key[1], "/".join(key))}
    for name in names:
        if name not in known:
            raise Refused(f"--cluster {name}: no Cluster has this name{did_you_mean(name, known)}")
    return work.keys(names)
