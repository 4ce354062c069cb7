"""Make packages from a blueprint by PackageVariants: clone, apply the variant, render, in memory.

The steps are those of Porch: clone (Kptfile name and upstream, a fresh package context), the variant's
context, pipeline and injection, then the pipeline. The cloned and changed files count as written before they
are rendered, as on disk.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from krmkit.kpt.merge.stamp import stamped_file
from krmkit.kpt.resultlist import normalized
from krmkit.kpt.source import FileResource, SourceFile, package_file
from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.render.findings.places import PackageFiles, result_of
from krmkit.render.package import KPTFILE, Package, kptfile_of, read
from krmkit.render.pipeline import render
from krmkit.render.place import ResourcePlaces
from krmkit.render.rendering import Rendering
from krmkit.render.resolve import ProgramResolver
from krmkit.storage.disk.folders import check_name, open_file
from krmkit.systems.porch.api.apinames import upstream_version
from krmkit.systems.porch.variants.apply import apply_variant
from krmkit.systems.porch.variants.candidates import Candidate, candidates
from krmkit.systems.porch.variants.context import context_text, is_package_context
from krmkit.systems.porch.variants.gates import open_gates
from krmkit.systems.porch.variants.packageview import CONTEXT_FILE, CONTEXT_NAME, empty_document
from krmkit.systems.porch.variants.packageview import PackageView as View
from krmkit.systems.porch.variants.validation import validate_variant


def missing_upstream(message: str, field: str) -> Refused:
    """Return the error about a missing upstream; `field` is the field with the wrong name."""
    return Refused(Finding("missing-upstream", message, field=field))


class UpstreamPackage:
    """An upstream package, read once for all of its variants.

    `folders`: its packages ("" is the root); `texts`: the contents of their resource files; `others`: every
    other file and its path on disk. All paths are relative to the root package.
    """

    def __init__(self, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
        package = read(path, limits, contained=True)
        self.notes = package.notes
        self.path = path
        self.limits = limits
        self.folders: list[str] = []
        self.texts: dict[str, str] = {}
        self._stamped: dict[str, str] | None = None
        self.others: dict[str, str] = {}
        for each in package.walk():
            self.folders.append(each.folder)
            for file in each.files:
                self.texts[each.place(file.path)] = file.text
            for name in each.ignored:
                if ".git" not in name.split("/"):
                    self.others[each.place(name)] = os.path.join(each.path, name)
        for name, place in self.others.items():
            check_name(name, path)
            os.close(open_file(place, f"{path}/{name}", within=path))

    @property
    def stamped(self) -> dict[str, str]:
        """Return the texts with kpt's upstream-identifier, so that an update finds renamed resources.

        As in `kpt pkg get`, Kptfiles get none, and an identifier from the upstream is replaced. Computed once
        for all variants.
        """
        if self._stamped is None:
            self._stamped = {path: stamped_file(path, text, self.limits) for path, text in self.texts.items()}
        return self._stamped

    def has(self, folder: str) -> bool:
        return any(path == folder or path.startswith(folder + "/") for path in (*self.texts, *self.others))

    def package(self, texts: dict[str, str], before: Package | None = None) -> Package:
        """Return a package in memory with the blueprint's folders and these files. Raises Refused, YamlError.

        Equal files of the package `before` are reused; do not use that package afterwards.
        """
        known: dict[str, SourceFile] = {}
        for each in before.walk() if before is not None else ():
            for file in each.files:
                if not any(item.changed for item in file.items):
                    known[each.place(file.path)] = file
        packages: dict[str, Package] = {}
        for folder in sorted(self.folders, key=lambda folder: (folder.count("/") + bool(folder), folder)):
            kptfile = f"{folder}/{KPTFILE}" if folder else KPTFILE
            made = Package(os.path.join(self.path, folder), folder, kptfile_of(texts[kptfile], kptfile))
            if folder:
                packages[_owner(folder.rpartition("/")[0], packages)].children.append(made)
            packages[folder] = made
        for path in sorted(texts):
            owner = packages[_owner(path.rpartition("/")[0], packages)]
            inner = path[len(owner.folder) :].lstrip("/")
            if path in known and known[path].text == texts[path]:
                owner.files.append(known[path])
                continue
            owner.files.append(package_file(inner, texts[path], owner.path, path, self.limits))
        for each in packages.values():
            for function in each.functions:
                each.config(function)
        return packages[""]


def _owner(folder: str, packages: dict[str, Package]) -> str:
    """Return the nearest package at or above a folder."""
    while folder not in packages:
        folder = folder.rpartition("/")[0]
    return folder


def inside(path: str) -> list[str]:
    """Split the name of a repository or package into segments. Raises Refused if it leads out of a folder."""
    segments = path.split("/")
    if not path or any(
        segment in ("", ".", "..") or "\0" in segment or "\\" in segment for segment in segments
    ):
        raise Refused(f'"{path}" is not a name for a folder')
    return segments


class Origin:
    """The Kptfile's upstream; with a `commit`, also its upstreamLock."""

    def __init__(self, upstream: dict[str, Any], repository: Resource | None, commit: str = "") -> None:
        package = str(upstream["package"])
        git = mapping(repository.get("spec", "git") if repository is not None else None)
        self.repo = str(git.get("repo") or upstream["repo"])
        self.directory = "/".join([str(git.get("directory") or "").rstrip("/"), package])
        self.ref = f"{package}/{upstream_version(upstream)}"
        self.commit = commit


@dataclass(slots=True, eq=False)
class Made:
    """A rendered variant: its resource files, the functions' warnings, the open readiness gates."""

    contents: dict[str, str]
    gates: list[str]
    warnings: list[str]
    secrets: set[str]  # texts that no diff may show


def make(
    blueprint: UpstreamPackage,
    name: str,
    spec: dict[str, Any],
    namespace: str,
    origin: Origin | None,
    objects: Sequence[Candidate],
    resolver: ProgramResolver,
    clone: bool = True,
    context: bool = True,
) -> Made:
    """Clone a blueprint, apply the PackageVariant (`name`, `spec`) to it, and render it. Raises Refused.

    objects: the candidates for injection from outside the package. Without `clone`, the blueprint is the
    variant's own package, which keeps its name and people's edits; without `origin` it keeps its upstream
    too. Without `context` the clone gets no package context.
    """
    errors = validate_variant(spec)
    if errors:
        raise Refused("; ".join(errors))
    try:
        package = _unrendered(blueprint, spec, origin, clone, context)
        items = _items(package)
        applied = apply_variant(View(items), name, spec, [*objects, *candidates([], items, namespace, None)])
        written = blueprint.package(ResourcePlaces(package).contents(_items(package)), package)
        rendering = render(written, resolver)
    except (Refused, YamlError) as error:
        raise Refused(str(error)) from None
    problems = _problems(written, rendering)
    if rendering.failure:
        errors = [text for severity, text in problems if severity == "error"]
        errors += [f"{run.name}: {run.reason}" for run in rendering.runs if run.reason]
        raise Refused("; ".join(errors) or rendering.failure)
    kptfile = Resource(rendering.contents[KPTFILE], label=KPTFILE)
    hints = {point.condition_type: point.hint for point in applied.points}
    gates = [f"{gate}{hints.get(gate, '')}" for gate in open_gates(kptfile)]
    refused = ((path, empty_document(text)) for path, text in sorted(blueprint.texts.items()))
    warnings = [
        f"{path}:{line}: Porch refuses a --- without a document behind it" for path, line in refused if line
    ]
    contents = {**rendering.contents, **_notes(package, rendering.contents)}
    return Made(contents, gates, [text for _, text in problems] + warnings, rendering.secrets)


def _problems(package: Package, rendering: Rendering) -> list[tuple[str, str]]:
    """Return severity and text of the functions' errors and warnings, with places in the package."""
    results = []
    files: PackageFiles | None = None
    for run in rendering.runs:
        for result in run.results:
            if result.get("severity") not in ("error", "warning"):
                continue
            files = files or PackageFiles(package)
            one = result_of(normalized(result), run, files)
            inner = one.path.removeprefix(f"{files.folder}/")
            place = f"{inner}:{one.line}:{one.column}: " if one.line else f"{inner}: " if inner else ""
            results.append((one.severity, f"{run.name}: {place}{one.message}"))
    return results


def unrendered(
    blueprint: UpstreamPackage,
    spec: dict[str, Any],
    origin: Origin | None,
    clone: bool = True,
    context: bool = True,
) -> dict[str, str]:
    """Return the resource files of `make` before it applies the variant. Raises Refused."""
    try:
        package = _unrendered(blueprint, spec, origin, clone, context)
        contents = ResourcePlaces(package).contents(_items(package))
        return {**contents, **_notes(package, contents)}
    except (Refused, YamlError) as error:
        raise Refused(str(error)) from None


def _unrendered(
    blueprint: UpstreamPackage, spec: dict[str, Any], origin: Origin | None, clone: bool, context: bool
) -> Package:
    return _cloned(blueprint, spec, origin, context) if clone else _followed(blueprint, origin)


def _cloned(
    blueprint: UpstreamPackage, spec: dict[str, Any], origin: Origin | None, context: bool
) -> Package:
    """Return the blueprint as a new package, with a name, its upstream, and a fresh package context."""
    texts = blueprint.stamped
    path = str(spec["downstream"]["package"])
    package = blueprint.package(_with_context(texts, path, blueprint.limits) if context else texts)
    kptfile = View(_items(package)).single(KPTFILE, "Kptfile")
    kptfile.set(("metadata", "name"), path.rpartition("/")[2])
    _set_upstream(kptfile, origin)
    return package


def _followed(blueprint: UpstreamPackage, origin: Origin | None) -> Package:
    """Return a variant's own package, with its current upstream."""
    package = blueprint.package(blueprint.texts)
    _set_upstream(View(_items(package)).single(KPTFILE, "Kptfile"), origin, keeps_strategy=True)
    return package


def _notes(package: Package, contents: dict[str, str]) -> dict[str, str]:
    """Return the files that hold only comments, and into which no resource was written: they stay."""
    blank = (
        (each.place(file.path), file) for each in package.walk() for file in each.files if not file.items
    )
    return {path: file.text for path, file in blank if path not in contents}


def _items(package: Package) -> list[FileResource]:
    return [item for each in package.walk() for item in each.items]


def _with_context(given: dict[str, str], package: str, limits: Limits) -> dict[str, str]:
    """Replace a blueprint's package contexts by one at the root, for the downstream `package`."""
    texts: dict[str, str] = {}
    for path, text in given.items():
        if CONTEXT_NAME in text or "\\" in text:
            file = SourceFile(path, text, "", path, limits)
            kept = [item for item in file.items if not is_package_context(item)]
            if not kept and file.items:
                continue
            if len(kept) < len(file.items):
                text = file.joined(kept)
        texts[path] = text
    texts[CONTEXT_FILE] = context_text(package.rpartition("/")[2], package)
    return texts


def _set_upstream(kptfile: Resource, origin: Origin | None, keeps_strategy: bool = False) -> None:
    """Set the package's upstream and lock; keeps_strategy: a variant's strategy may be a person's."""
    if origin is None:
        return
    git = {"repo": origin.repo, "directory": origin.directory, "ref": origin.ref}
    strategy = kptfile.get("upstream", "updateStrategy") if keeps_strategy else None
    upstream = {"type": "git", "git": git, "updateStrategy": strategy or "resource-merge"}
    if origin.commit:
        lock = {"type": "git", "git": {**git, "commit": origin.commit}}
        if kptfile.get("upstreamLock") != lock:
            kptfile.set(("upstreamLock",), lock)
    else:
        kptfile.remove(("upstreamLock",))
    if kptfile.get("upstream") == upstream:
        return
    root = kptfile.root
    if root.entry("upstream") is None:
        position = next(
            (number for number, entry in enumerate(root.entries, 1) if entry.name == "metadata"), 0
        )
        root.insert(position, "upstream", upstream)
        kptfile.changed = True
    else:
        kptfile.set(("upstream",), upstream)
