"""Collect the tasks of `krmkit variants render`: the variants of all sets, their blueprints and targets."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from krmkit.fleet.build import Build
from krmkit.fleet.folder import VariantFolder
from krmkit.fleet.plan import FleetPlan, Task, plan_variants
from krmkit.fleet.shard import Shard
from krmkit.fleet.variants import UpstreamPackage, inside, missing_upstream
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import KPTFILE
from krmkit.render.resourcefiles import resources_below, resources_of
from krmkit.storage.disk.journal import JournalStep
from krmkit.systems.porch.api.apinames import revision_number
from krmkit.systems.porch.variants.validation import validate_variant


def find_upstream(packages: str, upstream: dict[str, Any]) -> str:
    """Return the folder of an upstream {repo, package, workspaceName, revision}. Raises Refused.

    Candidates in `<packages>/<repo>/<package>/`: the workspace's name, the revision as `v3` and as `3`; then
    the folder itself.
    """
    base = os.path.join(
        packages, *inside(str(upstream.get("repo") or "")), *inside(str(upstream.get("package") or ""))
    )
    number = revision_number(upstream.get("revision"))
    versions = [str(upstream.get("workspaceName") or "")] + (
        [f"v{number}", str(number)] if number > 0 else []
    )
    tried = [os.path.join(base, *inside(version)) for version in versions if version] + [base]
    for folder in tried:
        if os.path.exists(os.path.join(folder, KPTFILE)):
            return folder
    repo = os.path.join(packages, *inside(str(upstream["repo"])))
    folder, field = (repo, "package") if os.path.isdir(repo) else (packages, "repo")
    there = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    known = _revisions(base)
    if known:
        field = "workspaceName" if upstream.get("workspaceName") else "revision"
        message = f"there is no revision {upstream.get(field)} of the package {base}: it has {listed(known)}"
        raise missing_upstream(message, f"spec.upstream.{field}")
    hint = did_you_mean(str(upstream[field]), there)
    message = f"the upstream package is not there: no Kptfile in {' or '.join(tried)}{hint}"
    raise missing_upstream(message, f"spec.upstream.{field}")


def _revisions(base: str) -> list[str]:
    names = os.listdir(base) if os.path.isdir(base) else []
    numbered = [name for name in names if revision_number(name) > 0]
    there = [name for name in numbered if os.path.exists(os.path.join(base, name, KPTFILE))]
    return sorted(there, key=revision_number)


@dataclass(slots=True, eq=False)
class Row:
    """The result of one variant.

    `files`: all files of its package with their digests; `changed`: the changed paths; `objects`: the
    package's objects in a cluster; `steps`: the edits to write; `prune`: the folders that may become empty;
    `diff`: the changes as text.
    """

    number: int
    variant: str
    changed: list[str] = field(default_factory=list)
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    steps: list[JournalStep] = field(default_factory=list)
    prune: list[str] = field(default_factory=list)
    diff: str = ""
    error: str = ""


class FleetTasks:
    """All tasks, and their common settings; `build` makes their packages.

    Flags: `prune` removes packages that are no longer targeted, `force` overwrites changes by hand, `dry_run`
    writes nothing, `show` makes diffs, in colours with `colour`, and with secrets with `show_secrets`.
    """

    def __init__(self, objects: list[Resource], out: VariantFolder) -> None:
        self.objects = objects
        self.out = out
        self.tasks: list[Task] = []
        self.owners: set[str] = set()
        self.source = ""  # the set file, as seen from OUT
        self.blueprints: dict[str, UpstreamPackage | str] = {}
        self.warnings: list[str] = []
        self.prune = False
        self.removed: list[str] = []
        self.stale: list[str] = []  # no longer targeted, and to be removed with --prune
        self.kept: list[str] = []  # no longer targeted, and orphaned
        self.errors: list[str] = []  # about packages without a variant
        self.force = False
        self.dry_run = False
        self.show = False
        self.show_secrets = False
        self.colour = False
        self.build = Build(objects)
        self.shard = Shard()

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of this shard's tasks."""
        names = (task.target or task.name for task in self.tasks)
        return [number for number, name in enumerate(names) if self.shard.takes(name)]


def read_fleet(
    setfile: str,
    packages: str,
    objects: str | None,
    out: str,
    prune: bool = False,
    shard: Shard | None = None,
) -> FleetTasks:
    """Read everything, generate the variants, and find blueprints and targets. Raises Refused, OSError.

    prune: remove untargeted packages, and allow a selector without any object of its kind. All variants are
    planned, whatever the `shard`.
    """
    if not os.path.exists(setfile) or os.path.isdir(setfile):
        problem = "is a folder" if os.path.isdir(setfile) else "does not exist"
        raise Refused(f"{setfile}: {problem}; name a file with PackageVariantSets")
    try:
        resources = resources_below(objects) if objects else []
        shard = shard or Shard()
        fleet = FleetTasks(
            resources, VariantFolder(out, "" if shard.whole else f"{shard.number}-of-{shard.count}")
        )
        fleet.shard, fleet.prune = shard, prune
        fleet.source = os.path.relpath(os.path.realpath(setfile), os.path.realpath(out)).replace(os.sep, "/")
        plan = plan_variants(
            resources_of(setfile, os.path.basename(setfile)), resources, setfile, prune, objects or ""
        )
    except (Refused, YamlError) as error:
        raise Refused(str(error)) from None
    fleet.tasks, fleet.owners, fleet.warnings = plan.tasks, plan.owners, plan.warnings
    taken: dict[str, str] = {}
    for task in fleet.tasks:
        _prepare(fleet, plan, task, packages, taken)
        entry = fleet.out.entries.get(task.target)
        if entry is not None and entry.source not in ("", fleet.source) and entry.owner != task.owner:
            fleet.warnings.append(
                f"{task.name}: takes over {task.target} from {entry.owner} of {entry.source};"
                " give each set file an --output of its own if both are meant to stay"
            )
    _refuse_overlaps(fleet, taken)
    return fleet


def _prepare(fleet: FleetTasks, plan: FleetPlan, task: Task, packages: str, taken: dict[str, str]) -> None:
    try:
        if errors := validate_variant(task.spec):
            raise Refused("; ".join(errors))
        downstream = task.spec.get("downstream") or {}
        repo, package = str(downstream.get("repo") or ""), str(downstream.get("package") or "")
        task.target = "/".join([*inside(repo), *inside(package)])
        if task.target in taken:
            raise Refused(f"{task.target} is already the package of {taken[task.target]}")
        taken[task.target] = task.name
        refusal = fleet.out.refusal(task.target)
        if refusal:
            raise Refused(refusal)
        task.blueprint = find_upstream(packages, task.spec.get("upstream") or {})
        known = fleet.blueprints.get(task.blueprint)
        if known is None:
            try:
                known = UpstreamPackage(task.blueprint)
                fleet.warnings += known.notes
            except Refused as error:
                known = str(error)
            fleet.blueprints[task.blueprint] = known
        if isinstance(known, str):
            raise Refused(known)
    except Refused as error:
        task.error = plan.located(task, error)


def _refuse_overlaps(fleet: FleetTasks, taken: dict[str, str]) -> None:
    """Refuse targets inside a blueprint, which the next run would read, or inside another package."""
    read = {os.path.realpath(path): path for path in fleet.blueprints}
    made = {task.target: fleet.blueprints[task.blueprint] for task in fleet.tasks if not task.error}
    root = os.path.realpath(fleet.out.path)
    for task in fleet.tasks:
        folder = os.path.join(root, task.target)
        while not task.error and folder != os.path.dirname(folder):
            if folder in read:
                task.error = (
                    f"{task.target} would lie inside the blueprint {read[folder]}; choose another OUT"
                )
            folder = os.path.dirname(folder)
        above, _, inner = task.target.rpartition("/")
        while not task.error and above:
            blueprint = made.get(above)
            if isinstance(blueprint, UpstreamPackage) and blueprint.has(inner):
                task.error = f"{above}, the package of {taken[above]}, has files in a folder {inner} already"
            above, _, name = above.rpartition("/")
            inner = f"{name}/{inner}"
