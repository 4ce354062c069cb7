"""Trace each function's changes of each resource, by comparing texts before and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from krmkit.kpt.resultlist import FunctionRun
from krmkit.kpt.source import FileResource
from krmkit.krm.resource import Resource
from krmkit.render.package import Package


@dataclass(slots=True, eq=False)
class TracedChange:
    """One function's change of a resource: its text before (None: created) and after (None: removed)."""

    run: FunctionRun
    before: str | None
    after: str | None


class TracedResource:
    """A resource in the pipeline.

    The current `item`, `path` of its file in the root package, `shown_path` in the user's form, `original`
    text on disk (None: made by a function), its `first_line` in the file, and its changes in order.
    """

    def __init__(self, item: FileResource, path: str, shown_path: str, original: str | None) -> None:
        self.item = item
        self.kind = item.kind
        # `Kind/name`, or `Kind/namespace/name`.
        self.name = "/".join(part for part in (self.kind, item.namespace, item.name) if part)
        self.first_line = item.location.line
        self.shown_path = shown_path
        self.kept = [item]  # so that no other item gets its id
        self.path = path
        self.original = original
        self.text: str | None = original
        self.changes: list[TracedChange] = []


class Tracer:
    """Observe a pipeline. `subjects`: all resources that ever existed, in the order of appearance."""

    def __init__(self, package: Package, shown: Callable[[str], str]) -> None:
        """Observe a package. shown: converts a path in the package to the user's form."""
        self._shown = shown
        self._paths: dict[str, TracedResource] = {}
        self.subjects: list[TracedResource] = []
        self._known: dict[int, TracedResource] = {}
        self._folders = {each.path: each for each in package.walk()}
        for each in package.walk():
            for file in each.files:
                for item in file.items:
                    subject = self._add(item, each.place(file.path), item.text)
                    self._paths.setdefault(subject.path, subject)

    def subject(self, item: Resource) -> TracedResource | None:
        """Return the traced resource of an item, None for an item outside the package."""
        return self._known.get(id(item))

    def at(self, path: str) -> TracedResource | None:
        """Return the first resource of a file on disk."""
        return self._paths.get(path)

    def started(self, run: FunctionRun, number: int, total: int, resources: int) -> None:
        """Do nothing: nothing has changed yet."""

    def finished(self, run: FunctionRun) -> None:
        """Do nothing: `left` records the changes."""

    def left(self, run: FunctionRun, before: list[FileResource], after: list[FileResource]) -> None:
        """Record a mutator's changes of its items."""
        still = {id(item) for item in after}
        gone = {_identity(item): self._known[id(item)] for item in before if id(item) not in still}
        for item in after:
            subject = self._known.get(id(item))
            if subject is None:
                # A program outside the catalog returns texts: resources are matched by name.
                subject = gone.pop(_identity(item), None) if gone else None
                if subject is None:
                    subject = self._add(item, self._path(item), None)
                else:
                    subject.item = item
                    subject.kept.append(item)
                    self._known[id(item)] = subject
            self._note(subject, run, item.text)
        for subject in gone.values():
            self._note(subject, run, None)

    def _add(self, item: FileResource, path: str, text: str | None) -> TracedResource:
        subject = TracedResource(item, path, self._shown(path), text)
        self.subjects.append(subject)
        self._known[id(item)] = subject
        return subject

    def _path(self, item: FileResource) -> str:
        package = self._folders.get(item.location.package)
        return package.place(item.location.path) if package is not None else item.location.path

    def _note(self, subject: TracedResource, run: FunctionRun, text: str | None) -> None:
        if text != subject.text:
            subject.changes.append(TracedChange(run, subject.text, text))
            subject.text = text


def _identity(item: FileResource) -> tuple[str, str, str, str]:
    return item.location.package, item.kind, item.namespace, item.name
