"""`krmkit topology plan -r DIR`: the plans of every package below a folder that holds Clusters, on all cores."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime

from krmkit.analysis.plans.plandata import mask_plan
from krmkit.analysis.plans.sources import PlanError, holds_clusters, read_both, read_with_cluster
from krmkit.cli.arguments import cores
from krmkit.cli.recursive import PackageTreeError, chosen_packages
from krmkit.fleet.engine.jobs import JobError, local
from krmkit.libraries.process.stderr import say
from krmkit.render.findings.places import shown_path
from krmkit.render.resourcefiles import is_blueprint
from krmkit.systems.clusterapi.plan.changes import make_plan
from krmkit.systems.clusterapi.plan.model import REFUSED, SAME, TopologyPlan
from krmkit.views.terminal import Terminal
from krmkit.views.topology import MARKDOWN
from krmkit.views.topologytree import PackagePlan, told


class PlanJob:
    """Plans packages, one after the other, in other processes.

    against: a revision, or a folder that holds the tree as it was; `tree` is the folder of the packages. context: of kubectl, None
    without --live.
    """

    __slots__ = ("_against", "_context", "_names", "_now", "_tree")

    def __init__(self, tree: str, against: str, context: str | None, names: list[str]) -> None:
        self._tree = tree
        self._against = against
        self._context = context
        self._names = names
        self._now = datetime.now(UTC).isoformat(timespec="seconds")

    def __call__(self, path: str) -> PackagePlan | None:
        """Return the plan of the package at a path, None if it holds no Cluster or is a blueprint. Raises JobError."""
        if not holds_clusters(path) or is_blueprint(path):
            return None
        try:
            warnings: list[str] = []
            if self._context is not None:
                old, new, options, warnings = read_with_cluster(path, self._context, self._names)
            else:
                old, new, options = read_both(path, self._before(path))
        except PlanError as error:
            raise JobError(str(error).removeprefix(f"{shown_path(path)}: ")) from None
        keys = sorted({item.key for item in (*old.clusters, *new.clusters)})
        if self._names:
            keys = [key for key in keys if key[1] in self._names or "/".join(key) in self._names]
        plan = make_plan(old, new, options, keys, self._now)
        plan.warnings[:0] = warnings
        for one in plan.clusters:
            for change in one.all_changes():
                # The objects are most of the data that would be sent between processes.
                change.before = change.after = None
        mask_plan(plan, old, new)
        return PackagePlan(shown_path(path), plan)

    def _before(self, path: str) -> str:
        if not os.path.isdir(self._against):
            return self._against
        place = os.path.join(self._against, os.path.relpath(path, self._tree))
        if not os.path.isdir(place):
            raise JobError(f"{place} is not a folder; --against must hold the packages at the same places")
        return place


def plan_all(arguments: argparse.Namespace) -> int:
    """Plan every package below a folder, show the plans as one, and return the exit code. Raises PlanError."""
    for flag, given in (
        ("--rebase", arguments.rebase),
        ("--extension", arguments.extension),
        ("--record", arguments.record),
        ("--steps", arguments.steps),
    ):
        if given:
            raise PlanError(f"{flag} is for one package; leave out {flag} or -r")
    if arguments.format == "diff":
        raise PlanError("--format diff is for one package; leave out -r")
    try:
        paths = chosen_packages(arguments.package, arguments.since, arguments.exclude)
    except PackageTreeError as error:
        raise PlanError(str(error)) from None
    context = arguments.context if arguments.live else None
    job = PlanJob(arguments.package, arguments.against or "HEAD", context, arguments.cluster)
    progress = Terminal(sys.stderr, arguments.color)
    plans: list[PackagePlan] = []
    engine = local(arguments.jobs or cores(), len(paths))
    for done, (path, (one, problem)) in enumerate(zip(paths, engine.map(job, paths), strict=True), 1):
        progress.line(f"{done} of {len(paths)} packages")
        if problem:
            plans.append(PackagePlan(shown_path(path), TopologyPlan(), problem))
        elif one is not None:
            plans.append(one)
    progress.line("")
    shown = Terminal.of(arguments)
    form = arguments.format
    told(plans, form, shown).show("table" if form == MARKDOWN else form, shown)
    for package in plans:
        for text in package.plan.warnings:
            print(f"warning: {package.path}: {text}", file=sys.stderr)
        for text in (*package.plan.errors, *([package.problem] if package.problem else [])):
            say("topology plan", f"{package.path}: {text}")
    return _exit_code(plans)


def _exit_code(found: list[PackagePlan]) -> int:
    """1 if anything is refused or cannot be read, else 2 if anything changes, else 0."""
    clusters = [one for package in found for one in package.plan.clusters]
    if any(package.problem or package.plan.errors for package in found):
        return 1
    if any(one.action == REFUSED for one in clusters):
        return 1
    return 2 if any(one.action != SAME for one in clusters) else 0
