"""Answer `krmkit why`: a field, its place, and the functions that set it, with causes.

The functions record the causes; a comparison of the texts between functions gives the changes. `data_of` is
the kind Why of krmkit.dev/report/v1alpha1 (docs/report.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from krmkit.analysis.why.causes import CausePlaces, ShownCause
from krmkit.analysis.why.trace import TracedResource, Tracer
from krmkit.fn.masking import Mask, secrets_among, secrets_in
from krmkit.kpt.resultlist import FunctionRun
from krmkit.krm.cause import PathCauses
from krmkit.krm.errors import Refused
from krmkit.krm.fieldpath import Path
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.data import changed_keys
from krmkit.render.findings.fieldtable import ResourceFields, chosen, field_table, plain
from krmkit.render.findings.model import API_VERSION
from krmkit.render.findings.places import PackageFiles
from krmkit.render.package import Package
from krmkit.render.pipeline import render
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import ProgramResolver


@dataclass(slots=True)
class ValueStep:
    """A function that set the value, whether or not the value changed."""

    function: str
    place: str
    before: object
    after: object
    causes: list[ShownCause] = dataclasses.field(default_factory=list)


@dataclass(slots=True)
class Answer:
    """A field with its origin.

    `place` and `original`: its place and value in the file ("" and MISSING if absent); `place_after`: its
    place in the rendered file.
    """

    resource: str
    field: str
    place: str
    original: object
    value: object
    steps: list[ValueStep] = dataclasses.field(default_factory=list)
    place_after: str = ""


@dataclass(slots=True)
class _Stage:
    """A function that handled one resource: numbers of the texts before and after, and its causes."""

    run: FunctionRun
    place: str
    before: int
    after: int
    causes: PathCauses | None


class Question:
    """A package after its render, ready for questions. The resolver's options must have `explain`."""

    def __init__(self, package: Package, resolver: ProgramResolver) -> None:
        self.sources = PackageFiles(package)
        tracer = Tracer(package, self.sources.path)
        self.rendering: Rendering = render(package, resolver, tracer)
        self.subjects = tracer.subjects
        self._places = CausePlaces(package, tracer)
        self._run_places = [self.sources.place_of(run) for run in self.rendering.runs]
        self._recorded: dict[int, list[tuple[int, PathCauses]]] = {}
        for number, run in enumerate(self.rendering.runs):
            for item, causes in run.causes.entries() if run.causes is not None else ():
                subject = tracer.subject(item)
                if subject is not None:
                    self._recorded.setdefault(id(subject), []).append((number, causes))
        self._written = {change.path: change.after for change in self.rendering.shown}
        self._ends = {id(item): path for path, item in self.rendering.items}
        self._secrets: set[str] | None = None

    @property
    def secrets(self) -> set[str]:
        """Return the texts to mask: those that functions marked, and the resource's secrets."""
        if self._secrets is None:
            before = [one.original for one in self.subjects if one.original and one.original != one.text]
            after = secrets_among(one.item for one in self.subjects)
            self._secrets = self.rendering.secrets | secrets_in(before) | after
        return self._secrets

    @property
    def failure(self) -> str:
        """Return why the render failed, with the failed function's message, or ""."""
        failure = self.rendering.failure
        said = [run.stderr.strip() for run in self.rendering.runs if run.exit_code]
        return f"{failure} ({said[-1]})" if failure and said and said[-1] else failure

    def find(self, name: str) -> list[TracedResource]:
        """Return the resources called `Kind/name` or `Kind/namespace/name`, or in a file.

        Raises Refused with the nearest name.
        """
        found = []
        for subject in self.subjects:
            short = f"{subject.kind}/{subject.item.name}"
            if name in (subject.name, short, subject.path, self.sources.path(subject.path)):
                found.append(subject)
        if not found:
            if self.failure:
                raise Refused(
                    f'no resource and no file is called "{name}"; a function may make it, but the render failed: {self.failure}'
                )
            known = [subject.name for subject in self.subjects]
            raise Refused(f'no resource and no file is called "{name}"{did_you_mean(name, known)}')
        return found

    def answers(
        self, subjects: list[TracedResource], wanted: str = "", changed: bool = False
    ) -> list[Answer]:
        """Return the answers for a field and those below; without one, for all fields or the `changed` ones.

        Raises Refused.
        """
        found = [answer for subject in subjects for answer in self._of(subject, wanted, changed)]
        if wanted and not found:
            known = {
                name
                for subject in subjects
                for name in field_table(subject.text or subject.original, subject.kind).names.values()
            }
            raise Refused(f'{subjects[0].name} has no field "{wanted}"{did_you_mean(wanted, sorted(known))}')
        return found

    def uses(self, name: str) -> list[Answer]:
        """Return all fields that a preset, macro, variable, resource or config entry sets. Raises Refused."""
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
            raise Refused(f'nothing uses "{name}"{did_you_mean(name, sorted(known))}')
        return found

    def caused(self, kind: str) -> Iterator[tuple[TracedResource, str, object, ShownCause]]:
        """Yield each final value that an input of this kind set: resource, field, value and input."""
        for subject in self.subjects:
            if subject.text is None:
                continue
            for number, causes in self._recorded.get(id(subject), ()):
                if not any(one.kind == kind for _, inputs in causes.entries() for one in inputs):
                    continue
                table = field_table(subject.text, subject.kind)
                paths = list(table.names)
                inputs_of = self._places.shown(self.rendering.runs[number], causes.many(paths))
                for path, inputs in zip(paths, inputs_of, strict=True):
                    for one in inputs:
                        if one.kind == kind:
                            yield subject, table.names[path], table.values.get(path), one

    def _of(self, subject: TracedResource, wanted: str, changed: bool) -> Iterator[Answer]:
        if not wanted and not subject.changes and (changed or id(subject) not in self._recorded):
            return
        texts = [subject.original, *(change.after for change in subject.changes)]
        tables = [field_table(text, subject.kind) for text in texts]
        stages = self._stages(subject)
        names: dict[Path, str] = {}
        # In the order of the final text, then removed fields.
        for table in reversed(tables):
            for path, name in table.names.items():
                names.setdefault(path, name)
        paths = chosen(names, wanted) if wanted else list(names)
        # The paths whose values each change set.
        moved = [
            changed_keys(before.values, after.values)
            for before, after in zip(tables, tables[1:], strict=False)
        ]
        if changed:
            paths = [path for path in paths if any(path in each for each in moved)]
        recorded: list[list[list[ShownCause]] | None] = [
            None if one.causes is None else self._places.shown(one.run, one.causes.many(paths))
            for one in stages
        ]
        final, line, path_after = tables[-1], self._line_after(subject), self._path_after(subject)
        for number, path in enumerate(paths):
            steps = []
            for stage, causes in zip(stages, recorded, strict=True):
                step = self._step(
                    subject, stage, path, names[path], tables, moved, causes[number] if causes else None
                )
                if step is not None:
                    steps.append(step)
            if not steps and not wanted:
                continue
            original = tables[0].values.get(path, MISSING)
            answer = Answer(subject.name, names[path], "", original, final.values.get(path, MISSING), steps)
            if original is not MISSING:
                row, column = tables[0].mark(path)
                answer.place = f"{subject.shown_path}:{subject.first_line + row - 1}:{column}"
            if answer.value is not MISSING and path_after:
                row, column = final.mark(path)
                answer.place_after = f"{path_after}:{line + row}:{column}"
            yield answer

    def _stages(self, subject: TracedResource) -> list[_Stage]:
        """Return the functions that changed the resource or recorded causes in it, in order."""
        runs = self.rendering.runs
        numbers = {id(run): number for number, run in enumerate(runs)}
        changes = {numbers[id(change.run)]: index for index, change in enumerate(subject.changes)}
        recorded = dict(self._recorded.get(id(subject), ()))
        stages = []
        now = 0
        for number in sorted({*changes, *recorded}):
            before = now
            if number in changes:
                now = changes[number] + 1
            stages.append(_Stage(runs[number], self._run_places[number], before, now, recorded.get(number)))
        return stages

    def _step(
        self,
        subject: TracedResource,
        stage: _Stage,
        path: Path,
        name: str,
        tables: list[ResourceFields],
        moved: list[set[Path]],
        causes: list[ShownCause] | None,
    ) -> ValueStep | None:
        """Return one function's step for one field; None if it neither set nor changed the field."""
        before = tables[stage.before].values.get(path, MISSING)
        after = tables[stage.after].values.get(path, MISSING)
        is_moved = stage.before != stage.after and path in moved[stage.before]
        if not is_moved and (not causes or after is MISSING):
            return None
        if not causes:
            causes = self._places.reported(stage.run, subject, name)
        return ValueStep(stage.run.name, stage.place, before, after, causes)

    def _path_after(self, subject: TracedResource) -> str:
        """Return the path of the resource's file as rendered, "" if that file does not change."""
        path = self._ends.get(id(subject.item), subject.path)
        return self.sources.path(path) if self._written.get(path) is not None else ""

    def _line_after(self, subject: TracedResource) -> int:
        """Return the number of lines above the resource in its file as rendered."""
        text = self._written.get(self._ends.get(id(subject.item), subject.path)) or ""
        return text.count("\n", 0, max(text.find(subject.text or ""), 0))


def _named(cause: ShownCause, name: str) -> bool:
    """Return whether `name` is a cause's name, or the last part of it.

    `fast` matches `Mode:fast`, `site` matches `.spectro.var.site`.
    """
    if cause.kind == "result":
        return False
    whole, wanted = plain(cause.name).lstrip("."), plain(name).lstrip(".")
    return whole == wanted or whole.endswith((f".{wanted}", f":{wanted}", f"/{wanted}"))


def data_of(answers: list[Answer], mask: Mask, failure: str = "") -> dict[str, Any]:
    """Return the answers as JSON data, without secrets."""
    data: dict[str, Any] = {"apiVersion": API_VERSION, "kind": "Why", "fields": fields_data(answers, mask)}
    return {**data, "failure": failure} if failure else data


def fields_data(answers: list[Answer], mask: Mask) -> list[dict[str, Any]]:
    """Return answers as data, `{"resource": ..., "field": ..., "steps": [...]}` each, without secrets."""
    shown: Any = mask.value([_values(answer) for answer in answers])
    names = mask.messages([answer.field for answer in answers])
    return [
        _field_data(answer, name, values) for answer, name, values in zip(answers, names, shown, strict=True)
    ]


def _values(answer: Answer) -> dict[str, Any]:
    """Return the parts of an answer that may hold a secret."""
    values = _present(original=answer.original, value=answer.value)
    values["steps"] = [
        {
            **_present(before=one.before, after=one.after),
            "causes": [_cause_data(cause) for cause in one.causes],
        }
        for one in answer.steps
    ]
    return values


def _cause_data(cause: ShownCause) -> dict[str, str]:
    data = {"kind": cause.kind, "name": cause.name}
    return {**data, "place": cause.place} if cause.place else data


def _present(**values: object) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not MISSING}


def _field_data(answer: Answer, field: str, values: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {"resource": answer.resource, "field": field}
    if answer.place:
        data["place"] = answer.place
    if answer.place_after:
        data["placeAfter"] = answer.place_after
    steps = values.pop("steps")
    data.update(values)
    data["steps"] = [
        {"function": step.function, "place": step.place, **shown}
        for step, shown in zip(answer.steps, steps, strict=True)
    ]
    return data
