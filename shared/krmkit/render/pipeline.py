"""The embedded pipeline: run it as `kpt fn render` does, in one process, without rewriting unchanged resources.

Order: subpackages first, each with its own resources and those of its subpackages; in a package the mutators, then the
validators. Each function gets the output of the one before, narrowed by its selectors; changes by validators are
dropped. A resource is parsed when a function first needs it, and stays parsed. Nothing is written: the outcome holds
the changes of files, or none after a failure.
"""

from __future__ import annotations

import time

from krmkit.fn.run import apply, check_config, summary
from krmkit.kpt.kptfile import PipelineFunction
from krmkit.kpt.resultlist import FunctionRun
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import ListError
from krmkit.krm.finding import ERROR, WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import KPTFILE, Package, PackageError, not_a_resource
from krmkit.render.place import PlaceError, ResourcePlaces, folder_of
from krmkit.render.programs.external import External, ExternalError, call
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import Known, ProgramResolver, ResolveError
from krmkit.render.secrets.runs import mask_said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from krmkit.storage.disk.write import FileEdit

    class Observer(Protocol):
        """Observes the functions of a pipeline as they run."""

        def started(self, run: FunctionRun, number: int, total: int, resources: int) -> None: ...
        def finished(self, run: FunctionRun) -> None: ...
        def left(self, run: FunctionRun, before: list[FileResource], after: list[FileResource]) -> None: ...


MACRO = ".spectro."  # marks Palette's macros, which a config may hold until resolve-macros has run


class _StoppedError(Exception):
    """A function failed; the text names it. `items`: all resources at that point, if a validator failed."""

    items: list[FileResource] | None = None


def render(package: Package, resolver: ProgramResolver, observer: Observer | None = None) -> Rendering:
    """Run the pipelines of a package and its subpackages.

    Raises PackageError before any function runs, if the package cannot be rendered on this machine.
    """
    return _Pipeline(package, resolver, observer).run()


class _Pipeline:
    def __init__(self, package: Package, resolver: ProgramResolver, observer: Observer | None) -> None:
        self.package = package
        self.observer = observer
        self.places = ResourcePlaces(package)
        self.rendering = Rendering()
        self.limits = resolver.options.limits
        # Find all programs and read all configs before the first function runs.
        self.programs: dict[int, Known | External] = {}
        self.configs: dict[int, Resource | None] = {}
        self.skipped: dict[int, str] = {}  # the flags that skip functions
        for each in package.walk():
            self.rendering.packages += 1
            for function in each.functions:
                self.configs[id(function)] = each.config(function)
                flag = resolver.skips(function)
                if flag:
                    self.skipped[id(function)] = flag
                    continue
                try:
                    self.programs[id(function)] = resolver.resolve(function)
                except ResolveError as error:
                    raise PackageError(each.problem(f"{function.field}: {error}")) from None

    def run(self) -> Rendering:
        rendering = self.rendering
        try:
            self._check_configs()
            items = self._hydrate(self.package)
            rendering.contents = self.places.contents(items)
            rendering.changes = self.places.changes(rendering.contents)
            rendering.items = [(self.places.path(item), item) for item in items]
        except _StoppedError as error:
            rendering.failure = str(error)
            rendering.proposed = self._proposed(error.items)
        except (PlaceError, YamlError, ListError) as error:
            rendering.failure = str(error)
        texts = {item.original for each in self.package.walk() for file in each.files for item in file.items}
        texts.update(item.text for _, item in rendering.items)
        said = mask_said(rendering.runs, rendering.secrets, list(self.configs.values()), texts)
        rendering.failure = said.message(rendering.failure)
        return rendering

    def _proposed(self, items: list[FileResource] | None) -> list[FileEdit]:
        """Return the changes of files before a validator failed, if they can be computed."""
        if items is None:
            return []
        try:
            return self.places.changes(self.places.contents(items))
        except (PlaceError, YamlError, ListError):
            return []

    def _check_configs(self) -> None:
        """Check all configs before the first function runs. Raises _StoppedError for an invalid one.

        Configs that an earlier function may still change are checked later by their own function: after a program
        outside the catalog in the same pipeline, or after resolve-macros if they hold macros.
        """
        wrong = []
        for package in self.package.walk():
            others = False
            for function in package.functions:
                if id(function) in self.skipped:
                    others = True  # its effect on configs is unknown
                    continue
                program = self.programs[id(function)]
                if isinstance(program, External):
                    others = True
                    continue
                config = self.configs[id(function)]
                if function.config_path and config is not None and (others or MACRO in config.text):
                    continue
                findings = check_config(program.function.definition, config, program.options)
                for finding in findings:
                    if function.config_path and finding.resource_ref is not None:
                        finding.file = {"path": function.config_file, "index": 0}
                if findings:
                    wrong.append(_name(function))
                    self._refuse(package, function, program, findings)
        if wrong:
            raise _StoppedError(f"no function ran, because the config of {_listed(wrong)} is not right")

    def _refuse(
        self, package: Package, function: PipelineFunction, program: Known, found: list[Finding]
    ) -> None:
        """Record a function with an invalid config as failed."""
        run = self._begin(package, function, 0)
        run.results = [finding.data() for finding in found]
        run.exit_code = 1
        run.stderr = summary(program.function.name, found)
        if self.observer is not None:
            self.observer.finished(run)

    def _begin(self, package: Package, function: PipelineFunction, resources: int) -> FunctionRun:
        run = FunctionRun(
            "image" if function.image else "exec", _name(function), package.folder, function.field
        )
        if self.observer is not None:
            number = len(self.rendering.runs) + 1
            self.observer.started(run, number, len(self.programs), resources)
        self.rendering.runs.append(run)
        return run

    def _hydrate(self, package: Package) -> list[FileResource]:
        items: list[FileResource] = []
        for number, child in enumerate(package.children):
            try:
                items += self._hydrate(child)
            except _StoppedError as error:
                if error.items is not None:
                    # This package, and subpackages that were not rendered yet, are as on disk.
                    later = [each for other in package.children[number + 1 :] for each in other.walk()]
                    left = [item for each in (*later, package) for item in each.items]
                    error.items = [*items, *error.items, *left]
                raise
        items += package.items
        for function in package.kptfile.mutators:
            if self._skips(package, function):
                continue
            items = self._mutate(package, function, items)
        for function in package.kptfile.validators:
            if self._skips(package, function):
                continue
            try:
                self._validate(package, function, items)
            except _StoppedError as error:
                error.items = items
                raise
        return items

    def _skips(self, package: Package, function: PipelineFunction) -> bool:
        """Whether a function is skipped, with a warning, so that no check passes silently."""
        flag = self.skipped.get(id(function))
        if flag is None:
            return False
        run = self._begin(package, function, 0)
        message = f"this function did not run ({flag}): what it would change or find is not known"
        run.results = [Finding("skipped", message, WARNING).data()]
        return True

    def _mutate(
        self, package: Package, function: PipelineFunction, items: list[FileResource]
    ) -> list[FileResource]:
        config = self.configs[id(function)]
        if function.config_path:
            # An earlier function's change of the config counts, as in kpt, which compares the texts.
            for item in items:
                place = item.location
                if (place.package, place.path) == (package.path, function.config_path):
                    config = item
        chosen = [item for item in items if function.takes(item)] if function.narrows else items
        given = list(chosen)
        output = self._call(package, function, chosen, config)
        result = self._settled(package, function, output, config)
        causes = self.rendering.runs[-1].causes
        if causes is not None:
            for made, item in zip(output, result, strict=True):
                if made is not item:
                    causes.replace(made, item)
        if self.observer is not None:
            self.observer.left(self.rendering.runs[-1], given, result)
        result = self._kept(given, result)
        if not function.narrows:
            return result
        before = {id(item) for item in chosen}
        left = {id(item) for item in result}
        merged = [item for item in items if id(item) not in before or id(item) in left]
        return merged + [item for item in result if id(item) not in before]

    def _kept(self, given: list[FileResource], result: list[FileResource]) -> list[FileResource]:
        """Keep the Kptfiles that a function removed, with a warning (kpt deletes them).

        Without its Kptfile a folder is not a package, and its pipeline is lost.
        """
        taken = {self.places.path(item) for item in result}
        lost = [
            item for item in given if item.location.path == KPTFILE and self.places.path(item) not in taken
        ]
        self.rendering.runs[-1].results += [
            Finding("kptfile", "the function took out the Kptfile, which stays", WARNING, item).data()
            for item in lost
        ]
        return [*lost, *result]

    def _validate(self, package: Package, function: PipelineFunction, items: list[FileResource]) -> None:
        chosen = [item for item in items if function.takes(item)] if function.narrows else items
        before = [(item, item.text, item.changed, item.location.copy()) for item in chosen]
        # A validator's config is the one on disk, as in kpt.
        config = self.configs[id(function)]
        try:
            result = self._call(package, function, chosen, config, list(chosen))
            # Its output must be valid, though it is dropped.
            self._settled(package, function, result, config)
        finally:
            for item, text, changed, place in before:
                item.location = place
                if item.changed != changed or (changed and item.text != text):
                    item.revert(text, changed)

    def _settled(
        self,
        package: Package,
        function: PipelineFunction,
        resources: list[Resource],
        config: Resource | None,
    ) -> list[FileResource]:
        """Put the output of a function into files. Raises _StoppedError or PlaceError for an invalid output."""
        items = self.places.settle(resources, package, folder_of(config))
        problem = next(filter(None, (not_a_resource(item) for item in items if item.changed)), "")
        if problem:
            raise _StoppedError(f"{_name(function)}: its output is not right: {problem}")
        return items

    def _call(
        self,
        package: Package,
        function: PipelineFunction,
        items: list[FileResource],
        config: Resource | None,
        silent: list[Resource] | None = None,
    ) -> list[Resource]:
        """Run the function on the items and return its output. If a foreign program exits 0 without output, return `silent`.

        Raises _StoppedError if it failed; its results are kept."""
        program = self.programs[id(function)]
        run = self._begin(package, function, len(items))
        start = time.monotonic()
        try:
            result = self._run(program, run, items, config, silent)
        except ExternalError as error:
            run.exit_code = 1
            raise _StoppedError(str(error)) from None
        finally:
            run.seconds = time.monotonic() - start
            if self.observer is not None:
                self.observer.finished(run)
        if run.exit_code != 0:
            hint = program.hint if isinstance(program, External) and not run.results else ""
            raise _StoppedError(f"{_name(function)} failed{hint}")
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


def _listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _name(function: PipelineFunction) -> str:
    return function.image or function.exec
