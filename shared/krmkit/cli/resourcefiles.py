"""Resources in plain files and folders that need be no packages: exports of a cluster, objects of a fleet, files of sets."""

from __future__ import annotations

import os

from krmkit.disk.folders import TreeError, files, read_file
from krmkit.krm.errors import ListError
from krmkit.render.package import SUFFIXES
from krmkit.render.source import SourceError, SourceFile
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource


class ResourceFileError(ValueError):
    """A file or folder cannot be read as resources; the message says which and why."""


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
        return [*SourceFile(label, text, "", label).items]
    except UnicodeDecodeError:
        raise ResourceFileError(f"{label}: is not UTF-8 text") from None
    except OSError as error:
        raise ResourceFileError(f"{label}: {error.strerror or error}") from None
    except (TreeError, SourceError, ListError, YamlError) as error:
        raise ResourceFileError(str(error)) from None
