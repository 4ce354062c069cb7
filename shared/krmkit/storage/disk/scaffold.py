"""The folder of a new function, in this catalog (`make new`) or anywhere else (`krmkit new function`).

    files("label-teams", Place("registry.example.com", "example.com/v1"))["main.py"]

Its files come from scaffold.yaml. Contract, example and docs pass before anything is edited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from krmkit import REGISTRY, TAG
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.storage.disk.write import FileEdit, write_folder

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")


@dataclass(slots=True, eq=False)
class Place:
    """The surroundings of a new function: registry, apiVersion of its config, and if it is a catalog's."""

    registry: str
    api_version: str
    inside: bool = False


def files(name: str, place: Place) -> dict[str, str]:
    """Return the handwritten files by path inside the function's folder. `name` matches NAME."""
    (document,) = parse_all(resources.files(__package__).joinpath("scaffold.yaml").read_text("utf-8"))
    texts: Any = go_data(document.root)
    words = name.split("-")
    values = {
        "name": name,
        "kind": "".join(word.capitalize() for word in words),
        "title": " ".join(words).capitalize(),
        "registry": place.registry,
        "api_version": place.api_version,
        "version": "" if place.inside else f"apiVersion: {place.api_version}\n",
        "library": texts["library"] if place.inside else "",
        "base": f"{REGISTRY}/catalog:{TAG}",
        "test": f"test_{name.replace('-', '_')}.py",
    }
    chosen = {**texts["everywhere"], **texts["inside" if place.inside else "outside"]}
    return {path.format(**values): text.format(**values) for path, text in chosen.items()}


def make_folder(folder: Path, made: dict[str, str]) -> None:
    """Write the files into a new folder; main.py is executable. Raises Refused, OSError."""
    write_folder(str(folder), [FileEdit(path, None, text) for path, text in made.items()])
    (folder / "main.py").chmod(0o755)
