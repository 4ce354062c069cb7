"""Plan one package of many in a separate process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime

from krmkit.analysis.plans.plandata import mask_plan
from krmkit.analysis.plans.planwork import Work
from krmkit.analysis.plans.results import places_in, results_of
from krmkit.analysis.plans.sources import holds_clusters, read_both, read_with_cluster
from krmkit.krm.errors import Refused
from krmkit.render.findings.fixes import add_fixes
from krmkit.render.findings.model import Result
from krmkit.render.findings.places import shown_path
from krmkit.render.resourcefiles import is_blueprint
from krmkit.storage.disk.folders import read_file
from krmkit.systems.clusterapi.plan.model import TopologyPlan


@dataclass(slots=True)
class PackagePlan:
    """The plan of one package, with its results. problem: why it failed, or ""."""

    path: str
    plan: TopologyPlan
    results: list[Result]
    problem: str = ""

    @classmethod
    def of(cls, path: str, work: Work, plan: TopologyPlan) -> PackagePlan:
        """Return the plan of the package at a path, with secrets masked."""
        mask_plan(plan, work.old, work.new)
        results = list(results_of(plan, places_in(path, work.new)))
        files = {one.path for one in results if one.line}
        add_fixes(results, {name: (read_file(name, name) or b"").decode() for name in sorted(files)})
        return cls(shown_path(path), plan, results)


class PlanJob:
    """Plan packages, one after the other, in other processes.

    against: a revision, or a folder with the old tree; `tree`: the folder of the packages. context: kubectl's
    context, None without --live.
    """

    def __init__(self, tree: str, against: str, context: str | None, names: list[str]) -> None:
        self._tree = tree
        self._against = against
        self._context = context
        self._names = names
        self._now = datetime.now(UTC).isoformat(timespec="seconds")

    def __call__(self, path: str) -> PackagePlan | None:
        """Return a package's plan, None for a blueprint or without Clusters. Raises Refused."""
        if not holds_clusters(path) or is_blueprint(path):
            return None
        try:
            if self._context is not None:
                work = Work(*read_with_cluster(path, self._context, self._names), now=self._now)
            else:
                work = Work(*read_both(path, self._before(path)), now=self._now)
        except Refused as error:
            raise Refused(str(error).removeprefix(f"{shown_path(path)}: ")) from None
        return PackagePlan.of(path, work, work(work.keys(self._names)))

    def _before(self, path: str) -> str:
        if not os.path.isdir(self._against):
            return self._against
        place = os.path.join(self._against, os.path.relpath(path, self._tree))
        if not os.path.isdir(place):
            raise Refused(f"{place} is not a folder; --against must hold the packages at the same places")
        return place
