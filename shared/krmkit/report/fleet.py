"""The variants of a fleet, from the record that `krmkit variants render` keeps beside their packages."""

from __future__ import annotations

import os

from krmkit.fleet.folder import RECORD, VariantFolder
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.messages.listed import listed
from krmkit.output.model import FleetVariant, PackageReport
from krmkit.output.places import shown_path
from krmkit.yaml.errors import YamlError

_MOST_NAMED = 3  # files in a note


def variants_of(folder: str, packages: list[PackageReport]) -> list[FleetVariant]:
    """The variants of all fleets at and below a folder, with what the reports of their packages say. Raises FolderError."""
    known = {package.path: package for package in packages}
    found: list[FleetVariant] = []
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        if RECORD not in files:
            continue
        fleet = VariantFolder(path)
        for name, entry in sorted(fleet.entries.items()):
            place = shown_path(os.path.join(path, name))
            source = shown_path(os.path.join(path, entry.source)) if entry.source else ""
            one = FleetVariant(place, entry.owner, source, _upstream(os.path.join(path, name)))
            package = known.get(place)
            if package is not None and package.has_errors:
                one.state, one.note = "failed", package.failure
            elif package is not None and package.changes:
                one.state = "changed"
            edited = fleet.edited(name)
            if edited:
                one.note = "; ".join(
                    filter(None, [one.note, f"changed by hand: {listed(edited, _MOST_NAMED)}"])
                )
                one.state = "edited" if one.state == "current" else one.state
            found.append(one)
    return found


def _upstream(folder: str) -> str:
    """`repo/package@revision` of the Kptfile's upstream, as far as given; "" without one."""
    try:
        with open(os.path.join(folder, "Kptfile"), encoding="utf-8") as file:
            git = Resource(file.read()).get("upstream", "git")
    except (OSError, UnicodeDecodeError, ListError, YamlError):
        return ""
    if not isinstance(git, dict):
        return ""
    where = "/".join(str(git[key]).strip("/") for key in ("repo", "directory") if git.get(key))
    return f"{where}@{git['ref']}" if git.get("ref") else where
