"""Load extensions from TopologyExtensions in files, and from Python modules."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable, Iterator

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.package import SUFFIXES
from krmkit.render.resourcefiles import resources_of
from krmkit.storage.disk.folders import stamps, walk
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.hooks.extensionschema import API_VERSION, KIND
from krmkit.systems.clusterapi.hooks.serving import HookExtension, Served
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension

_GROUP = API_VERSION.partition("/")[0] + "/"  # another version is an error that names it
_NAMELESS = "without a name"


def read(paths: Iterable[str], modules: Iterable[str]) -> bytes:
    """Return the TopologyExtensions of files and folders, and names of modules, as JSON. Raises Refused."""
    items: list[Object] = []
    for path in paths:
        found = _extensions(path)
        if not found:
            raise Refused(f"{path}: holds no {KIND}")
        items += found
    return json.dumps({"items": items, "modules": list(modules), "folder": os.getcwd()}).encode()


def _extensions(path: str) -> list[Object]:
    found = []
    for place in [path] if not os.path.isdir(path) else sorted(_files(path)):
        if place == path or place.endswith(SUFFIXES):
            found += items_of(place, KIND, _GROUP)
    return found


def items_of(path: str, kind: str, group: str) -> list[Object]:
    """Return the items of a kind in a file, of all versions of the group. Raises Refused."""
    try:
        # Items are parsed on access, here.
        return [
            CollectedObject(one).data
            for one in resources_of(path, path)
            if one.kind == kind and one.api_version.startswith(group)
        ]
    except (Refused, YamlError) as error:
        text = str(error)
        raise Refused(text if text.startswith(path) else f"{path}: {text}") from None


def load(content: bytes) -> Served:
    """Return the extensions, ready to be called. Raises Refused with all their errors."""
    given = json.loads(content)
    extensions: list[HookExtension] = []
    problems = []
    for item in given["items"]:
        extension = TopologyExtension(item)
        problems += [
            f"{KIND} {extension.name or _NAMELESS}: {field}: {text}" for field, text in extension.problems
        ]
        extensions.append(extension)
    if problems:
        raise Refused("\n".join(problems))
    for name in given["modules"]:
        extensions += _of_module(name, given["folder"])
    return Served(extensions)


def _of_module(name: str, folder: str) -> list[HookExtension]:
    from krmkit.systems.clusterapi.extension import Extension

    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(name)
    except Exception as error:  # noqa: BLE001  # whatever an author's module raises
        raise Refused(f"module {name} cannot be imported: {type(error).__name__}: {error}") from None
    extensions: list[HookExtension] = [one for one in vars(module).values() if isinstance(one, Extension)]
    if not extensions:
        raise Refused(f"module {name} holds no krmkit.systems.clusterapi.extension.Extension")
    return extensions


def fingerprint(paths: Iterable[str]) -> list[tuple[str, int, int, int]]:
    """Return the stamps of the files below the paths; they differ after a change (`stamps`)."""
    return stamps(place for path in paths for place in sorted(_files(path)))


def _files(path: str) -> list[str]:
    """Return the files below a folder, or the file.

    Hidden folders are left out: a mounted ConfigMap has a copy of each file there.
    """
    if not os.path.isdir(path):
        return [path]
    paths = []
    for folder, folders, names in walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(folder, name) for name in names if not name.startswith(".")]
    return paths


def module_files(modules: Iterable[str], folder: str) -> Iterator[str]:
    """Yield the files of modules in a folder, to watch them."""
    for name in modules:
        place = os.path.join(folder, *name.split("."))
        yield place if os.path.isdir(place) else f"{place}.py"
