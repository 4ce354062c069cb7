"""`krmkit topology plan -r DIR`: the plans of every package below a folder that holds Clusters, on all cores."""

from __future__ import annotations

import argparse
import sys

from krmkit.analysis.plans.planjob import PackagePlan, PlanJob
from krmkit.analysis.plans.results import exit_code
from krmkit.cli.recursive import chosen_packages, stream
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.model import Result
from krmkit.render.findings.places import shown_path
from krmkit.systems.clusterapi.plan.model import TopologyPlan
from krmkit.views.terminal import Terminal
from krmkit.views.topology import MARKDOWN
from krmkit.views.topologytree import told


def plan_all(arguments: argparse.Namespace) -> int:
    """Plan every package below a folder, show the plans as one, and return the exit code. Raises Refused."""
    for flag, given in (
        ("--rebase", arguments.rebase),
        ("--extension", arguments.extension),
        ("--record", arguments.record),
        ("--steps", arguments.steps),
    ):
        if given:
            raise Refused(f"{flag} is for one package; leave out {flag} or -r")
    if arguments.format == "diff":
        raise Refused("--format diff is for one package; leave out -r")
    paths = chosen_packages(arguments.package, arguments)
    context = arguments.context if arguments.live else None
    job = PlanJob(arguments.package, arguments.against or "HEAD", context, arguments.cluster)
    plans: list[PackagePlan] = []
    for path, one, problem in stream(job, paths, arguments):
        if problem:
            shown = shown_path(path)
            results = [Result(ERROR, "unreadable", problem, shown)]
            plans.append(PackagePlan(shown, TopologyPlan(), results, problem))
        elif one is not None:
            plans.append(one)
    if not plans and not arguments.since:
        raise Refused(f"{arguments.package}: no package at or below holds a Cluster")
    terminal = Terminal.of(arguments)
    form = arguments.format
    told(plans, form, terminal).show("table" if form == MARKDOWN else form, terminal)
    for package in plans:
        for one in package.plan.warnings:
            print(f"warning: {package.path}: {one}", file=sys.stderr)
        for text in (*package.plan.errors, *([package.problem] if package.problem else [])):
            say("topology plan", f"{package.path}: {text}")
    return 1 if any(one.problem for one in plans) else exit_code(one.plan for one in plans)
