"""Folders of components become ConfigMaps of a package: one for each descriptor, and one for each content."""

from __future__ import annotations

import os
from collections.abc import Callable

from krmkit.disk.folders import TreeError, files, read_file
from krmkit.disk.write import FileEdit, Writer
from krmkit.krm.kptfile import new_kptfile
from krmkit.krm.resource import Resource
from krmkit.landscaper.components import configmaps as carrier
from krmkit.landscaper.components.ctf import CtfError, read_components
from krmkit.landscaper.components.descriptors import Data
from krmkit.landscaper.items.identity import name_of
from krmkit.render.package import KPTFILE
from krmkit.schema.fields import texts
from krmkit.yaml import emit

FOLDER = "components"
_LARGEST = 64 * 1024 * 1024
_LONGEST_KEY = 253


def imported(folders: list[str], out: str, say: Callable[[str], object]) -> list[str]:
    """Bring the components below the folders into the package `out`; returns the paths of the ConfigMaps.

    Raises CtfError for what cannot be read, WriteError.
    """
    changes: dict[str, FileEdit] = {}
    for folder in folders:
        try:
            found = read_components(_files(folder))
        except CtfError as error:
            raise CtfError(f"{folder}: {error}") from None
        for note in found.notes:
            say(note)
        made = [carrier.descriptor_item(component, content) for component, content in found.components]
        made += [carrier.blob_item(key, content) for key, content in found.contents.items()]
        for item in made:
            path = f"{FOLDER}/{name_of(item)}.yaml"
            changes[path] = FileEdit(path, None, _text(item))
    with Writer(out) as writer:
        for note in writer.notes:
            say(note)
        edits = [*changes.values()]
        if not os.path.exists(os.path.join(writer.root, KPTFILE)):
            edits.append(FileEdit(KPTFILE, None, new_kptfile(os.path.basename(writer.root))))
        writer.put(edits)
    return [os.path.join(out, path) for path in changes]


def _files(folder: str) -> dict[str, bytes]:
    """The bytes of all files below a folder, by their paths. Raises CtfError."""
    if not os.path.isdir(folder):
        raise CtfError("is not a folder")
    found: dict[str, bytes] = {}
    try:
        for path in files(folder):
            data = read_file(os.path.join(folder, path), path, within=folder, limit=_LARGEST)
            if data is not None:
                found[path] = data
    except TreeError as error:
        raise CtfError(str(error)) from None
    return found


def _text(item: Data) -> str:
    """The text of a ConfigMap; what would not come back byte for byte is an error."""
    for part in ("data", "binaryData"):
        for key in texts(item.get(part)):
            if len(key) > _LONGEST_KEY:
                path = carrier.unescape(key)
                raise CtfError(
                    f"{name_of(item)}: the path {path[:60]}... is too long for a key of a ConfigMap"
                )
    content = emit.document(item)
    back = Resource(content, label=name_of(item)).get()
    if back != item:
        raise CtfError(f"{name_of(item)}: its texts cannot be carried byte for byte")
    return content
