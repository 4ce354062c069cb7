"""Run one function of a pipeline: its condition, resources, config, and output."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from krmkit.fn.run import apply, summary
from krmkit.kpt.kptfile import PipelineFunction
from krmkit.kpt.resultlist import FunctionRun
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.limits import Limits
from krmkit.render.foreignfiles import not_a_resource
from krmkit.render.package import KPTFILE, Package
from krmkit.render.place import ResourcePlaces, folder_of
from krmkit.render.programs.external import External, call
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import Known


class Observer(Protocol):
    """Observes the functions of a pipeline as they run."""

    def started(self, run: FunctionRun, number: int, total: int, resources: int) -> None: ...
    def finished(self, run: FunctionRun) -> None: ...
    def left(self, run: FunctionRun, before: list[FileResource], after: list[FileResource]) -> None: ...


class StoppedError(Refused):
    """An error about a failed function. `items`: all resources before it; `validating`: it is a validator."""

    items: list[FileResource] = []  # read only; a failure before the first function has none
    validating = False


class Before:
    """The present state of resources, to be restored."""

    def __init__(self, items: list[FileResource]) -> None:
        self._items = [(item, item.text, item.changed, item.location.copy()) for item in items]

    def restore(self) -> None:
        for item, text, changed, place in self._items:
            item.location = place
            if item.changed != changed or (changed and item.text != text):
                item.revert(text, changed)


@dataclass(frozen=True, slots=True)
class _Step:
    """An entry of a package's pipeline, with its present config."""

    package: Package
    function: PipelineFunction
    config: Resource | None


@dataclass(slots=True)
class StepRunner:
    """Run the functions of pipelines on resources in memory, and record each run.

    `programs`, `configs` (as on disk) and `skipped` (the flag that skips a function) are by the id of the
    entry.
    """

    places: ResourcePlaces
    limits: Limits
    observer: Observer | None
    rendering: Rendering = field(default_factory=Rendering)
    programs: dict[int, Known | External] = field(default_factory=dict)
    configs: dict[int, Resource | None] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)

    def begin(self, package: Package, function: PipelineFunction, resources: int) -> FunctionRun:
        run = FunctionRun(
            "image" if function.image else "exec", name_of(function), package.folder, function.field
        )
        run.step = function.name
        if self.observer is not None:
            number = len(self.rendering.runs) + 1
            self.observer.started(run, number, len(self.programs), resources)
        self.rendering.runs.append(run)
        return run

    def skips(self, package: Package, function: PipelineFunction) -> bool:
        """Return whether a function is skipped, with a warning, so that no check passes silently."""
        flag = self.skipped.get(id(function))
        if flag is None:
            return False
        run = self.begin(package, function, 0)
        message = f"this function did not run ({flag}): what it would change or find is not known"
        run.results = [Finding("skipped", message).data()]
        return True

    def run(
        self, package: Package, function: PipelineFunction, items: list[FileResource]
    ) -> list[FileResource]:
        """Run a function on the items that it selects; return all items. Raises StoppedError, Refused."""
        chosen = [item for item in items if function.takes(item)] if function.narrows else items
        if function.when and not self._wanted(package, function, chosen):
            return items
        step = _Step(package, function, self._config(package, function, items))
        if function in package.kptfile.mutators:
            return self._mutate(step, items, chosen)
        self._validate(step, chosen)
        return items

    def _wanted(self, package: Package, function: PipelineFunction, chosen: list[FileResource]) -> bool:
        """Return whether the function's condition holds; if not, add an info result."""
        from krmkit.render.condition import holds

        try:
            if holds(function.when, chosen):
                return True
        except Refused as error:
            raise StoppedError(f"{name_of(function)}: {function.field}.when: {error}") from None
        run = self.begin(package, function, len(chosen))
        run.skipped = True
        message = f"this function did not run, because its condition is false: {function.when}"
        run.results = [Finding("condition-false", message).data()]
        return False

    def _config(
        self, package: Package, function: PipelineFunction, items: list[FileResource]
    ) -> Resource | None:
        """Return the function's config after the earlier functions, else as on disk."""
        own = (item for item in items if item.location.package == package.path)
        if function.config_path:
            found = next((item for item in own if item.location.path == function.config_file), None)
            if found is None:
                return self.configs[id(function)]
            # kpt finds the file by the very text of the path, and gives a config of `./x.yaml` no place.
            return (
                found
                if function.config_path == function.config_file
                else Resource(found.text, label=found.label)
            )
        if function.config_ref is not None:
            found = next((item for item in own if function.config_ref.matches(item)), None)
            if found is None:
                text = f"an earlier function took away {function.config_ref}"
                raise StoppedError(f"{name_of(function)}: {function.field}.configRef: {text}")
            return found
        return self.configs[id(function)]

    def _mutate(
        self, step: _Step, items: list[FileResource], chosen: list[FileResource]
    ) -> list[FileResource]:
        given = list(chosen)
        output = self._call(step, chosen)
        result = self._settled(step, output)
        causes = self.rendering.runs[-1].causes
        if causes is not None:
            for made, item in zip(output, result, strict=True):
                if made is not item:
                    causes.replace(made, item)
        if self.observer is not None:
            self.observer.left(self.rendering.runs[-1], given, result)
        result = self._kept(given, result)
        if not step.function.narrows:
            return result
        before = {id(item) for item in chosen}
        left = {id(item) for item in result}
        merged = [item for item in items if id(item) not in before or id(item) in left]
        return merged + [item for item in result if id(item) not in before]

    def _kept(self, given: list[FileResource], result: list[FileResource]) -> list[FileResource]:
        """Restore Kptfiles that a function removed, with a warning: their pipelines would be lost."""
        taken = {self.places.path(item) for item in result}
        lost = [
            item for item in given if item.location.path == KPTFILE and self.places.path(item) not in taken
        ]
        self.rendering.runs[-1].results += [
            Finding(
                "kptfile", "the function took out the Kptfile, which stays", item, severity=WARNING
            ).data()
            for item in lost
        ]
        return [*lost, *result]

    def _validate(self, step: _Step, chosen: list[FileResource]) -> None:
        before = Before(chosen)
        try:
            # Its output must be valid, though it is dropped.
            self._settled(step, self._call(step, chosen, list(chosen)))
        finally:
            before.restore()

    def _settled(self, step: _Step, resources: list[Resource]) -> list[FileResource]:
        """Place the output of a function in files. Raises StoppedError or Refused for an invalid output."""
        items = self.places.settle(resources, step.package, folder_of(step.config))
        problem = next(filter(None, (not_a_resource(item) for item in items if item.changed)), "")
        if problem:
            raise StoppedError(f"{name_of(step.function)}: its output is not right: {problem}")
        return items

    def _call(
        self, step: _Step, items: list[FileResource], silent: list[Resource] | None = None
    ) -> list[Resource]:
        """Run the function and return its output; `silent` for a foreign program without output and error.

        Raises StoppedError if it failed; its results are kept.
        """
        program = self.programs[id(step.function)]
        run = self.begin(step.package, step.function, len(items))
        start = time.monotonic()
        try:
            result = self._run(program, run, items, step.config, silent)
        except Refused as error:
            run.exit_code = 1
            raise StoppedError(str(error)) from None
        finally:
            run.seconds = time.monotonic() - start
            if self.observer is not None:
                self.observer.finished(run)
        if run.exit_code != 0:
            hint = program.hint if isinstance(program, External) and not run.results else ""
            raise StoppedError(f"{name_of(step.function)} failed{hint}")
        return result

    def _run(
        self,
        program: Known | External,
        run: FunctionRun,
        items: list[FileResource],
        config: Resource | None,
        silent: list[Resource] | None,
    ) -> list[Resource]:
        if isinstance(program, External):
            answer = call(program, list(items), config, self.limits, silent)
            run.results = list(answer.results)
            run.stderr = answer.stderr
            run.exit_code = answer.exit_code
            return answer.items
        known = program.function
        resources = ResourceList.of(list(items), config, self.limits)
        results = apply(known.definition, known.process, resources, config, program.options)
        self.rendering.secrets |= resources.secrets
        run.causes, run.config = resources.causes, config
        run.results = [result.data() for result in results]
        run.explained = frozenset(number for number, result in enumerate(results) if result.explained)
        if any(result.severity == ERROR for result in results):
            run.exit_code = 1
            run.stderr = summary(known.name, results)
        return resources.items


def name_of(function: PipelineFunction) -> str:
    """Return the text of an entry's image or exec."""
    return function.image or function.exec
