"""CustomResourceDefinitions in a folder, for `--crds DIR` of functions that check objects."""

from __future__ import annotations

import os

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError

_SUFFIXES = (".yaml", ".yml", ".json")
_KIND = "CustomResourceDefinition"


def read_crds(folder: str) -> list[Object]:
    """Return the CRDs in the YAML and JSON files below a folder, also those in Lists. Raises Refused.

    Example: `read_crds("crds")` after `kubectl get crds -o yaml > crds/all.yaml`.
    """
    found: list[Object] = []
    if not os.path.isdir(folder):
        raise Refused(f"--crds {folder}: is not a folder")
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                found += _crds_of(os.path.join(place, name))
    if not found:
        raise Refused(f"--crds {folder}: holds no {_KIND}")
    return found


def _crds_of(path: str) -> list[Object]:
    if os.path.exists(path) and not os.path.isfile(path):
        raise Refused(f"--crds {path}: must be a regular file, or a link to one")
    try:
        with open(path, encoding="utf-8") as file:
            documents = [go_data(one.root) for one in parse_all(file.read())]
    except OSError as error:
        raise Refused(f"--crds {path}: {error.strerror}") from None
    except (YamlError, UnicodeDecodeError) as error:
        raise Refused(f"--crds {path}: {error}") from None
    found = []
    for data in documents:
        listed = data.get("items") if isinstance(data, dict) else None
        for one in listed if isinstance(listed, list) else [data]:
            if isinstance(one, dict) and one.get("kind") == _KIND:
                found.append(one)
    return found
