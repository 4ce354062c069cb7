"""Read resources for commands that only read: from plain files and folders, or from one kpt package.

Packages are never mixed: equal names in two packages are different objects.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from krmkit.kpt.kptfile import Kptfile
from krmkit.kpt.krmignore import KrmIgnore
from krmkit.kpt.source import SourceFile
from krmkit.krm.annotations import BLUEPRINT_MARK
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import IGNORE_FILE, KPTFILE, LIST, SUFFIXES, Package, read, read_source
from krmkit.storage.disk.folders import check_depth, check_name, files, read_file, walk
from krmkit.storage.disk.journal import recover
from krmkit.storage.disk.source import DiskFiles, FileSource


def opened(item: Resource) -> list[Resource]:
    """Return the members of a List, as `kubectl get -o yaml` writes it, else the resource.

    Raises YamlError.
    """
    if not (item.api_version and item.kind):
        item.get()  # A document without a kind is parsed fully: it may not be YAML.
    if item.kind != LIST or item.api_version != "v1":
        return [item]
    members = item.get("items")
    if not isinstance(members, list):
        return []
    return [Resource.from_data(one, label=item.label) for one in members if isinstance(one, dict)]


def resources_below(folder: str) -> list[Resource]:
    """Return the resources of all YAML and JSON files below a folder, by path. Raises Refused."""
    if not os.path.isdir(folder):
        raise Refused(f"{folder}: " + ("is not a folder" if os.path.exists(folder) else "does not exist"))
    paths = [path for path in files(folder) if path.endswith(SUFFIXES)]
    return [one for path in paths for one in resources_of(os.path.join(folder, path), path)]


def resources_of(path: str, label: str) -> list[Resource]:
    """Return the resources of one file; `label`: its name in messages. Raises Refused."""
    folder, name = os.path.split(path)
    items, foreign = _items_in(DiskFiles(folder), name, label)
    if foreign:
        raise Refused(f"{foreign}; apiVersion and kind is missing")
    return items


def _items_in(source: FileSource, path: str, label: str) -> tuple[list[Resource], str]:
    """Return the resources of a file, and why any document is not a resource, or "". Raises Refused."""
    found: list[Resource] = []
    foreign = ""
    try:
        text = (source.read(path, label) or b"").decode("utf-8")
        for item in SourceFile(label, text, "", label).items:
            problem = f"{label}: line {item.location.line}: an object must have apiVersion and kind"
            if bool(item.kind) != bool(item.api_version):
                raise Refused(f"{problem}; {'apiVersion' if item.kind else 'kind'} is missing")
            if not item.kind:
                item.get()  # A document without a kind is parsed fully: it may not be YAML.
                foreign = foreign or problem
            else:
                found += opened(item)
    except UnicodeDecodeError:
        raise Refused(f"{label}: is not UTF-8 text") from None
    except OSError as error:
        raise Refused(f"{label}: {error.strerror or error}") from None
    except YamlError as error:
        raise Refused(str(error)) from None
    return found, foreign


_NAMED = 3


def items_of(folder: str) -> tuple[list[Resource], list[str]]:
    """Return the resources of a package, or of all YAML files below another folder, and notes for the user.

    Lists of `kubectl get` are opened. Raises Refused, also for a folder with packages below it.
    """
    try:
        if os.path.exists(os.path.join(folder, KPTFILE)):
            package = read(folder, with_lists=True)
            return _opened(package), package.notes
        _refuse_packages(folder)
        notes = recover(folder)
        items, more = loose_items(DiskFiles(folder))
        return items, [*notes, *more]
    except YamlError as error:
        raise Refused(str(error)) from None


def items_from(source: FileSource) -> list[Resource]:
    """Return the resources of a source, as `items_of` reads a folder. Raises Refused."""
    if source.has(KPTFILE):
        return _opened(read_source(source))
    try:
        return loose_items(source)[0]
    except YamlError as error:
        raise Refused(str(error)) from None


def _opened(package: Package) -> list[Resource]:
    return [inner for one in package.walk() for item in one.items for inner in opened(item)]


def loose_items(source: FileSource) -> tuple[list[Resource], list[str]]:
    """Return the resources of all YAML and JSON files of a folder, and a note on files without any.

    Left out: files in a .krmignore, files and folders that begin with a dot, and documents with neither
    apiVersion nor kind. Raises Refused, OSError.
    """
    if not os.path.isdir(source.folder):
        raise Refused(
            f"{source.folder}: " + ("is not a folder" if os.path.exists(source.folder) else "does not exist")
        )
    rules = (source.read(IGNORE_FILE, IGNORE_FILE) or b"") if source.has(IGNORE_FILE) else b""
    items: list[Resource] = []
    foreign = []
    for path in _loose_files(source, KrmIgnore(rules.decode("utf-8", "replace")), ""):
        found, problem = _items_in(source, path, path)
        items += found
        foreign += [path] if problem else []
    if not foreign:
        return items, []
    is_one = len(foreign) == 1
    what = (
        "1 YAML file is no resource and was"
        if is_one
        else f"{len(foreign)} YAML files are no resources and were"
    )
    return items, [f"{what} left out: {listed(foreign, _NAMED)}"]


def _loose_files(source: FileSource, rules: KrmIgnore, folder: str) -> Iterator[str]:
    check_depth(folder.count("/"), folder)
    for name, is_folder in source.entries(folder):
        path = f"{folder}/{name}" if folder else name
        if name.startswith(".") or rules.ignores(path, is_folder):
            continue
        if is_folder:
            yield from _loose_files(source, rules, path)
        elif name.endswith(SUFFIXES):
            check_name(path, source.folder)
            yield path


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
    """Return whether a YAML file of a package contains a word; nothing is parsed."""
    try:
        for path, folders, names in walk(folder):
            folders[:] = [name for name in folders if name != ".git"]
            for place in (os.path.join(path, name) for name in names if name.endswith(SUFFIXES)):
                if word in (read_file(place, place) or b""):
                    return True
    except (OSError, Refused):
        return True  # Reading the package reports the error.
    return False


def is_blueprint(folder: str) -> bool:
    """Return whether a package is a blueprint, which is never applied; False for a broken Kptfile."""
    try:
        text = (read_file(os.path.join(folder, KPTFILE), KPTFILE) or b"").decode("utf-8")
        return BLUEPRINT_MARK in text and Kptfile.parse(text).is_blueprint
    except (OSError, Refused, UnicodeDecodeError, YamlError):
        return False
