"""Resources for commands that only read: of plain files and folders (exports of a cluster, objects of a fleet), or of one kpt package.

Packages are never mixed: equal names in two packages are different objects.
"""

from __future__ import annotations

import os

from krmkit.kpt.kptfile import Kptfile
from krmkit.kpt.source import SourceFile
from krmkit.krm.annotations import BLUEPRINT_MARK
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import KPTFILE, LIST, SUFFIXES, read
from krmkit.storage.disk.folders import files, read_file, walk
from krmkit.storage.disk.journal import recover


def opened(item: Resource) -> list[Resource]:
    """The members of a List, as `kubectl get -o yaml` writes it, or the resource itself. Raises YamlError."""
    if not (item.api_version and item.kind):
        item.get()  # A document without a kind is parsed fully: it may not be YAML.
    if item.kind != LIST or item.api_version != "v1":
        return [item]
    members = item.get("items")
    if not isinstance(members, list):
        return []
    return [Resource.from_data(one, label=item.label) for one in members if isinstance(one, dict)]


def resources_below(folder: str) -> list[Resource]:
    """The resources of all YAML and JSON files below a folder, by path. Raises Refused."""
    if not os.path.isdir(folder):
        raise Refused(f"{folder}: " + ("is not a folder" if os.path.exists(folder) else "does not exist"))
    paths = [path for path in files(folder) if path.endswith(SUFFIXES)]
    return [one for path in paths for one in resources_of(os.path.join(folder, path), path)]


def resources_of(path: str, label: str) -> list[Resource]:
    """The resources of one file; `label`: its name in messages. Raises Refused."""
    try:
        text = (read_file(path, label) or b"").decode("utf-8")
        items = SourceFile(label, text, "", label).items
        for item in items:
            if not (item.kind and item.api_version):
                lacks = (
                    "kind" if item.api_version else "apiVersion and kind" if not item.kind else "apiVersion"
                )
                raise Refused(
                    f"{label}: line {item.location.line}: an object must have apiVersion and kind; {lacks} is missing"
                )
        return [inner for item in items for inner in opened(item)]
    except UnicodeDecodeError:
        raise Refused(f"{label}: is not UTF-8 text") from None
    except OSError as error:
        raise Refused(f"{label}: {error.strerror or error}") from None
    except YamlError as error:
        raise Refused(str(error)) from None


_NAMED = 3


def items_of(folder: str) -> tuple[list[Resource], list[str]]:
    """The resources of a package, or of all YAML files below another folder, and notes for the user.

    Lists of `kubectl get` are opened. Raises Refused, also for a folder with packages below it.
    """
    try:
        if os.path.exists(os.path.join(folder, KPTFILE)):
            package = read(folder, with_lists=True)
            return [
                inner for one in package.walk() for item in one.items for inner in opened(item)
            ], package.notes
        _refuse_packages(folder)
        return resources_below(folder), recover(folder)
    except YamlError as error:
        raise Refused(str(error)) from None


def _refuse_packages(folder: str) -> None:
    packages = []
    for path, folders, names in walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        if KPTFILE in names:
            packages.append(path)
            folders.clear()
    if packages:
        is_one = len(packages) == 1
        holds = f"a package, {packages[0]}: name it" if is_one else f"{len(packages)} packages: name one of them ({listed(packages, _NAMED)})"  # fmt: skip
        raise Refused(f"{folder}: is not a package and holds {holds}, or take all with -r")


def mentions(folder: str, word: bytes) -> bool:
    """Return whether a YAML file of a package contains a word, without parsing."""
    for path, folders, names in walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            if name.endswith(SUFFIXES):
                try:
                    place = os.path.join(path, name)
                    if word in (read_file(place, place) or b""):
                        return True
                except (OSError, Refused):
                    return True  # Reading the package reports the error.
    return False


def is_blueprint(folder: str) -> bool:
    """Return whether a package is a blueprint, which is never applied.

    False if its Kptfile cannot be read: reading the package reports that.
    """
    try:
        text = (read_file(os.path.join(folder, KPTFILE), KPTFILE) or b"").decode("utf-8")
        return BLUEPRINT_MARK in text and Kptfile.parse(text).is_blueprint
    except (OSError, Refused, UnicodeDecodeError, YamlError):
        return False
