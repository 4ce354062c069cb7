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

from krmkit.cli.fleetobjects import FleetObjects
from krmkit.cli.git.treeupdate import File
from krmkit.cli.work.workengine import JobError
from krmkit.fn.knownfunctions import CatalogError, catalog
from krmkit.fn.run import RunOptions
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.porch.injection import Candidate
from krmkit.render.packagemerge import PackageMergeError, merge_packages
from krmkit.render.resolve import ProgramResolver
from krmkit.render.resourcemerge import ResourceConflict
from krmkit.render.variantpackages import Made, Origin, UpstreamPackage, VariantError, make
from krmkit.yaml.errors import YamlError

Files = dict[str, File]


@dataclass(slots=True)
class Built:
    """The files of a package by path; `gates` are readiness gates that are open, `warnings` the functions' own."""

    files: Files
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    conflicts: list[ResourceConflict] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)  # texts that no diff may show


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
class Update:
    """Merge what changed from `base` to `upstream` into the variant's own `files`, and apply the variant again.

    Without a `base` nothing is merged.
    """

    variant: VariantInput
    files: Files
    base: Files | None
    upstream: Files

    @property
    def size(self) -> int:
        """Bytes of the contents."""
        return sum(
            len(file.content)
            for files in (self.files, self.base or {}, self.upstream)
            for file in files.values()
        )


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
        files = given.files
        conflicts: list[ResourceConflict] = []
        if given.base is not None:
            merged = merge_packages(*(_contents(version) for version in (given.base, given.upstream, files)))
            conflicts = merged.conflicts
            known = {**given.upstream, **files}
            files = {path: File(content, known[path].executable) for path, content in merged.files.items()}
        built = self._made(given.variant, read_blueprint(files), files, clone=False)
        built.conflicts = conflicts
        return built

    def _made(self, variant: VariantInput, blueprint: UpstreamPackage, files: Files, clone: bool) -> Built:
        assert self._resolver is not None
        objects = self._candidates_of(variant.namespace)
        made = make(
            blueprint, variant.name, variant.spec, variant.namespace, variant.origin, objects, self._resolver,
            clone=clone, context=variant.context,
        )  # fmt: skip
        return _built(made, blueprint, files)

    def _candidates_of(self, namespace: str) -> list[Candidate]:
        known = self._candidates.get(namespace)
        if known is None:
            if self._known is None:
                self._known = FleetObjects(Resource(text, label=label) for text, label in self._objects)
            known = [Candidate.of(one) for one in self._known.of(namespace)]
            self._candidates[namespace] = known
        return known


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
    found = {path: files[path] for path in blueprint.others if path in files}
    for path, text in made.contents.items():
        old = files.get(path)
        found[path] = File(text.encode(), old is not None and old.executable)
    return Built(found, made.gates, made.warnings, secrets=made.secrets)


def _contents(files: Files) -> dict[str, bytes]:
    return {path: file.content for path, file in files.items()}
