"""The resources of a folder for commands that only read: those of one kpt package with its subpackages, or of plain YAML files.

Several packages are never mixed: an object of one is none of another, though both have its name.
"""

from __future__ import annotations

import os

from krmkit.disk.journal import recover
from krmkit.disk.primitives import WriteError
from krmkit.krm.annotations import BLUEPRINT_MARK
from krmkit.krm.errors import ListError
from krmkit.krm.kptfile import Kptfile
from krmkit.messages.listed import listed
from krmkit.render.package import KPTFILE, SUFFIXES, PackageError, read
from krmkit.render.resourcefiles import ResourceFileError, opened, resources_below
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource

_SHOWN = 3


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
        holds = f"a package, {found[0]}: name it" if is_one else f"{len(found)} packages: name one of them ({listed(found, _SHOWN)})"  # fmt: skip
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
