"""The work behind `krmkit variants render`: what is to be made, shared among processes, and written."""

from __future__ import annotations

import os

from krmkit.fn.resolve import Resolver
from krmkit.fn.run import Options
from krmkit.fn.source import SourceError, SourceFile
from krmkit.fn.variantfolder import Entry, FolderError, VariantFolder
from krmkit.fn.variants import Blueprint, Made, Origin, VariantError, find_upstream, inside, make
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.porch.api import REPOSITORY_KIND, REPOSITORY_VERSION
from krmkit.porch.decode import decode_set, decode_variant, is_set, is_variant
from krmkit.porch.findings import doubts
from krmkit.porch.fleet import Fleet as Sets
from krmkit.porch.fleet import SetError
from krmkit.porch.generate import in_namespace
from krmkit.porch.injection import Candidate
from krmkit.porch.text import owner_of
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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
    """What came of one variant. `files` are all files of its package."""

    __slots__ = ("changed", "error", "files", "gates", "number", "variant", "warnings")

    def __init__(self, number: int, variant: str) -> None:
        self.number = number
        self.variant = variant
        self.changed = 0
        self.gates: list[str] = []
        self.warnings: list[str] = []
        self.files: list[str] = []
        self.error = ""


class Fleet:
    """All tasks, and what they share."""

    def __init__(self, objects: list[Resource], out: VariantFolder) -> None:
        self.objects = objects
        self.out = out
        self.tasks: list[Task] = []
        self.owners: set[str] = set()
        self.source = ""  # the set file, as seen from OUT
        self.blueprints: dict[str, Blueprint | str] = {}
        self.warnings: list[str] = []
        self.removed: list[str] = []
        self.allow_exec = False
        self.allow_network = False
        self.pull = "IfNotPresent"


def read_fleet(setfile: str, packages: str, objects: str | None, out: str) -> Fleet:
    """Read everything, generate the variants, and find blueprints and targets. Raises FleetError, OSError."""
    if not os.path.exists(setfile) or os.path.isdir(setfile):
        found = "is a folder" if os.path.isdir(setfile) else "does not exist"
        raise FleetError(f"{setfile}: {found}; name a file with PackageVariantSets")
    resources = list(_resources_below(objects)) if objects else []
    try:
        fleet = Fleet(resources, VariantFolder(out))
        fleet.source = os.path.relpath(os.path.realpath(setfile), os.path.realpath(out)).replace(os.sep, "/")
        given = _resources_of(setfile, os.path.basename(setfile))
        _plan(fleet, given, setfile)
    except (SetError, FolderError, SourceError, ListError, YamlError) as error:
        raise FleetError(str(error)) from None
    taken: dict[str, str] = {}
    for task in fleet.tasks:
        _prepare(fleet, task, packages, taken)
    _refuse_overlaps(fleet, taken)
    return fleet


def _plan(fleet: Fleet, given: list[Resource], setfile: str) -> None:
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
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                path = os.path.join(place, name)
                yield from _resources_of(path, os.path.relpath(path, folder))


def _resources_of(path: str, label: str) -> list[Resource]:
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise FleetError(f"{label}: is not UTF-8 text") from None
    try:
        return [*SourceFile(label, text, "", label).items]
    except (SourceError, YamlError) as error:
        raise FleetError(str(error)) from None


def run(fleet: Fleet, jobs: int) -> Iterator[Row]:
    """Make all packages and write them, one row for each as it is done; then remove those that nothing targets any more."""
    before = dict(fleet.out.entries)
    _remember_all(fleet)
    rows: list[Row] = []
    numbers = range(len(fleet.tasks))
    if jobs == 1 or len(fleet.tasks) < 2:
        worker = Worker(fleet)
        for number in numbers:
            rows.append(worker.work(number))
            yield rows[-1]
    else:
        from krmkit.cli.processes import share

        for number, row, how in share(numbers, min(jobs, len(fleet.tasks)), _worker, fleet):
            if row is None:
                row = Row(number, fleet.tasks[number].name)
                row.error = f"the process that made it {how}; the others went on"
            rows.append(row)
            yield row
    _settle(fleet, before, rows)


def _remember_all(fleet: Fleet) -> None:
    """Record the targets before anything is written; the files of each follow at the end."""
    entries = dict(fleet.out.entries)
    for task in fleet.tasks:
        if not task.error:
            known = entries.get(task.target)
            files = set(known.files if known is not None else ())
            blueprint = fleet.blueprints[task.blueprint]
            if isinstance(blueprint, Blueprint):
                files |= {*blueprint.texts, *blueprint.others}
            entries[task.target] = Entry(task.owner, files, fleet.source)
    fleet.out.remember(entries)


def _settle(fleet: Fleet, before: dict[str, Entry], rows: list[Row]) -> None:
    """Remove the packages of these sets, and of this file's former sets, that are no longer targeted; record what is there now."""
    entries: dict[str, Entry] = {}
    targets = {task.target for task in fleet.tasks}
    for package, entry in before.items():
        ours = entry.owner in fleet.owners or entry.source == fleet.source
        if package not in targets and ours:
            elsewhere = fleet.out.elsewhere(package)
            if elsewhere:
                fleet.warnings.append(f"{package} is no longer targeted, and was left alone: {elsewhere}")
                continue
            fleet.out.remove(package)
            fleet.removed.append(package)
        else:
            entries[package] = entry
    for row in rows:
        task = fleet.tasks[row.number]
        if not row.error:
            entries[task.target] = Entry(task.owner, row.files, fleet.source)
        elif not task.error and os.path.isdir(os.path.join(fleet.out.path, task.target)):
            # Some of its files may have been written.
            entries[task.target] = fleet.out.entries[task.target]
    fleet.out.remember(entries)


class Worker:
    """Makes packages, one after the other."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.resolver = Resolver(Options(), fleet.allow_exec, fleet.allow_network, fleet.pull)
        self._candidates: dict[str, list[Candidate]] = {}
        self._repositories: dict[tuple[str, str], Resource | None] = {}

    def work(self, number: int) -> Row:
        """Make the package of one task and write it. Whatever goes wrong is the row's error."""
        task = self.fleet.tasks[number]
        row = Row(number, task.name)
        row.error = task.error
        if row.error:
            return row
        try:
            blueprint = self.fleet.blueprints[task.blueprint]
            assert isinstance(blueprint, Blueprint)
            made = self._make(task, blueprint)
            contents = {path: text.encode("utf-8") for path, text in made.contents.items()}
            for path, place in blueprint.others.items():
                with open(place, "rb") as file:
                    contents.setdefault(path, file.read())
            row.changed = self.fleet.out.write(task.target, contents)
            row.files = sorted(contents)
            row.gates, row.warnings = made.gates, made.warnings
        except VariantError as error:
            row.error = str(error)
        except OSError as error:
            row.error = f"{error.filename or task.target}: {error.strerror or error}"
        except Exception as error:  # noqa: BLE001  # one variant must not stop the others
            row.error = f"an error in krmkit itself: {type(error).__name__}: {error}"
        return row

    def _make(self, task: Task, blueprint: Blueprint) -> Made:
        upstream: dict[str, Any] = task.spec["upstream"]
        origin = Origin(upstream, self._repository(str(upstream["repo"]), task.namespace))
        objects = self._objects(task.namespace)
        return make(blueprint, task.name, task.spec, task.namespace, origin, objects, self.resolver)

    def _repository(self, name: str, namespace: str) -> Resource | None:
        key = (name, namespace)
        if key not in self._repositories:
            found = (
                item
                for item in self.fleet.objects
                if item.kind == REPOSITORY_KIND
                and item.api_version == REPOSITORY_VERSION
                and item.name == name
                and in_namespace(item.namespace, namespace)
            )
            self._repositories[key] = next(found, None)
        return self._repositories[key]

    def _objects(self, namespace: str) -> list[Candidate]:
        found = self._candidates.get(namespace)
        if found is None:
            found = [
                Candidate.of(item) for item in self.fleet.objects if in_namespace(item.namespace, namespace)
            ]
            self._candidates[namespace] = found
        return found


def _worker(fleet: Fleet) -> Callable[[int], Row]:
    return Worker(fleet).work
