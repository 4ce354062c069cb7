"""Resources in plain files and folders that need be no packages: exports of a cluster, objects of a fleet, files of sets."""

from __future__ import annotations

import os

from krmkit.disk.folders import TreeError, files, read_file
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.render.package import LIST, SUFFIXES
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
        raise ResourceFileError(f"{folder} is not a folder")
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
