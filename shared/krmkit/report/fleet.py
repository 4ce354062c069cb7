"""The variants of a fleet: from the record that `krmkit variants render` keeps beside their packages, or what `variants status` wrote."""

from __future__ import annotations

import json
import os
from typing import Any

from krmkit.fleet.collisions import Collisions
from krmkit.fleet.folder import RECORD, VariantFolder
from krmkit.fleet.objects import FleetObjects
from krmkit.git.upstream import shown_address
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.messages.listed import listed
from krmkit.output.model import FleetVariant, PackageReport, Report
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
            one = FleetVariant(place, entry.owner, source, upstream_of(os.path.join(path, name)))
            one.repository = name.partition("/")[0]
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
                one.edited = list(edited)
            found.append(one)
    return found


class SyncedStatusError(ValueError):
    """A file is not what `krmkit variants status -f json` writes; the message says why."""


def synced_variants(path: str) -> list[FleetVariant]:
    """The variants in what `krmkit variants status -f json` (or sync) wrote. Raises SyncedStatusError."""
    try:
        with open(path, encoding="utf-8") as file:
            told: Any = json.load(file)
        if not isinstance(told, dict) or told.get("kind") != "Variants":
            raise ValueError("must be the kind Variants")
        return [_synced(one) for one in told["variants"] if one["upstream"] or one["error"]]
    except OSError as error:
        raise SyncedStatusError(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SyncedStatusError(
            f"{path}: is not what `krmkit variants status -f json` writes: {error}"
        ) from None


def _synced(told: dict[str, Any]) -> FleetVariant:
    state = "behind" if told["actions"] else "edited" if told["drift"] else "current"
    if told["conflicts"] or told["stuck"] or told["waiting"]:
        state = "conflict"
    one = FleetVariant(str(told["package"]), f"PackageVariant/{told['name']}", upstream=str(told["upstream"]))
    one.state = "failed" if told["error"] else state
    one.note = str(told["error"]) or "; ".join(map(str, (*told["actions"], *told["drift"])))
    one.conflicts, one.gates = (
        [str(text) for text in told["conflicts"]],
        [str(text) for text in told["gates"]],
    )
    one.newest, one.draft = str(told["newest"]), str(told["draft"])
    return one


def collisions(report: Report, objects: list[Resource]) -> list[dict[str, Any]]:
    """What two variants of the record make for one cluster: a sentence, and the packages that it is about.

    objects: Repositories, which say where packages go.
    """
    found = Collisions(FleetObjects(objects))
    known = {package.path: package for package in report.packages}
    for variant in report.variants:
        package = known.get(variant.package)
        if package is not None and variant.repository:
            namespace = variant.owner.split("/")[1] if variant.owner.count("/") == 2 else ""
            found.add(package.path, variant.repository, namespace, package.objects)
    return [{"message": text, "packages": packages} for text, packages in found.found().items()]


def upstream_of(folder: str) -> str:
    """`repo/package@revision` of the Kptfile's upstream, as far as given; "" without one."""
    try:
        with open(os.path.join(folder, "Kptfile"), encoding="utf-8") as file:
            git = Resource(file.read()).get("upstream", "git")
    except (OSError, UnicodeDecodeError, ListError, YamlError):
        return ""
    if not isinstance(git, dict):
        return ""
    parts = (shown_address(str(git.get("repo") or "")), str(git.get("directory") or ""))
    where = "/".join(part.strip("/") for part in parts if part)
    return f"{where}@{git['ref']}" if git.get("ref") else where
