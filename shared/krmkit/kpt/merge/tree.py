"""The files of a package by path, and the subpackages they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

KPTFILE = "Kptfile"


def is_kptfile(path: str) -> bool:
    """Return True for the path of a Kptfile, of the package or of a subpackage."""
    return path.rpartition("/")[2] == KPTFILE


@dataclass(frozen=True)
class PackageTree:
    """The files of a package: `files` maps paths, relative to the root package, to contents."""

    files: Mapping[str, bytes]

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return the folders that have a Kptfile."""
        return frozenset(path.rpartition("/")[0] for path in self.files if is_kptfile(path))

    @cached_property
    def _folded(self) -> dict[str, list[str]]:
        """Return {folder: paths of all files below it, at any depth}."""
        below: dict[str, list[str]] = {}
        for path in sorted(self.files):
            folder = path.rpartition("/")[0]
            below.setdefault("", []).append(path)
            while folder:
                below.setdefault(folder, []).append(path)
                folder = folder.rpartition("/")[0]
        return below

    def below(self, folder: str) -> dict[str, bytes]:
        """Return the files at and below a folder, subpackages included, by their whole path."""
        return {path: self.files[path] for path in self._folded.get(folder, ())}

    def own(self, folder: str, boundaries: PackageTree) -> dict[str, bytes]:
        """Return the files of the package in `folder` without its subpackages and those of `boundaries`."""
        inner = (self.folders | boundaries.folders) - {folder}
        return {
            path: content for path, content in self.below(folder).items() if not _is_in(path, folder, inner)
        }


def _is_in(path: str, package: str, inner: frozenset[str]) -> bool:
    """Return True if a folder between the file and its package is a package too."""
    folder = path.rpartition("/")[0]
    while folder and folder != package:
        if folder in inner:
            return True
        folder = folder.rpartition("/")[0]
    return False
