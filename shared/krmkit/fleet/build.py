"""Build a variant's package: clone the upstream, or merge the upstream's changes into the variant.

A build job needs no repository: it gets file contents and returns file contents, on any machine.
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
from krmkit.fleet.objects import FleetObjects
from krmkit.fleet.variants import Origin, UpstreamPackage, make, unrendered
from krmkit.fn.knownfunctions import catalog
from krmkit.fn.run import RunOptions
from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.conflictplaces import placed
from krmkit.kpt.merge.lost import lost_comments, lost_edits
from krmkit.kpt.merge.packages import undo
from krmkit.kpt.merge.threeway import UPSTREAM
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.packagemerge import merge_packages
from krmkit.render.resolve import ProgramResolver
from krmkit.render.secrets.files import masked_conflicts, secrets_of
from krmkit.storage.git.treeupdate import File
from krmkit.systems.porch.variants.candidates import Candidate

Files = dict[str, File]


@dataclass(slots=True)
class Built:
    """The result of a build: the files of a package by path.

    `gates`: open readiness gates; `warnings`: the functions' warnings. `input`: the files before the
    pipeline, None for an unchanged clone of the upstream.
    """

    files: Files
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    conflicts: list[ResourceConflict] = field(default_factory=list)
    settled: list[ResourceConflict] = field(default_factory=list)  # conflicts that `on_conflict` decided
    secrets: set[str] = field(default_factory=set)  # texts that no diff may show
    input: Files | None = None
    objects: list[str] = field(default_factory=list)  # as `objects_of` returns them


@dataclass(slots=True)
class VariantInput:
    """The PackageVariant of a build.

    `origin`: its upstream, None to keep the package's own; `context`: whether a clone gets a package context.
    """

    name: str
    namespace: str
    spec: dict[str, Any]
    origin: Origin | None
    context: bool


@dataclass(slots=True)
class Clone:
    """A variant to be cloned from a blueprint.

    `others`: its files that are not resources, or are executable.
    """

    variant: VariantInput
    blueprint: UpstreamPackage
    others: Files
    size: int


@dataclass(slots=True)
class Rendered:
    """The last sync of a package: `input` and `output` of its pipeline.

    `input` is None for a clone of the base, `output` None if the package is unchanged since.
    """

    output: Files | None
    input: Files | None


@dataclass(slots=True)
class Update:
    """The changes from `base` to `upstream`, to be merged into the variant's own `files`.

    `on_conflict`: the side that wins if upstream and people changed the same value, "" if undecided. No
    `base`: the upstream is unchanged. No `last`: it is unknown which values of `files` functions have set.
    """

    variant: VariantInput
    files: Files
    base: Files | None
    upstream: Files
    last: Rendered | None = None
    on_conflict: str = ""

    @property
    def size(self) -> int:
        """Return the size of the contents in bytes."""
        versions = [self.files, self.base, self.upstream]
        if self.last is not None:
            versions += [self.last.output, self.last.input]
        return sum(len(file.content) for files in versions for file in (files or {}).values())


class Build:
    """The job that makes a Built from a Clone or an Update. Raises Refused, YamlError.

    `objects`: the candidates for injection; `functions`: folders with more functions; `flags`: the command
    line's flags for running functions; `options`: the options of each run.
    """

    def __init__(
        self,
        objects: Iterable[Resource],
        functions: Sequence[str] = (),
        flags: argparse.Namespace | None = None,
        options: RunOptions | None = None,
    ) -> None:
        self._objects = [(one.text, one.label) for one in objects]
        self._functions = list(functions)
        self._flags = flags
        self._options = options or RunOptions()
        self._resolver: ProgramResolver | None = None
        self._known: FleetObjects | None = None
        self._candidates: dict[str, list[Candidate]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the state that the first call sets up: it is not sent to other processes."""
        return {**self.__dict__, "_resolver": None, "_known": None, "_candidates": {}}

    def __call__(self, given: Clone | Update) -> Built:
        if self._resolver is None:
            known = catalog(self._functions) if self._functions else None
            self._resolver = (
                ProgramResolver.of(self._flags, self._options, known)
                if self._flags is not None
                else ProgramResolver(self._options, catalog=known)
            )
        if isinstance(given, Clone):
            return self._made(given.variant, given.blueprint, given.others, clone=True)
        return self._updated(given)

    def _updated(self, given: Update) -> Built:
        """Merge both upstreams' clones with the last input and people's edits, before the pipelines.

        Functions change packages in place, so a merge of their output would take each value they set for an
        edit.
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
            sides = [_contents(one) for one in (base, upstream, local, files)]
            conflicts = conflicts + _lost(given, sides, built, conflicts)
        if given.on_conflict:
            built.settled = conflicts[:decided]
            conflicts = conflicts[decided:]
        built.conflicts = conflicts
        return built

    def _edited(self, given: Update, base: Files) -> Files:
        """Return the last input of the pipeline, with people's edits to its output."""
        last = given.last
        if last is None:
            try:
                made = self._made(given.variant, read_blueprint(base), base, clone=False)
            except Refused:
                return given.files  # its functions no longer run; the values that they set look like edits
            last = Rendered(made.files, None)
        before = base if last.input is None else last.input
        if last.output is None or last.output == given.files:
            return before
        contents = undo(*map(_contents, (last.output, given.files, before)))
        known = {**before, **given.files}
        return {path: File(content, known[path].executable) for path, content in contents.items()}

    def _made(self, variant: VariantInput, blueprint: UpstreamPackage, files: Files, clone: bool) -> Built:
        assert self._resolver is not None
        objects = self._candidates_of(variant)
        made = make(
            blueprint, variant.name, variant.spec, variant.namespace, variant.origin, objects, self._resolver,
            clone=clone, context=variant.context,
        )  # fmt: skip
        contents = _with_others(made.contents, blueprint, files)
        return Built(
            contents, made.gates, made.warnings, secrets=made.secrets, objects=objects_of(made.contents)
        )

    def _candidates_of(self, variant: VariantInput) -> list[Candidate]:
        """Return the candidates for injection. For hints, add objects elsewhere with an injector's name."""
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


def build_of(arguments: argparse.Namespace, objects: Iterable[Resource], options: RunOptions) -> Build:
    """Return the job for a command line's flags. Raises Refused here, before any process starts."""
    catalog(arguments.functions)
    return Build(objects, arguments.functions, arguments, options)


def read_blueprint(files: Files) -> UpstreamPackage:
    """Read a package as a blueprint; nothing of it stays on disk. Raises Refused."""
    with _unpacked(files) as folder:
        try:
            blueprint = UpstreamPackage(folder)
        except Refused as error:
            raise Refused(str(error).replace(f"{folder}/", "").replace(f"{folder}: ", "")) from None
    # Functions can see the package's path: the same path everywhere gives the same output everywhere.
    blueprint.path = "/package"
    return blueprint


def others_of(blueprint: UpstreamPackage, files: Files) -> Files:
    """Return the files of a blueprint that are not resources, or are executable."""
    return {path: file for path, file in files.items() if path in blueprint.others or file.executable}


@contextmanager
def _unpacked(files: Files) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="krmkit-sync-") as folder:
        folder = os.path.realpath(folder)
        for path, file in files.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            if file.executable:
                os.chmod(place, 0o755)
        yield folder


def _lost(
    given: Update, sides: list[dict[str, bytes]], built: Built, known: list[ResourceConflict]
) -> list[ResourceConflict]:
    """Return people's edits that the build lost, except for the `known` conflicts.

    Edits are the differences of the package from the last output, and the earlier ones in `local`, the
    package before its pipeline, from the clone. sides: the clones `base` and `upstream`, `local`, and the
    result of the merge.
    """
    base, upstream, local, merged = sides
    files, made = _contents(given.files), _contents(built.files)
    assert given.last is not None
    output = _contents(given.last.output) if given.last.output is not None else files
    lost = [*lost_edits(output, files, made, merged)]
    edits = [(output, files), (base, {path: text for path, text in local.items() if path in files})]
    notes = lost_comments(edits, made, files, base, upstream)
    if local != base:
        gone = {_about(one) for one in lost_edits(base, local, files, local)}
        lost += [one for one in lost_edits(base, local, made, merged) if _about(one) not in gone]
    found = {_about(one): one for one in reversed(placed(lost, files))}
    for one in known:
        found.pop(_about(one), None)
    told = {(one.file, one.message) for one in known}
    comments = {(one.file, one.message): one for one in reversed(notes)}
    unknown = [*reversed(found.values()), *(one for key, one in comments.items() if key not in told)]
    return masked_conflicts(unknown, secrets_of([*files.values(), *made.values()]))


def _about(conflict: ResourceConflict) -> tuple[str, tuple[str, ...]]:
    return conflict.file, conflict.path


def _unrendered(variant: VariantInput, files: Files, clone: bool) -> Files:
    """Return the input of a package's pipeline before the variant is applied."""
    blueprint = read_blueprint(files)
    texts = unrendered(blueprint, variant.spec, variant.origin, clone, variant.context)
    return _with_others(texts, blueprint, files)


def _with_others(texts: dict[str, str], blueprint: UpstreamPackage, files: Files) -> Files:
    """Return the given resource files, and every other file of the package unchanged."""
    kept = {path: files[path] for path in blueprint.others if path in files}
    for path, text in texts.items():
        old = files.get(path)
        kept[path] = File(text.encode(), old is not None and old.executable)
    return kept


def _is_executable(path: str, base: Files, upstream: Files, local: Files) -> bool:
    """Return whether a merged file is executable: the side that changed the mode decides."""
    old, new, here = (files.get(path) for files in (base, upstream, local))
    if new is None or here is None:
        side = new or here
        return side is not None and side.executable
    return new.executable if old is not None and here.executable == old.executable else here.executable


def _contents(files: Files) -> dict[str, bytes]:
    return {path: file.content for path, file in files.items()}
