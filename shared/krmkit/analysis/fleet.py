"""Read a fleet's variants from the record of `krmkit variants render` or the output of `variants status`."""

from __future__ import annotations

import json
import os
from typing import Any

from krmkit.fleet.collisions import Collisions
from krmkit.fleet.folder import RECORD, VariantFolder
from krmkit.fleet.objects import FleetObjects
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.findings.model import FleetVariant, PackageReport, Report
from krmkit.render.findings.places import shown_path
from krmkit.storage.disk.folders import read_file, walk
from krmkit.storage.git.upstream import shown_address

_MOST_NAMED = 3  # files in a note


def variants_of(folder: str, packages: list[PackageReport]) -> list[FleetVariant]:
    """Return the variants of all fleets at and below a folder, with states from their packages' reports.

    Raises Refused.
    """
    known = {package.path: package for package in packages}
    variants: list[FleetVariant] = []
    for path, folders, files in walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        if RECORD not in files:
            continue
        fleet = VariantFolder(path)
        for name, entry in sorted(fleet.entries.items()):
            place = shown_path(os.path.join(path, name))
            source = shown_path(os.path.join(path, entry.source)) if entry.source else ""
            variant = FleetVariant(place, entry.owner, source, upstream_of(os.path.join(path, name)))
            variant.repository = name.partition("/")[0]
            package = known.get(place)
            if package is not None and package.has_errors:
                variant.state, variant.note = "failed", package.failure
            elif package is not None and package.changes:
                variant.state = "changed"
            edited = fleet.edited(name)
            if edited:
                variant.note = "; ".join(
                    filter(None, [variant.note, f"changed by hand: {listed(edited, _MOST_NAMED)}"])
                )
                variant.state = "edited" if variant.state == "current" else variant.state
                variant.edited = list(edited)
            variants.append(variant)
    return variants


def synced_variants(path: str) -> list[FleetVariant]:
    """Return the variants in the output of `krmkit variants status -f json` (or sync). Raises Refused."""
    try:
        told: Any = json.loads(read_file(path, path) or b"")
        if not isinstance(told, dict) or told.get("kind") != "Variants":
            raise ValueError("must be the kind Variants")
        return [_synced(one) for one in told["variants"] if one["upstream"] or one["error"]]
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused(f"{path}: must be the output of `krmkit variants status -f json`: {error}") from None


def _synced(told: dict[str, Any]) -> FleetVariant:
    state = "behind" if told["actions"] else "edited" if told["drift"] else "current"
    if told["conflicts"] or told["stuck"] or told["waiting"]:
        state = "conflict"
    variant = FleetVariant(
        str(told["package"]), f"PackageVariant/{told['name']}", upstream=str(told["upstream"])
    )
    variant.state = "failed" if told["error"] else state
    variant.note = str(told["error"]) or "; ".join(map(str, (*told["actions"], *told["drift"])))
    variant.conflicts, variant.gates = (
        [str(text) for text in told["conflicts"]],
        [str(text) for text in told["gates"]],
    )
    variant.newest, variant.draft = str(told["newest"]), str(told["draft"])
    return variant


def collisions(report: Report, objects: list[Resource]) -> list[dict[str, Any]]:
    """Return the objects that two variants of the record make for one cluster: a sentence, and its packages.

    objects: the Repositories, whose annotations name clusters.
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
    """Return the upstream of an unread package, as `upstream` does; "" for an unreadable Kptfile."""
    try:
        content = read_file(os.path.join(folder, "Kptfile"), "Kptfile") or b""
        return upstream(Resource(content.decode("utf-8")))
    except (OSError, Refused, UnicodeDecodeError):
        return ""


def upstream(kptfile: Resource) -> str:
    """Return `repo/package@revision` of a Kptfile's upstream, as far as given; "" without one."""
    try:
        git = kptfile.get("upstream", "git")
    except (Refused, YamlError):
        return ""
    if not isinstance(git, dict):
        return ""
    parts = (shown_address(str(git.get("repo") or "")), str(git.get("directory") or ""))
    where = "/".join(part.strip("/") for part in parts if part)
    return f"{where}@{git['ref']}" if git.get("ref") else where
