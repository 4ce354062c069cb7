"""Run the pipeline as `kpt fn render` does, in one process, without rewriting unchanged resources.

Order: subpackages first, or level by level from the root if its annotation says so; in a package the
mutators, then the validators. A function gets its package's own resources by path, then those of subpackages,
with all changes so far and filtered by its selectors; changes by validators are dropped. A resource is parsed
when a function first needs it, and stays parsed. Nothing is written: the outcome holds the changes of files,
or none after a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krmkit.fn.masking import Mask, marked, secrets_in
from krmkit.fn.run import check_config, summary
from krmkit.kpt.kptfile import PipelineFunction
from krmkit.kpt.resultlist import FunctionRun
from krmkit.kpt.source import FileResource
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import Package
from krmkit.render.place import ResourcePlaces
from krmkit.render.programs.external import External
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import Known, ProgramResolver, ResolveError, ways_of
from krmkit.render.step import Before, Observer, StepRunner, StoppedError, name_of
from krmkit.storage.disk.write import FileEdit

MACRO = ".spectro."  # marks Palette's macros, which a config may hold until resolve-macros has run
SAVES = "kpt.dev/save-on-render-failure"  # of a root Kptfile: what stood before a failure is written
BREADTH_FIRST = "kpt.dev/bfs-rendering"  # of a root Kptfile: parents are rendered before their subpackages


def render(package: Package, resolver: ProgramResolver, observer: Observer | None = None) -> Rendering:
    """Run the pipelines of a package and its subpackages.

    Raises Refused before any function runs, if the package cannot be rendered on this machine.
    """
    return _Pipeline(package, resolver, observer).run()


class _Pipeline:
    def __init__(self, package: Package, resolver: ProgramResolver, observer: Observer | None) -> None:
        self.package = package
        self.places = ResourcePlaces(package)
        self.steps = StepRunner(self.places, resolver.options.limits, observer)
        self.rendering = self.steps.rendering
        self.saves = _says(package, SAVES)
        # Find all programs and read all configs before the first function runs.
        problems: list[str] = []
        errors: list[ResolveError] = []
        for each in package.walk():
            self.rendering.packages += 1
            for function in each.functions:
                self.steps.configs[id(function)] = each.config(function)
                flag = resolver.skips(function)
                if flag:
                    self.steps.skipped[id(function)] = flag
                    continue
                try:
                    self.steps.programs[id(function)] = resolver.resolve(function)
                except ResolveError as error:
                    problems.append(each.problem(f"{function.field}: {error}"))
                    errors.append(error)
        if problems:
            raise Refused("\n".join([*problems, *ways_of(errors)]))

    def run(self) -> Rendering:
        rendering = self.rendering
        try:
            self._check_configs()
            order = self._breadth_first if _says(self.package, BREADTH_FIRST) else self._depth_first
            items = order(self.package)
            rendering.contents = self.places.contents(items)
            rendering.changes = self.places.changes(rendering.contents)
            rendering.items = [(self.places.path(item), item) for item in items]
        except StoppedError as error:
            rendering.failure = str(error)
            if error.validating or self.saves:
                rendering.proposed = self._proposed(error.items)
            if self.saves:
                rendering.saved = [edit for edit in rendering.proposed if edit.after is not None]
        except (Refused, YamlError) as error:
            rendering.failure = str(error)
        texts = {item.original for each in self.package.walk() for file in each.files for item in file.items}
        texts.update(item.text for _, item in rendering.items)
        said = mask_said(rendering.runs, rendering.secrets, list(self.steps.configs.values()), texts)
        rendering.failure = said.message(rendering.failure)
        return rendering

    def _proposed(self, items: list[FileResource]) -> list[FileEdit]:
        """Return the changes of files before a function failed, if they can be computed."""
        try:
            return self.places.changes(self.places.contents(items))
        except (Refused, YamlError):
            return []

    def _check_configs(self) -> None:
        """Check all configs before the first function runs. Raises StoppedError for an invalid one.

        A config that an earlier function may still change is checked later, by its own function: after a
        program outside the catalog in the same pipeline, or after resolve-macros if it holds macros.
        """
        wrong = []
        for package in self.package.walk():
            # Breadth first, the packages above may change the configs of those below.
            others = package is not self.package and _says(self.package, BREADTH_FIRST)
            for function in package.functions:
                if id(function) in self.steps.skipped:
                    others = True  # its effect on configs is unknown
                    continue
                program = self.steps.programs[id(function)]
                if isinstance(program, External):
                    others = True
                    continue
                config = self.steps.configs[id(function)]
                kept = function.config_path or function.config_ref is not None
                if kept and config is not None and (others or MACRO in config.text):
                    continue
                findings = check_config(program.function.definition, config, program.options)
                for finding in findings:
                    if function.config_path and finding.resource_ref is not None:
                        finding.file = {"path": function.config_file, "index": 0}
                if findings:
                    wrong.append(name_of(function))
                    self._refuse(package, function, program, findings)
        if wrong:
            raise StoppedError(f"no function ran, because the config of {_listed(wrong)} is not right")

    def _refuse(
        self, package: Package, function: PipelineFunction, program: Known, found: list[Finding]
    ) -> None:
        """Record a function with an invalid config as failed."""
        run = self.steps.begin(package, function, 0)
        run.results = [finding.data() for finding in found]
        run.exit_code = 1
        run.stderr = summary(program.function.name, found)
        if self.steps.observer is not None:
            self.steps.observer.finished(run)

    def _depth_first(self, package: Package) -> list[FileResource]:
        """Run subpackages, then the package; return all their resources."""
        items = list(package.items)
        for number, child in enumerate(package.children):
            try:
                items += self._depth_first(child)
            except StoppedError as error:
                # This package, and subpackages that were not rendered yet, are as on disk.
                later = [
                    item
                    for other in package.children[number + 1 :]
                    for each in other.below()
                    for item in each.items
                ]
                error.items = [*items, *error.items, *later]
                raise
        return self._run_package(package, items)

    def _breadth_first(self, root: Package) -> list[FileResource]:
        """Run the root, then each level below; a package gets its own and its descendants' resources."""
        packages = list(root.below())
        standing = {each.path: list(each.items) for each in packages}
        for package in root.levels():
            mine = [each.path for each in package.below()]
            given = [item for path in mine for item in standing[path]]
            try:
                made = self._run_package(package, given)
            except StoppedError as error:
                others = [item for path in standing if path not in mine for item in standing[path]]
                error.items = [*others, *error.items]
                raise
            for path in mine:
                standing[path] = []
            for item in made:
                owner = item.location.package
                standing[owner if owner in standing else package.path].append(item)
        return [item for each in packages for item in standing[each.path]]

    def _run_package(self, package: Package, items: list[FileResource]) -> list[FileResource]:
        """Run a package's functions. A StoppedError has the resources before the failed function."""
        for function in package.functions:
            before = Before(items) if self.saves else None
            try:
                if self.steps.skips(package, function):
                    continue
                items = self.steps.run(package, function, items)
            except (Refused, YamlError) as error:
                stopped = error if isinstance(error, StoppedError) else StoppedError(str(error))
                if before is not None:
                    before.restore()
                stopped.items = items
                stopped.validating = function in package.kptfile.validators
                raise stopped from None
        return items


def _says(package: Package, annotation: str) -> bool:
    """Return whether the package's Kptfile has the annotation set to true, in any letter case."""
    return package.kptfile.resource.annotations.get(annotation, "").lower() == "true"


def _listed(names: list[str]) -> str:
    """Join names: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_KEPT = ("severity", "file")
_NAMES = ("resourceRef", "tags")  # a name that equals the value of a Secret must remain a name


def mask_said(
    runs: list[FunctionRun], secrets: set[str], configs: Iterable[Resource | None], texts: Iterable[str]
) -> Mask:
    """Mask secrets in the results and stderr of a package's functions; return the mask for other messages.

    Secrets are values that functions or configs mark, and secrets of the package's resources, given as texts.
    The marked values are added to `secrets`.
    """
    for config in configs:
        if config is None or "secret" not in config.text:
            continue
        try:
            secrets.update(marked(config.get()))
        except (YamlError, Refused):
            continue  # its function reports the error in it
    names, mask = Mask(secrets), Mask(secrets | secrets_in(texts))
    for run in runs if mask else ():
        run.stderr = mask.message(run.stderr)
        run.results = [_masked(result, mask, names) for result in run.results]
    return mask


def _masked(result: Mapping[str, object], mask: Mask, names: Mask) -> dict[str, object]:
    """Return a result without secrets. Severity and file stay, as they are not the function's text."""
    masked = {
        name: value if name in _KEPT else (names if name in _NAMES else mask).value(value)
        for name, value in result.items()
    }
    if isinstance(result.get("message"), str):
        masked["message"] = mask.message(str(result["message"]))
    return masked
