"""Convert folders of components to ConfigMaps of a package: one for each descriptor and each content."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial

from krmkit.kpt.kptfile import new_kptfile
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.envsubst import SubstitutionError, TextTemplate
from krmkit.libraries.schema.fields import mapping, texts
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import KPTFILE
from krmkit.storage.disk.folders import files, read_file
from krmkit.storage.disk.write import FileEdit, Writer
from krmkit.systems.landscaper.components import configmaps as carrier
from krmkit.systems.landscaper.components import ctf
from krmkit.systems.landscaper.components.constructors import (
    NAMES,
    REFERENCES,
    RESOURCES,
    has_resources_alone,
    is_constructor_name,
    members,
    read_constructor,
    read_documents,
    with_resources,
)
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.items.identity import name_of

FOLDER = "components"
_LARGEST = 64 * 1024 * 1024
_LONGEST_KEY = 253


def imported(
    places: list[str],
    out: str,
    say: Callable[[str], object],
    values: Mapping[str, str] | None = None,
    component: str = "",
) -> list[str]:
    """Bring the components of folders and constructor files into the package `out`; returns the ConfigMaps.

    values: of the variables in constructors. component: NAME:VERSION of the component that a file of
    resources alone is about. Raises Refused.
    """
    constructed = partial(_constructed, values=values or {}, named=component)
    changes: dict[str, FileEdit] = {}
    for place in places:
        found = constructed([place]) if os.path.isfile(place) else _below(place, constructed)
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


def _below(folder: str, constructed: Callable[..., ctf.TransportArchive]) -> ctf.TransportArchive:
    """Return a folder's components: archives with resources beside, else constructors. Raises Refused."""
    constructors: list[str] = []
    try:
        contents = _files(folder)
        named = [path for path in sorted(contents) if os.path.basename(path) in RESOURCES]
        highest = min((path.count("/") for path in named), default=0)
        constructors = [path for path in sorted(contents) if is_constructor_name(path)] or [
            path for path in named if path.count("/") == highest
        ]
        archive = ctf.read_components(contents)
    except Refused as error:
        if error.finding.rule != ctf.NO_COMPONENT:
            raise Refused(f"{folder}: {error}") from None
        if not constructors:
            hint = f"and no component constructor ({', '.join((*NAMES, RESOURCES[0]))})"
            raise Refused(f"{folder}: {error}, {hint}") from None
        archive = ctf.TransportArchive()
        named = constructors
    else:
        named = [
            path for path in named if os.path.join(os.path.dirname(path), ctf.DESCRIPTOR_FILE) in contents
        ]
    return constructed([os.path.join(folder, path) for path in named], folder=folder, archive=archive)


def _constructed(
    paths: list[str],
    values: Mapping[str, str],
    named: str,
    folder: str = "",
    archive: ctf.TransportArchive | None = None,
) -> ctf.TransportArchive:
    """Return the archive with the components of constructor files, found below `folder` where one is given.

    Raises Refused, whose message begins with the file.
    """
    archive = archive or ctf.TransportArchive()
    for path in paths:
        documents = _documents(path, values)
        if has_resources_alone(documents):
            documents = [_described(path, members(documents, "resources"), values, named)]
        read_constructor(documents, path, _Beside(path, folder), archive)
    return archive


def _documents(path: str, values: Mapping[str, str]) -> list[Data]:
    """Return the mappings of a file, its variables filled in; none if there is no file. Raises Refused."""
    try:
        content = (read_file(path, path, limit=_LARGEST) or b"").decode("utf-8")
        return read_documents(TextTemplate(content).filled(values), path)
    except SubstitutionError as error:
        raise Refused(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{path} must be UTF-8; byte {error.start} is not") from None


def _described(path: str, resources: list[Data], values: Mapping[str, str], named: str) -> Data:
    """Return the component of a file of resources: the given one, or the descriptor's. Raises Refused."""
    beside = {name: os.path.join(os.path.dirname(path), name) for name in (ctf.DESCRIPTOR_FILE, *REFERENCES)}
    there = {name: _documents(place, values) for name, place in beside.items() if os.path.isfile(place)}
    name, _, version = named.rpartition(":")
    component: Data = {"name": name, "version": version, "provider": "internal"}
    for document in there.pop(ctf.DESCRIPTOR_FILE, ()) if not named else ():
        component = mapping(document.get("component"))
    if not (component.get("name") and component.get("version")):
        raise Refused(
            f"{path}: has resources alone, so give their component: --component NAME:VERSION, or a {ctf.DESCRIPTOR_FILE} beside it"
        )
    references = [one for documents in there.values() for one in members(documents, "componentReferences")]
    return with_resources(component, resources, references)


class _Beside:
    """Files that a constructor may take: those of its git repository.

    Without one they are those below the `folder` that was given, or, where the constructor itself was, below
    the folder above its own.
    """

    def __init__(self, constructor: str, folder: str = "") -> None:
        self._folder = os.path.dirname(os.path.realpath(constructor))
        above = self._folder
        while not os.path.exists(os.path.join(above, ".git")) and os.path.dirname(above) != above:
            above = os.path.dirname(above)
        in_git = os.path.exists(os.path.join(above, ".git"))
        if in_git:
            self._bound, self._named = above, "the constructor's git repository"
        elif folder:
            self._bound, self._named = os.path.realpath(folder), folder
        else:
            self._bound = os.path.dirname(self._folder)
            self._named = "the folder above the constructor's own"

    def file(self, path: str) -> bytes | None:
        place = self._place(path)
        return read_file(place, path, within=self._bound, limit=_LARGEST) if os.path.isfile(place) else None

    def folder(self, path: str) -> dict[str, bytes] | None:
        place = self._place(path)
        return _files(place) if os.path.isdir(place) else None

    def _place(self, path: str) -> str:
        place = os.path.realpath(os.path.join(self._folder, path))
        if os.path.commonpath([self._bound, place]) != self._bound or os.path.isabs(path):
            raise Refused(f"the path {path} leads out of {self._named}")
        return place


def _files(folder: str) -> dict[str, bytes]:
    """Return the bytes of all files below a folder, by their paths. Raises Refused."""
    if not os.path.isdir(folder):
        raise Refused("is not a folder" if os.path.exists(folder) else "does not exist")
    contents: dict[str, bytes] = {}
    for path in files(folder):
        data = read_file(os.path.join(folder, path), path, within=folder, limit=_LARGEST)
        if data is not None:
            contents[path] = data
    return contents


def _text(item: Data) -> str:
    """Return the text of a ConfigMap. Raises Refused for contents that it cannot hold byte for byte."""
    for part in ("data", "binaryData"):
        for key in texts(item.get(part)):
            if len(key) > _LONGEST_KEY:
                path = carrier.unescape(key)
                raise Refused(
                    f"{name_of(item)}: the path {path[:60]}... is too long for a key of a ConfigMap"
                )
    content = emit.document(item)
    try:
        back = Resource(content, label=name_of(item)).get()
    except (Refused, YamlError) as error:
        raise Refused(f"{name_of(item)}: {error}") from None
    if back != item:
        raise Refused(f"{name_of(item)}: its texts cannot be carried byte for byte")
    return content
