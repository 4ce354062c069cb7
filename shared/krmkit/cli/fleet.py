"""What `krmkit variants render` is to do: the variants of all sets, their blueprints and their places."""

from __future__ import annotations

import os

from krmkit.fn.journal import Step
from krmkit.fn.source import SourceError, SourceFile
from krmkit.fn.tree import TreeError, files, read_file
from krmkit.fn.variantfolder import FolderError, VariantFolder
from krmkit.fn.variants import Blueprint, VariantError, find_upstream, inside
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.porch.api import REPOSITORY_KIND, REPOSITORY_VERSION
from krmkit.porch.decode import decode_set, decode_variant, is_set, is_variant
from krmkit.porch.findings import doubts
from krmkit.porch.fleet import Fleet as Sets
from krmkit.porch.fleet import SetError
from krmkit.porch.generate import in_namespace
from krmkit.porch.text import owner_of
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SUFFIXES = (".yaml", ".yml", ".json")


class FleetError(ValueError):
    """Nothing can be rendered; the message says why."""


class Task:
    """One variant: whose it is, where its blueprint is, where it goes. `error` says why it cannot even be tried."""

    __slots__ = ("blueprint", "error", "name", "namespace", "owner", "spec", "target")

    def __init__(self, name: str, namespace: str, owner: str, spec: dict[str, Any]) -> None:
        self.name = name
        self.namespace = namespace
        self.owner = owner
        self.spec = spec
        self.blueprint = ""
        self.target = ""
        self.error = ""


class Row:
    """What came of one variant. `files` are all files of its package with their digests, `steps` what changes them, `prune` the
    folders that may be empty then, `diff` what changes as text."""

    __slots__ = (
        "changed",
        "diff",
        "error",
        "files",
        "gates",
        "number",
        "prune",
        "steps",
        "variant",
        "warnings",
    )

    def __init__(self, number: int, variant: str) -> None:
        self.number = number
        self.variant = variant
        self.changed = 0
        self.gates: list[str] = []
        self.warnings: list[str] = []
        self.files: dict[str, str] = {}
        self.steps: list[Step] = []
        self.prune: list[str] = []
        self.diff = ""
        self.error = ""


class Fleet:
    """All tasks, and what they share. Flags: `force` overwrites what was changed by hand, `dry_run` writes nothing, `show` makes
    diffs, in colours with `colour`."""

    def __init__(self, objects: list[Resource], out: VariantFolder) -> None:
        self.objects = objects
        self.out = out
        self.tasks: list[Task] = []
        self.owners: set[str] = set()
        self.source = ""  # the set file, as seen from OUT
        self.blueprints: dict[str, Blueprint | str] = {}
        self.warnings: list[str] = []
        self.removed: list[str] = []
        self.kept: list[str] = []  # no longer targeted, and orphaned
        self.errors: list[str] = []  # about packages that no variant stands for any more
        self.force = False
        self.dry_run = False
        self.show = False
        self.colour = False
        self.allow_exec = False
        self.allow_network = False
        self.pull = "IfNotPresent"


def read_fleet(setfile: str, packages: str, objects: str | None, out: str, prune: bool = False) -> Fleet:
    """Read everything, generate the variants, and find blueprints and targets. Raises FleetError, OSError.

    `prune` lets a selector be that no object could match.
    """
    if not os.path.exists(setfile) or os.path.isdir(setfile):
        found = "is a folder" if os.path.isdir(setfile) else "does not exist"
        raise FleetError(f"{setfile}: {found}; name a file with PackageVariantSets")
    resources = list(_resources_below(objects)) if objects else []
    try:
        fleet = Fleet(resources, VariantFolder(out))
        fleet.source = os.path.relpath(os.path.realpath(setfile), os.path.realpath(out)).replace(os.sep, "/")
        given = _resources_of(setfile, os.path.basename(setfile))
        _plan(fleet, given, setfile, prune)
    except (SetError, FolderError, SourceError, ListError, YamlError) as error:
        raise FleetError(str(error)) from None
    taken: dict[str, str] = {}
    for task in fleet.tasks:
        _prepare(fleet, task, packages, taken)
    _refuse_overlaps(fleet, taken)
    return fleet


def _plan(fleet: Fleet, given: list[Resource], setfile: str, prune: bool) -> None:
    sets = [decode_set(resource) for resource in given if is_set(resource)]
    single = [decode_variant(resource) for resource in given if is_variant(resource)]
    if not sets and not single:
        raise FleetError(f"{setfile}: holds no PackageVariantSet (config.porch.kpt.dev/v1alpha2)")
    for decoded in [*sets, *single]:
        if decoded.violations:
            found = "; ".join(map(str, decoded.violations))
            raise FleetError(f"{setfile}: {decoded.resource.kind} {decoded.name}: {found}")
    items = Sets(ResourceList.of(fleet.objects))
    for packages in sets:
        try:
            planned = items.plan(packages)
        except SetError as error:
            hint = ""
            if not fleet.objects and error.reason != "ValidationError":
                hint = "; no object is known: --objects names the folder that has Repositories and what sets select"
            raise FleetError(f"{setfile}: {packages.name}: {error.reason}: {error}{hint}") from None
        owner = owner_of(packages)
        if not prune:
            _refuse_blind(fleet, packages.spec, packages.namespace, f"{setfile}: {packages.name}")
        fleet.owners.add(owner)
        fleet.warnings += [f"{packages.name}: {message}" for _, message in doubts(planned)]
        kept = {
            variant.identifier: planned.existing[position].name
            for position, variant in planned.changes.updated
        }
        for variant in planned.generated.variants:
            name = kept.get(variant.identifier, variant.name)
            fleet.tasks.append(Task(name, packages.namespace, owner, variant.spec))
    for one in single:
        owner = f"{one.resource.kind}/{one.namespace}/{one.name}"
        fleet.owners.add(owner)
        fleet.tasks.append(Task(one.name, one.namespace, owner, one.spec))


def _refuse_blind(fleet: Fleet, spec: dict[str, Any], namespace: str, label: str) -> None:
    """Refuse a selector if no object of its kind is known: far more often --objects is missing than a fleet is to go."""
    for number, target in enumerate(spec.get("targets") or ()):
        for field in ("repositorySelector", "objectSelector"):
            selector = target.get(field)
            if not isinstance(selector, dict):
                continue
            version, kind = REPOSITORY_VERSION, REPOSITORY_KIND
            if field == "objectSelector":
                version, kind = str(selector.get("apiVersion") or ""), str(selector.get("kind") or "")
            if not any(
                (item.api_version, item.kind) == (version, kind) and in_namespace(item.namespace, namespace)
                for item in fleet.objects
            ):
                raise FleetError(
                    f"{label}: spec.targets[{number}].{field}: no {kind} ({version}) is known in namespace {namespace or 'default'};"
                    " --objects names the folder that has them. If the set is meant to have no packages any more, --prune says so"
                )


def _prepare(fleet: Fleet, task: Task, packages: str, taken: dict[str, str]) -> None:
    """Find the task's blueprint and target, or why there is none."""
    try:
        downstream = task.spec.get("downstream") or {}
        repo, package = str(downstream.get("repo") or ""), str(downstream.get("package") or "")
        task.target = "/".join([*inside(repo), *inside(package)])
        if task.target in taken:
            raise VariantError(f"{task.target} is already the package of {taken[task.target]}")
        taken[task.target] = task.name
        refusal = fleet.out.refusal(task.target)
        if refusal:
            raise VariantError(refusal)
        task.blueprint = find_upstream(packages, task.spec.get("upstream") or {})
        known = fleet.blueprints.get(task.blueprint)
        if known is None:
            try:
                known = Blueprint(task.blueprint)
                fleet.warnings += known.notes
            except VariantError as error:
                known = str(error)
            fleet.blueprints[task.blueprint] = known
        if isinstance(known, str):
            raise VariantError(known)
    except VariantError as error:
        task.error = str(error)


def _refuse_overlaps(fleet: Fleet, taken: dict[str, str]) -> None:
    """Refuse what would be written into a blueprint, where the next run would read it, or into files of another package."""
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
            if isinstance(blueprint, Blueprint) and blueprint.has(inner):
                task.error = f"{above}, the package of {taken[above]}, has files in a folder {inner} already"
            above, _, name = above.rpartition("/")
            inner = f"{name}/{inner}"


def _resources_below(folder: str) -> Iterator[Resource]:
    """The resources of all files below a folder, by path."""
    if not os.path.isdir(folder):
        raise FleetError(f"{folder} is not a folder")
    try:
        for path in files(folder):
            if path.endswith(_SUFFIXES):
                yield from _resources_of(os.path.join(folder, path), path)
    except TreeError as error:
        raise FleetError(str(error)) from None


def _resources_of(path: str, label: str) -> list[Resource]:
    try:
        text = (read_file(path, label) or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise FleetError(f"{label}: is not UTF-8 text") from None
    except TreeError as error:
        raise FleetError(str(error)) from None
    try:
        return [*SourceFile(label, text, "", label).items]
    except (SourceError, YamlError) as error:
        raise FleetError(str(error)) from None
