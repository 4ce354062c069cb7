"""The files of a variant's package: cloned from the upstream, or its own with the upstream's changes merged in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from krmkit.cli.git.treeupdate import File
from krmkit.fn.packagemerge import merge_packages
from krmkit.fn.resolve import ProgramResolver
from krmkit.fn.resourcemerge import ResourceConflict
from krmkit.fn.variantpackages import Made, Origin, UpstreamPackage, make
from krmkit.porch.injection import Candidate

Files = dict[str, File]


@dataclass(slots=True)
class Built:
    """The files of a package by path; `gates` are readiness gates that are open, `warnings` the functions' own."""

    files: Files
    gates: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    conflicts: list[ResourceConflict] = field(default_factory=list)


@dataclass(slots=True)
class Builder:
    """Makes packages of one variant: `name`, `namespace` and `spec` are the PackageVariant's, `origin` its upstream."""

    name: str
    namespace: str
    spec: dict[str, Any]
    origin: Origin
    objects: Sequence[Candidate]
    resolver: ProgramResolver
    context: bool

    def clone(self, blueprint: UpstreamPackage, files: Files) -> Built:
        """Clone an upstream package that was read already; `files` are its files. Raises VariantError."""
        made = make(
            blueprint,
            self.name,
            self.spec,
            self.namespace,
            self.origin,
            self.objects,
            self.resolver,
            context=self.context,
        )
        return _built(made, blueprint, files)

    def change(self, files: Files, base: Files | None, upstream: Files) -> Built:
        """Merge what changed from `base` to `upstream` into the variant's own files, and apply the variant again.

        Without a `base` nothing is merged. Raises VariantError, PackageMergeError.
        """
        conflicts: list[ResourceConflict] = []
        if base is not None:
            merged = merge_packages(*(_contents(version) for version in (base, upstream, files)))
            conflicts = merged.conflicts
            known = {**upstream, **files}
            files = {path: File(content, known[path].executable) for path, content in merged.files.items()}
        with unpacked(files) as folder:
            blueprint = UpstreamPackage(folder)
            made = make(
                blueprint,
                self.name,
                self.spec,
                self.namespace,
                self.origin,
                self.objects,
                self.resolver,
                clone=False,
            )
            built = _built(made, blueprint, files)
        built.conflicts = conflicts
        return built


def unpacked(files: Files) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder with these files, gone at the end of a `with` block."""
    folder = tempfile.TemporaryDirectory(prefix="krmkit-sync-")
    for path, file in files.items():
        place = Path(folder.name, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
        if file.executable:
            os.chmod(place, 0o755)
    return folder


def _built(made: Made, blueprint: UpstreamPackage, files: Files) -> Built:
    """What rendering wrote, and every other file as it is."""
    found = {path: files[path] for path in blueprint.others if path in files}
    for path, text in made.contents.items():
        old = files.get(path)
        found[path] = File(text.encode(), old is not None and old.executable)
    return Built(found, made.gates, made.warnings)


def _contents(files: Files) -> dict[str, bytes]:
    return {path: file.content for path, file in files.items()}
