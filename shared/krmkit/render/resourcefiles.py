"""Resources for commands that only read: of plain files and folders (exports of a cluster, objects of a fleet), or of one kpt package.

Several packages are never mixed: an object of one is none of another, though both have its name.
"""

from __future__ import annotations

import os

from krmkit.disk.folders import TreeError, files, read_file
from krmkit.disk.journal import recover
from krmkit.disk.primitives import WriteError
from krmkit.krm.annotations import BLUEPRINT_MARK
from krmkit.krm.errors import ListError
from krmkit.krm.kptfile import Kptfile
from krmkit.krm.resource import Resource
from krmkit.messages.listed import listed
from krmkit.render.package import KPTFILE, LIST, SUFFIXES, PackageError, read
from krmkit.render.source import SourceError, SourceFile
from krmkit.yaml.errors import YamlError


class ResourceFileError(ValueError):
    """A file or folder cannot be read as resources; the message says which and why."""


def opened(item: Resource) -> list[Resource]:
    """The members of a List, as `kubectl get -o yaml` writes it, or the resource itself. Raises YamlError."""
    if not (item.api_version and item.kind):
        item.get()  # A document without a kind is read whole: it may be no YAML at all.
    if item.kind != LIST or item.api_version != "v1":
        return [item]
    members = item.get("items")
    if not isinstance(members, list):
        return []
    return [Resource.from_data(one, label=item.label) for one in members if isinstance(one, dict)]


def resources_below(folder: str) -> list[Resource]:
    """The resources of all YAML and JSON files below a folder, by path. Raises ResourceFileError."""
    if not os.path.isdir(folder):
        raise ResourceFileError(
            f"{folder}: " + ("is not a folder" if os.path.exists(folder) else "does not exist")
        )
    try:
        paths = [path for path in files(folder) if path.endswith(SUFFIXES)]
    except TreeError as error:
        raise ResourceFileError(str(error)) from None
    return [one for path in paths for one in resources_of(os.path.join(folder, path), path)]


def resources_of(path: str, label: str) -> list[Resource]:
    """The resources of one file, which messages call `label`. Raises ResourceFileError."""
    try:
        text = (read_file(path, label) or b"").decode("utf-8")
        items = SourceFile(label, text, "", label).items
        for item in items:
            if not (item.kind and item.api_version):
                lacks = (
                    "kind" if item.api_version else "apiVersion and kind" if not item.kind else "apiVersion"
                )
                raise ResourceFileError(
                    f"{label}: line {item.location.line}: an object must have apiVersion and kind; {lacks} is missing"
                )
        return [inner for item in items for inner in opened(item)]
    except UnicodeDecodeError:
        raise ResourceFileError(f"{label}: is not UTF-8 text") from None
    except OSError as error:
        raise ResourceFileError(f"{label}: {error.strerror or error}") from None
    except (TreeError, SourceError, ListError, YamlError) as error:
        raise ResourceFileError(str(error)) from None


_NAMED = 3


def items_of(folder: str) -> tuple[list[Resource], list[str]]:
    """The resources of a package, or of all YAML files below a folder that is none, and notes for people.

    Lists of `kubectl get` are opened. Raises PackageError, also for a folder with packages below it.
    """
    try:
        if os.path.exists(os.path.join(folder, KPTFILE)):
            package = read(folder, with_lists=True)
            return [
                inner for one in package.walk() for item in one.items for inner in opened(item)
            ], package.notes
        _refuse_packages(folder)
        return resources_below(folder), recover(folder)
    except (ResourceFileError, WriteError, ListError, YamlError) as error:
        raise PackageError(str(error)) from None


def _refuse_packages(folder: str) -> None:
    found = []
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        if KPTFILE in names:
            found.append(path)
            folders.clear()
    if found:
        is_one = len(found) == 1
        holds = f"a package, {found[0]}: name it" if is_one else f"{len(found)} packages: name one of them ({listed(found, _NAMED)})"  # fmt: skip
        raise PackageError(f"{folder}: is no package and holds {holds}, or take all with -r")


def mentions(folder: str, word: bytes) -> bool:
    """Return whether a YAML file of a package holds a word: a look at the bytes, so that other packages are not parsed."""
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            if name.endswith(SUFFIXES):
                try:
                    with open(os.path.join(path, name), "rb") as file:
                        if word in file.read():
                            return True
                except OSError:
                    return True  # Who reads the package says why.
    return False


def is_blueprint(folder: str) -> bool:
    """Return whether a package is a blueprint, of which nothing is applied. False where its Kptfile cannot be read: others say why."""
    try:
        with open(os.path.join(folder, KPTFILE), encoding="utf-8") as file:
            text = file.read()
        return BLUEPRINT_MARK in text and Kptfile.parse(text).is_blueprint
    except (OSError, UnicodeDecodeError, ListError, YamlError):
        return False
