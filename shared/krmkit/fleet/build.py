"""The files of a variant's package: cloned from the upstream, or its own with the upstream's changes merged in.

A build is a job that needs no repository: it gets contents and returns contents, wherever it runs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from krmkit.fleet.collisions import objects_of
from krmkit.fleet.engine.jobs import JobError
from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.variants import Made, Origin, UpstreamPackage, VariantError, make, unrendered
from krmkit.fn.knownfunctions import CatalogError, catalog
from krmkit.fn.run import RunOptions
from krmkit.git.treeupdate import File
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.porch.merge.threeway import UPSTREAM
from krmkit.porch.variants.injection import Candidate
from krmkit.render.carryback import carry_back, lost_edits
from krmkit.render.filesecrets import masked_conflicts
from krmkit.render.merge.conflictplaces import placed
from krmkit.render.merge.mergeconflict import ResourceConflict
from krmkit.render.packagemerge import PackageMergeError, merge_packages
from krmkit.render.resolve import ProgramResolver
from krmkit.yaml.errors import YamlError

Files = dict[str, File]


@dataclass(slots=True)
class Built:
    """The files of a package by path; `gates` are readiness gates that are open, `warnings` the functions' own.

    `input` is what went into the pipeline, None where it was a clone of the upstream and nothing else.
    """

    files: Files
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    conflicts: list[ResourceConflict] = field(default_factory=list)
    settled: list[ResourceConflict] = field(default_factory=list)  # conflicts that `on_conflict` decided
    secrets: set[str] = field(default_factory=set)  # texts that no diff may show
    input: Files | None = None
    objects: list[str] = field(default_factory=list)  # as `objects_of` has them


@dataclass(slots=True)
class VariantInput:
    """What a build must know of a PackageVariant; `origin` is its upstream, `context` says that a clone gets a package context."""

    name: str
    namespace: str
    spec: dict[str, Any]
    origin: Origin
    context: bool


@dataclass(slots=True)
class Clone:
    """Make the variant's package from a blueprint; `others` are those of its files whose text is not all there is to say."""

    variant: VariantInput
    blueprint: UpstreamPackage
    others: Files
    size: int


@dataclass(slots=True)
class Rendered:
    """What a sync made of a package last: `output` came out of its pipeline, `input` went in.

    An `input` of None is a clone of the base, an `output` of None the package as it is: nobody has changed it since.
    """

    output: Files | None
    input: Files | None


@dataclass(slots=True)
class Update:
    """Merge what changed from `base` to `upstream` into the variant's own `files`, and apply the variant again.

    `on_conflict` is whose value is taken where upstream and people changed one, "" where nobody has decided that.
    Without a `base` the upstream is as before. Without `last` it is not known which values of `files` functions have set.
    """

    variant: VariantInput
    files: Files
    base: Files | None
    upstream: Files
    last: Rendered | None = None
    on_conflict: str = ""

    @property
    def size(self) -> int:
        """Bytes of the contents."""
        versions = [self.files, self.base, self.upstream]
        if self.last is not None:
            versions += [self.last.output, self.last.input]
        return sum(len(file.content) for files in versions for file in (files or {}).values())


class Build:
    """The job: Clone or Update in, Built out. Raises JobError.

    `objects` are all that may be injected, `functions` are folders with functions of others,
    and `running` says how functions outside the catalog run, as krmkit.render.resolve.ProgramResolver has it.
    """

    def __init__(self, objects: Iterable[Resource], functions: Sequence[str] = (), **running: Any) -> None:
        self._objects = [(one.text, one.label) for one in objects]
        self._functions = list(functions)
        self._running = running
        self._resolver: ProgramResolver | None = None
        self._known: FleetObjects | None = None
        self._candidates: dict[str, list[Candidate]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What was set up on the first call is not sent to other processes."""
        return {**self.__dict__, "_resolver": None, "_known": None, "_candidates": {}}

    def __call__(self, given: Clone | Update) -> Built:
        try:
            if self._resolver is None:
                known = catalog(self._functions) if self._functions else None
                self._resolver = ProgramResolver(RunOptions(), catalog=known, **self._running)
            if isinstance(given, Clone):
                return self._made(given.variant, given.blueprint, given.others, clone=True)
            return self._updated(given)
        except (CatalogError, VariantError, PackageMergeError, ListError, YamlError) as error:
            raise JobError(str(error)) from None

    def _updated(self, given: Update) -> Built:
        """Merge three packages that no function has touched: the clones of both upstreams, and the last input with people's edits.

        Functions change packages in place, so that in their output each value of theirs would look like an edit.
        """
        variant = given.variant
        upstream = _unrendered(variant, given.upstream, clone=True)
        base = upstream if given.base is None else _unrendered(variant, given.base, clone=True)
        local = _unrendered(variant, self._edited(given, base), clone=False)
        files, conflicts = upstream, []
        if given.base is None:
            files = local
        elif local != base:
            merged = merge_packages(
                _contents(base),
                _contents(upstream),
                _contents(local),
                on_conflict=given.on_conflict or UPSTREAM,
            )
            files = {
                path: File(content, _is_executable(path, base, upstream, local))
                for path, content in merged.files.items()
            }
            conflicts = placed(merged.conflicts, _contents(given.files))
        built = self._made(variant, read_blueprint(files), files, clone=False)
        if local != base:
            built.input = files if given.base is None else _unrendered(variant, files, clone=False)
        decided = len(conflicts)
        if given.last is not None:
            conflicts = conflicts + _lost(
                given, base, local, built, {(one.file, one.path) for one in conflicts}
            )
        if given.on_conflict:
            built.settled = conflicts[:decided]
            conflicts = conflicts[decided:]
        built.conflicts = conflicts
        return built

    def _edited(self, given: Update, base: Files) -> Files:
        """What went into the pipeline last, with the edits that people made of what came out."""
        last = given.last
        if last is None:
            try:
                made = self._made(given.variant, read_blueprint(base), base, clone=False)
            except VariantError:
                return given.files  # its functions cannot run any more; what they set looks like an edit
            last = Rendered(made.files, None)
        before = base if last.input is None else last.input
        if last.output is None or last.output == given.files:
            return before
        contents = carry_back(*map(_contents, (last.output, given.files, before)))
        known = {**before, **given.files}
        return {path: File(content, known[path].executable) for path, content in contents.items()}

    def _made(self, variant: VariantInput, blueprint: UpstreamPackage, files: Files, clone: bool) -> Built:
        assert self._resolver is not None
        objects = self._candidates_of(variant)
        made = make(
            blueprint, variant.name, variant.spec, variant.namespace, variant.origin, objects, self._resolver,
            clone=clone, context=variant.context,
        )  # fmt: skip
        return _built(made, blueprint, files)

    def _candidates_of(self, variant: VariantInput) -> list[Candidate]:
        """The objects that may be injected, and those of the injectors' names in other namespaces, for hints."""
        namespace = variant.namespace
        known = self._candidates.get(namespace)
        if known is None:
            if self._known is None:
                self._known = FleetObjects(Resource(text, label=label) for text, label in self._objects)
            known = [Candidate.of(one) for one in self._known.of(namespace)]
            self._candidates[namespace] = known
        assert self._known is not None
        wanted = {str(one.get("name") or "") for one in variant.spec.get("injectors") or ()}
        away = [one for name in sorted(wanted) for one in self._known.elsewhere(name, namespace)]
        return [*known, *(Candidate.of(one, one.namespace) for one in away)] if away else known


def build_of(arguments: argparse.Namespace, objects: Iterable[Resource]) -> Build:
    """The job as the flags of `add_running` say. Raises CatalogError, here and not in each process."""
    catalog(arguments.functions)
    return Build(
        objects,
        arguments.functions,
        allow_exec=arguments.allow_exec,
        allow_network=arguments.allow_network,
        pull=arguments.image_pull_policy,
        timeout=arguments.timeout,
    )


def read_blueprint(files: Files) -> UpstreamPackage:
    """A package as what it can be made from; nothing of it lies on the disk afterwards. Raises VariantError."""
    with _unpacked(files) as folder:
        try:
            blueprint = UpstreamPackage(folder)
        except VariantError as error:
            raise VariantError(str(error).replace(f"{folder}/", "").replace(f"{folder}: ", "")) from None
    # Functions see where a package lies; the same everywhere makes the same package everywhere.
    blueprint.path = "/package"
    return blueprint


def others_of(blueprint: UpstreamPackage, files: Files) -> Files:
    """The files of a blueprint that are no resources, or that can be executed."""
    return {path: file for path, file in files.items() if path in blueprint.others or file.executable}


@contextmanager
def _unpacked(files: Files) -> Iterator[str]:
    """A temporary folder with these files."""
    with tempfile.TemporaryDirectory(prefix="krmkit-sync-") as folder:
        folder = os.path.realpath(folder)
        for path, file in files.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            if file.executable:
                os.chmod(place, 0o755)
        yield folder


def _built(made: Made, blueprint: UpstreamPackage, files: Files) -> Built:
    """What rendering wrote, and every other file as it is."""
    found = _with_others(made.contents, blueprint, files)
    return Built(found, made.gates, made.warnings, secrets=made.secrets, objects=objects_of(made.contents))


def _lost(
    given: Update, base: Files, local: Files, built: Built, known: set[tuple[str, tuple[str, ...]]]
) -> list[ResourceConflict]:
    """People's edits that are in the package so far and not in what was built, without those that are known.

    Edits are the differences of the package from the last output, and those that were carried back before: of the input from the clone.
    """
    files, made = _contents(given.files), _contents(built.files)
    found: list[ResourceConflict] = []
    assert given.last is not None
    if given.last.output is not None:
        found += lost_edits(_contents(given.last.output), files, made)
    if local != base:
        gone = {(one.file, one.path) for one in lost_edits(_contents(base), _contents(local), files)}
        found += [
            one
            for one in lost_edits(_contents(base), _contents(local), made)
            if (one.file, one.path) not in gone
        ]
    unknown = {(one.file, one.path): one for one in reversed(found) if (one.file, one.path) not in known}
    return masked_conflicts(placed(reversed(unknown.values()), files), (files, made))


def _unrendered(variant: VariantInput, files: Files, clone: bool) -> Files:
    """A package as it goes into the pipeline, before the variant is applied to it."""
    blueprint = read_blueprint(files)
    texts = unrendered(blueprint, variant.spec, variant.origin, clone, variant.context)
    return _with_others(texts, blueprint, files)


def _with_others(texts: dict[str, str], blueprint: UpstreamPackage, files: Files) -> Files:
    """These resource files, and every other file of the package as it is."""
    found = {path: files[path] for path in blueprint.others if path in files}
    for path, text in texts.items():
        old = files.get(path)
        found[path] = File(text.encode(), old is not None and old.executable)
    return found


def _is_executable(path: str, base: Files, upstream: Files, local: Files) -> bool:
    """Whether a merged file can be executed: as the side has it that changed it."""
    old, new, here = (files.get(path) for files in (base, upstream, local))
    if new is None or here is None:
        one = new or here
        return one is not None and one.executable
    return new.executable if old is not None and here.executable == old.executable else here.executable


def _contents(files: Files) -> dict[str, bytes]:
    return {path: file.content for path, file in files.items()}
