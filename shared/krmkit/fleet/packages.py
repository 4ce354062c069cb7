"""Make the packages of a fleet, shared among processes, and write them all at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from krmkit.fleet.build import Built, Clone, VariantInput
from krmkit.fleet.collisions import Collisions
from krmkit.fleet.engine.jobs import Engine, attempt, unexpected
from krmkit.fleet.folder import WrittenPackage
from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.plan import Task
from krmkit.fleet.tasks import FleetTasks, Row
from krmkit.fleet.variants import Origin, UpstreamPackage
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.listed import listed
from krmkit.render.diff import diff
from krmkit.render.secrets.files import secrets_in_file
from krmkit.storage.disk.folders import WORK, read_file
from krmkit.storage.disk.primitives import digest_of_content, digest_of_text
from krmkit.storage.disk.spool import Spool, StepSpool
from krmkit.storage.disk.write import FileEdit, Stage, Writer


def run(fleet: FleetTasks, engine: Engine, writer: Writer | None, rows: Spool[Row]) -> Iterator[str]:
    """Make all packages, yielding the variant of each; then write them, and remove old ones.

    rows: gets a row for each package, in the order of the tasks. Without a writer nothing is written. Raises
    OSError, Refused; then nothing was written.
    """
    steps = StepSpool()
    for row in _near(fleet, engine) if engine.near else _far(fleet, engine):
        # Neither rows nor steps stay in memory: a large fleet has a hundred thousand.
        if not row.error:
            steps.add(row.steps)
        row.steps = []
        rows.append(row)
        yield row.variant
    _settle(fleet, rows, steps, writer)


def _near(fleet: FleetTasks, engine: Engine) -> Iterator[Row]:
    """Yield the rows of an engine on this machine, whose processes also write the packages."""
    for number, (row, problem) in zip(
        fleet.numbers, engine.map(PackageMaker(fleet), fleet.numbers), strict=True
    ):
        yield row if row is not None else _failed(fleet, number, problem)


def _far(fleet: FleetTasks, engine: Engine) -> Iterator[Row]:
    """Yield the rows of an engine on other machines, which gets and returns contents."""
    worker = PackageMaker(fleet)
    good = (number for number in fleet.numbers if not fleet.tasks[number].error)
    done = engine.map(fleet.build, map(worker.clone, good))
    for number in fleet.numbers:
        error = fleet.tasks[number].error
        built, problem = (None, error) if error else next(done)
        yield worker.write(number, built) if built is not None else _failed(fleet, number, problem)


def _failed(fleet: FleetTasks, number: int, problem: str) -> Row:
    row = Row(number, fleet.tasks[number].name)
    row.error = problem
    return row


class _Entries(Mapping[str, WrittenPackage]):
    """The new record: the entries that stay, and the entries of made packages, read from rows when needed."""

    def __init__(self, fleet: FleetTasks, kept: dict[str, WrittenPackage], rows: Spool[Row]) -> None:
        self._fleet = fleet
        self._kept = kept
        self._rows = rows
        self._made = {
            fleet.tasks[row.number].target: place for place, row in enumerate(rows) if not row.error
        }

    def __getitem__(self, package: str) -> WrittenPackage:
        if package not in self._made:
            return self._kept[package]
        row = self._rows[self._made[package]]
        task = self._fleet.tasks[row.number]
        orphan = task.spec.get("deletionPolicy") == "orphan"
        return WrittenPackage(task.owner, row.files, self._fleet.source, orphan)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept.keys() | self._made.keys())

    def __len__(self) -> int:
        return len(self._kept.keys() | self._made.keys())


def _settle(fleet: FleetTasks, rows: Spool[Row], steps: StepSpool, writer: Writer | None) -> None:
    """Write the packages and the record at once, and remove packages without a target."""
    kept: dict[str, WrittenPackage] = {}
    changes: list[FileEdit] = []
    prune: list[str] = []
    targets = {task.target for task in fleet.tasks}
    for package, entry in fleet.out.entries.items():
        ours = entry.owner in fleet.owners or entry.source == fleet.source
        ours = ours and fleet.shard.takes(package)
        if package in targets or not ours or not _goes(fleet, package, entry):
            kept[package] = entry
        elif package in fleet.removed:
            removed, folders = fleet.out.removal(package)
            changes += removed
            prune += folders
    if writer is None:
        return
    for row in rows:
        prune += row.prune if not row.error else []
    entries = _Entries(fleet, kept, rows)
    changes += fleet.out.record(entries, fleet.shard.takes, os.path.join(writer.root, WORK))
    steps.add(Stage(writer.root, "record").prepare_all(changes))
    writer.commit(steps, prune)


def collisions_of(fleet: FleetTasks, rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return the objects that several of the rows' packages make for one cluster, with these packages."""
    collisions = Collisions(FleetObjects(fleet.objects))
    for row in rows:
        task = fleet.tasks[row.number]
        collisions.add(task.target, str(task.spec["downstream"]["repo"]), task.namespace, row.objects)
    return collisions.found()


def _goes(fleet: FleetTasks, package: str, entry: WrittenPackage) -> bool:
    """Return whether an untargeted package leaves the record; record its fate in `fleet`."""
    elsewhere = fleet.out.elsewhere(package)
    if elsewhere:
        fleet.warnings.append(f"{package} is no longer targeted, and was left alone: {elsewhere}")
        return True
    if entry.orphan:
        fleet.kept.append(package)
        return True
    edited = fleet.out.edited(package) if not fleet.force else []
    if edited:
        fleet.errors.append(
            f"{package} is no longer targeted, and stays because of changes by hand in {listed(edited)};"
            " --force removes it"
        )
        return False
    if not fleet.prune:
        fleet.stale.append(package)
        return False
    fleet.removed.append(package)
    return True


@dataclass
class PackageMaker:
    """The job of a process here: from a task's number to its Row, with new files prepared on disk."""

    fleet: FleetTasks

    @cached_property
    def _objects(self) -> FleetObjects:
        return FleetObjects(self.fleet.objects)

    def __call__(self, number: int) -> Row:
        """Make the package of one task and write it. An error goes into the row."""
        task = self.fleet.tasks[number]
        if task.error:
            return _failed(self.fleet, number, task.error)
        built, problem = attempt(self.fleet.build, self.clone(number))
        return _failed(self.fleet, number, problem) if problem else self.write(number, built)

    def clone(self, number: int) -> Clone:
        """Return the input of a task's build."""
        task = self.fleet.tasks[number]
        blueprint = self._blueprint(task)
        upstream: dict[str, Any] = task.spec["upstream"]
        origin = Origin(upstream, self._objects.repository(str(upstream["repo"]), task.namespace))
        downstream = self._objects.repository(str(task.spec["downstream"]["repo"]), task.namespace)
        deployed = downstream is None or downstream.get("spec", "deployment") is not False
        variant = VariantInput(task.name, task.namespace, task.spec, origin, context=deployed)
        return Clone(variant, blueprint, {}, sum(map(len, blueprint.texts.values())))

    def write(self, number: int, built: Built) -> Row:
        """Prepare the built files of a task. An error goes into the row."""
        task = self.fleet.tasks[number]
        row = Row(number, task.name)
        try:
            self._write(row, task.target, self._blueprint(task), built)
            row.gates, row.warnings, row.objects = built.gates, built.warnings, built.objects
        except Refused as error:
            row.error = str(error)
        except OSError as error:
            row.error = f"{error.filename or task.target}: {error.strerror or error}"
        except Exception as error:  # noqa: BLE001  # one variant must not stop the others
            row.error = unexpected(error)
        return row

    def _blueprint(self, task: Task) -> UpstreamPackage:
        blueprint = self.fleet.blueprints[task.blueprint]
        assert isinstance(blueprint, UpstreamPackage)
        return blueprint

    def _write(self, row: Row, package: str, blueprint: UpstreamPackage, built: Built) -> None:
        """Prepare the package's files, which are moved into place when all packages are ready."""
        contents = {path: file.content.decode() for path, file in built.files.items()}
        out = self.fleet.out
        changes: list[FileEdit] = []
        for path in sorted({*contents, *blueprint.others}):
            place = f"{package}/{path}"
            if path in contents:
                row.files[path] = digest_of_text(contents[path])
                like = os.path.join(blueprint.path, path)
                changes.append(FileEdit(place, None, contents[path], like=like))
            else:
                source = blueprint.others[path]
                row.files[path] = digest_of_content(source)
                changes.append(FileEdit(place, None, "", source))
        out.refuse_links(change.path for change in changes)
        edited = out.edited(package, row.files) if not self.fleet.force else []
        if edited:
            raise Refused(f"changes by hand in {listed(edited)} would be lost; --force overwrites them")
        entry = out.entries.get(package)
        gone = [path for path in entry.files if path not in row.files] if entry is not None else []
        removed, row.prune = out.gone(package, gone)
        changes += removed
        secrets = set(built.secrets)
        if self.fleet.show:
            secrets.update(*map(secrets_in_file, contents.values()))
        stage = Stage(os.path.realpath(out.path), f"v{row.number}", self.fleet.dry_run)
        for change in changes:
            step = stage.prepare(change)
            if step is not None:
                row.steps.append(step)
                row.changed.append(change.path)
                row.diff += self._diff(change, secrets) if self.fleet.show else ""

    def _diff(self, change: FileEdit, secrets: set[str]) -> str:
        """Return the diff of one file, as in `git diff`; `secrets` and the old file's secrets are masked."""
        try:
            old = read_file(os.path.join(self.fleet.out.path, change.path), change.path)
            before = (old or b"").decode("utf-8")
        except FileNotFoundError:
            before = None
        except UnicodeDecodeError:
            return f"Binary file {change.path} changes\n"
        after = change.after
        if change.source:
            try:
                after = (read_file(change.source, change.path) or b"").decode("utf-8")
            except UnicodeDecodeError:
                return f"Binary file {change.path} changes\n"
        return diff(
            [FileEdit(change.path, before, after)],
            self.fleet.colour,
            () if self.fleet.show_secrets else secrets | secrets_in_file(before),
        )
