"""Read the versions of the systems that krmkit follows, from followed.yaml beside this file."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all


def followed() -> list[dict[str, Any]]:
    """Return each system's name, followed, newest, checked, and if known, commit and files."""
    (document,) = parse_all(files(__package__).joinpath("followed.yaml").read_text("utf-8"))
    table: Any = go_data(document.root)
    return list(table["systems"])
