"""The answers of `krmkit why`: a field, where it stands in a file, and the functions that changed it, with what made them.

`data()` is the kind Why of krmkit.dev/report/v1alpha1 (docs/report.md).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from krmkit.cli.report.mask import secrets_in
from krmkit.cli.report.model import API_VERSION
from krmkit.cli.report.resultplaces import PackageFiles, position
from krmkit.cli.why.causes import Cause, Inputs
from krmkit.cli.why.fieldvalues import MISSING, covers, plain, values_of
from krmkit.cli.why.trace import TracedResource, Tracer
from krmkit.lang.nearest import did_you_mean
from krmkit.render.pipeline import render
from krmkit.render.source import SourceFile
from krmkit.yaml.data import same_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krmkit.render.package import Package
    from krmkit.render.rendering import Rendering
    from krmkit.render.resolve import ProgramResolver
    from krmkit.render.source import FileResource


class WhyError(Exception):
    """The question cannot be answered; the message says why."""


@dataclass(slots=True)
class ValueStep:
    """A function that changed the value."""

    function: str
    place: str
    before: object
    after: object
    causes: list[Cause] = dataclasses.field(default_factory=list)


@dataclass(slots=True)
class Answer:
    """A field: `place` and `original` are those of the file (`place` "" and MISSING where it is not there); `place_after` is
    where it stands, or would, in the file as rendered."""

    resource: str
    field: str
    place: str
    original: object
    value: object
    steps: list[ValueStep] = dataclasses.field(default_factory=list)
    place_after: str = ""


class Question:
    """A package after its render, ready for questions."""

    def __init__(self, package: Package, resolver: ProgramResolver) -> None:
        tracer = Tracer(package)
        self.rendering: Rendering = render(package, resolver, tracer)
        self.subjects = tracer.subjects
        self.sources = PackageFiles(package)
        self._inputs = Inputs(package, self.sources, self.subjects)
        self._written = _written(self.rendering)
        self._secrets: set[str] | None = None

    @property
    def secrets(self) -> set[str]:
        """Return the texts to mask: those that functions marked, and the secrets in the resources before and after."""
        if self._secrets is None:
            texts = [text for one in self.subjects for text in {one.original, one.text} if text]
            self._secrets = self.rendering.secrets | secrets_in(texts)
        return self._secrets

    def find(self, name: str) -> list[TracedResource]:
        """The resources that `Kind/name`, `Kind/namespace/name` or a file means. Raises WhyError with the nearest name."""
        found = []
        for subject in self.subjects:
            short = f"{subject.item.kind}/{subject.item.name}"
            if name in (subject.name, short, subject.path, self.sources.path(subject.path)):
                found.append(subject)
        if not found:
            known = [subject.name for subject in self.subjects]
            raise WhyError(f'no resource and no file is called "{name}"{did_you_mean(name, known)}')
        return found

    def answers(self, subjects: list[TracedResource], wanted: str = "") -> list[Answer]:
        """What became of a field and those below it; without one, of all that did not stay. Raises WhyError."""
        found = [answer for subject in subjects for answer in self._of(subject, wanted)]
        if wanted and not found:
            known = {
                path
                for subject in subjects
                for path in values_of(subject.text or subject.original, subject.item.kind)
            }
            raise WhyError(f'{subjects[0].name} has no field "{wanted}"{did_you_mean(wanted, sorted(known))}')
        return found

    def uses(self, name: str) -> list[Answer]:
        """All fields that a preset, macro, variable, resource or entry of a config reaches. Raises WhyError."""
        everything = self.answers(self.subjects)
        found = [
            answer
            for answer in everything
            if any(_named(cause, name) for step in answer.steps for cause in step.causes)
        ]
        if not found:
            known = {
                cause.name
                for answer in everything
                for step in answer.steps
                for cause in step.causes
                if cause.kind != "result"
            }
            raise WhyError(f'nothing uses "{name}"{did_you_mean(name, sorted(known))}')
        return found

    def _of(self, subject: TracedResource, wanted: str) -> Iterator[Answer]:
        kind = subject.item.kind
        texts = [subject.original, *(change.after for change in subject.changes)]
        views = [values_of(text, kind) for text in texts]
        # In the order of the text as it is at the end, then what has gone.
        paths = dict.fromkeys([path for view in reversed(views) for path in view])
        for path in paths:
            if wanted and not covers(wanted, path):
                continue
            seen = [view.get(path, MISSING) for view in views]
            moved = [
                number for number in range(1, len(seen)) if not same_data(seen[number - 1], seen[number])
            ]
            if not moved and not wanted:
                continue
            answer = Answer(subject.name, path, self._place(subject, path, seen[0]), seen[0], seen[-1])
            answer.place_after = self._place_after(subject, path, seen[-1])
            for number in moved:
                change = subject.changes[number - 1]
                before, after = seen[number - 1], seen[number]
                causes = self._inputs.causes(subject, change, path, before, after)
                place = self.sources.place_of(change.run)
                answer.steps.append(ValueStep(change.run.name, place, before, after, causes))
            yield answer

    def _place(self, subject: TracedResource, path: str, value: object) -> str:
        if subject.original is None or value is MISSING:
            return ""
        line, column = position(subject.item, path)
        return f"{self.sources.path(subject.path)}:{line}:{column}"

    def _place_after(self, subject: TracedResource, path: str, value: object) -> str:
        known = self._written.get((subject.item.kind, subject.item.namespace, subject.item.name))
        if known is None or value is MISSING:
            return ""
        line, column = position(known[1], path)
        return f"{self.sources.path(known[0])}:{line}:{column}"


def _written(rendering: Rendering) -> dict[tuple[str, str, str], tuple[str, FileResource]]:
    """The resources of the files that change, as they would stand there, with their paths."""
    return {
        (item.kind, item.namespace, item.name): (change.path, item)
        for change in rendering.shown
        if change.after is not None
        for item in SourceFile(change.path, change.after, "", change.path).items
    }


def _named(cause: Cause, name: str) -> bool:
    """Whether a cause is called so, in whole or by its last part: `fast` is `Mode:fast`, `site` is `.spectro.var.site`."""
    if cause.kind == "result":
        return False
    whole, wanted = plain(cause.name).lstrip("."), plain(name).lstrip(".")
    return whole == wanted or whole.endswith((f".{wanted}", f":{wanted}", f"/{wanted}"))


def data_of(answers: list[Answer], shown: Any) -> dict[str, Any]:
    """The answers for programs; `shown` masks a value."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Why",
        "fields": [field_data(answer, shown) for answer in answers],
    }


def field_data(answer: Answer, shown: Any) -> dict[str, Any]:
    """One answer for programs."""
    data: dict[str, Any] = {"resource": answer.resource, "field": answer.field}
    if answer.place:
        data["place"] = answer.place
    if answer.place_after:
        data["placeAfter"] = answer.place_after
    _put(data, "original", answer.original, shown)
    _put(data, "value", answer.value, shown)
    data["steps"] = []
    for step in answer.steps:
        one: dict[str, Any] = {"function": step.function, "place": step.place}
        _put(one, "before", step.before, shown)
        _put(one, "after", step.after, shown)
        one["causes"] = [shown(cause.data()) for cause in step.causes]
        data["steps"].append(one)
    return data


def _put(data: dict[str, Any], key: str, value: object, shown: Any) -> None:
    if value is not MISSING:
        data[key] = shown(value)
