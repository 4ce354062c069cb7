"""Leftovers of killed runs of earlier versions: a file with the only copy of a resource is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol, Self

from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.storage.disk.folders import WORK, read_file


class LeftPackage(Protocol):
    """The needed part of a package (krmkit.render.package): its folder, its leftovers and its resources."""

    path: str
    left: list[str]
    notes: list[str]

    @property
    def items(self) -> list[FileResource]: ...

    def walk(self) -> Iterator[Self]: ...


def keep_only_copies(root: LeftPackage) -> None:
    """Take files with the only copy of a resource off the leftovers to remove.

    Only earlier versions of krmkit leave such files; runs now write a journal.
    """
    strays = [(package, path) for package in root.walk() for path in package.left if not _is_work(path)]
    known = {_identity(item) for package in root.walk() if strays for item in package.items}
    for package, path in strays:
        place = os.path.join(package.path, path)
        lost = next((item for item in _resources_in(place, path) if _identity(item) not in known), None)
        if lost is not None:
            package.left.remove(path)
            root.notes.append(
                f"{place}: a run was killed that wanted to write this file, and {lost.kind} {lost.name} in it is nowhere"
                " else in the package; move it to its file, then delete this file"
            )


def _is_work(path: str) -> bool:
    return path.rpartition("/")[2] == WORK


def _identity(item: Resource) -> tuple[str, str, str, str]:
    return item.api_version, item.kind, item.namespace, item.name


def _resources_in(path: str, label: str) -> list[FileResource]:
    """The resources of a file that may be incomplete; none if it cannot be read."""
    try:
        content = read_file(path, label, limit=DEFAULT_LIMITS.item_size)
        items = SourceFile(label, (content or b"").decode("utf-8"), "", label).items
        return [item for item in items if item.api_version and item.kind and item.name]
    except (OSError, UnicodeDecodeError, Refused, YamlError):
        return []
