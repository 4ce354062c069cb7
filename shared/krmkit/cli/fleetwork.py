"""Make the packages of a fleet, shared among processes, and put them into place all at once."""

from __future__ import annotations

import os

from krmkit.cli.fleet import Fleet, Row
from krmkit.fn.catalog import catalog
from krmkit.fn.diff import diff
from krmkit.fn.disk import WriteError, digest_of_content, digest_of_text
from krmkit.fn.resolve import Resolver
from krmkit.fn.run import Options
from krmkit.fn.tree import TreeError, read_file
from krmkit.fn.variantfolder import Entry, FolderError
from krmkit.fn.variants import Blueprint, Made, Origin, VariantError, make
from krmkit.fn.write import Change, Stage, Writer
from krmkit.porch.api import REPOSITORY_KIND, REPOSITORY_VERSION
from krmkit.porch.generate import in_namespace
from krmkit.porch.injection import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from krmkit.cli.fleetplan import Task
    from krmkit.fn.journal import Step
    from krmkit.krm.resource import Resource

_NAMED = 10  # files in a message


def run(fleet: Fleet, jobs: int, writer: Writer | None) -> Iterator[Row]:
    """Make all packages, one row for each as it is done; then put them into place, and remove those that nothing targets any more.

    Without a writer nothing is written. Raises WriteError; then nothing was written.
    """
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
    _settle(fleet, rows, writer)


def _settle(fleet: Fleet, rows: list[Row], writer: Writer | None) -> None:
    """Put everything into place at once: the packages, the record, and the removal of what these sets no longer target."""
    entries: dict[str, Entry] = {}
    changes: list[Change] = []
    prune: list[str] = []
    targets = {task.target for task in fleet.tasks}
    for package, entry in fleet.out.entries.items():
        ours = entry.owner in fleet.owners or entry.source == fleet.source
        if package in targets or not ours or not _goes(fleet, package, entry):
            entries[package] = entry
        elif package in fleet.removed:
            removed, folders = fleet.out.removal(package)
            changes += removed
            prune += folders
    steps: list[Step] = []
    for row in sorted(rows, key=lambda row: row.number):
        task = fleet.tasks[row.number]
        if not row.error:
            orphan = task.spec.get("deletionPolicy") == "orphan"
            entries[task.target] = Entry(task.owner, row.files, fleet.source, orphan)
            steps += row.steps
            prune += row.prune
    if writer is None:
        return
    changes.append(fleet.out.record(entries))
    stage = Stage(writer.root, "record")
    steps += [step for step in map(stage.prepare, changes) if step is not None]
    writer.commit(steps, prune)


def _goes(fleet: Fleet, package: str, entry: Entry) -> bool:
    """Whether a package that is no longer targeted leaves the record; `fleet` is told what becomes of it."""
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
            f"{package} is no longer targeted, and stays because of changes by hand in {_listed(edited)};"
            " --force removes it"
        )
        return False
    fleet.removed.append(package)
    return True


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more


class Worker:
    """Makes packages, one after the other."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        known = catalog(fleet.functions) if fleet.functions else None
        self.resolver = Resolver(
            Options(), fleet.allow_exec, fleet.allow_network, fleet.pull, fleet.timeout, known
        )
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
            self._write(row, task.target, blueprint, made)
            row.gates, row.warnings = made.gates, made.warnings
        except (VariantError, TreeError, WriteError, FolderError) as error:
            row.error = str(error)
        except OSError as error:
            row.error = f"{error.filename or task.target}: {error.strerror or error}"
        except Exception as error:  # noqa: BLE001  # one variant must not stop the others
            row.error = f"an error in krmkit itself: {type(error).__name__}: {error}"
        return row

    def _write(self, row: Row, package: str, blueprint: Blueprint, made: Made) -> None:
        """Prepare the package's files, which are put into place when all packages are ready."""
        contents = made.contents
        out = self.fleet.out
        changes: list[Change] = []
        for path in sorted({*contents, *blueprint.others}):
            place = f"{package}/{path}"
            if path in contents:
                row.files[path] = digest_of_text(contents[path])
                like = os.path.join(blueprint.path, path)
                changes.append(Change(place, None, contents[path], like=like))
            else:
                source = blueprint.others[path]
                row.files[path] = digest_of_content(source)
                changes.append(Change(place, None, "", source))
        out.refuse_links(change.path for change in changes)
        edited = out.edited(package, row.files) if not self.fleet.force else []
        if edited:
            raise VariantError(f"changes by hand in {_listed(edited)} would be lost; --force overwrites them")
        entry = out.entries.get(package)
        gone = [path for path in entry.files if path not in row.files] if entry is not None else []
        removed, row.prune = out.gone(package, gone)
        changes += removed
        stage = Stage(os.path.realpath(out.path), f"v{row.number}", self.fleet.dry_run)
        for change in changes:
            step = stage.prepare(change)
            if step is not None:
                row.steps.append(step)
                row.changed.append(change.path)
                row.diff += self._diff(change, made.secrets) if self.fleet.show else ""

    def _diff(self, change: Change, secrets: set[str]) -> str:
        """What changes in one file, as `git diff` shows it."""
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
        return diff([Change(change.path, before, after)], self.fleet.colour, secrets)

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
