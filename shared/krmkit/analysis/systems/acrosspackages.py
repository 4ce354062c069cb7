"""Find relations of a report's packages: exports and importers, versions, and objects made twice.

They are read from the packages' reports, so the cost is linear.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.render.findings.model import PackageReport

Data = dict[str, Any]
Key = tuple[str, str, str]


def links(packages: list[PackageReport]) -> list[Data]:
    """Return each export of a root Installation with its importers.

    `from` and `to` are `{"package": ..., "installation": ...}`. Kind and key identify an export in its
    namespace, across packages; exports of blueprints do not count.
    """
    givers: dict[Key, list[Data]] = {}
    takers: dict[Key, list[Data]] = {}
    for package in packages:
        for node in package.systems.get("installations", {}).get("nodes", ()):
            if "parent" in node or package.blueprint:
                continue
            end = {"package": package.path, "installation": node["path"]}
            for known, name in ((givers, "exports"), (takers, "imports")):
                for one in node.get(name, ()):
                    if one["kind"] in ("data", "target") and one["key"]:
                        known.setdefault((one["kind"], node["namespace"], one["key"]), []).append(end)
    return [
        {"kind": kind, "namespace": namespace, "key": key, "from": ends, "to": takers.get((kind, namespace, key), [])}
        for (kind, namespace, key), ends in givers.items()
    ]  # fmt: skip


def versions(packages: list[PackageReport]) -> list[Data]:
    """Return the packages' versions of Kubernetes, of a pack, a component or a blueprint.

    Example: `{"kind": "kubernetes", "name": "Kubernetes", "versions": [{"version": "v1.31.4", "packages":
    ["sites/lyon"]}]}`.
    """
    by_thing: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for package in packages:
        for kind, name, version in _versions(package):
            if version:
                by_thing.setdefault((kind, name), {}).setdefault(version, {})[package.path] = None
    return [
        {
            "kind": kind,
            "name": name,
            "versions": [
                {"version": version, "packages": list(paths)} for version, paths in sorted(those.items())
            ],
        }
        for (kind, name), those in sorted(by_thing.items())
    ]


def _versions(package: PackageReport) -> Iterator[tuple[str, str, str]]:
    for cluster in package.systems.get("clusters", ()):
        yield "kubernetes", "Kubernetes", cluster.get("version", "")
    for profile in package.profiles:
        for pack in profile["packs"]:
            yield "pack", pack["name"], pack["version"] or ""
    for node in package.systems.get("installations", {}).get("nodes", ()):
        name, _, version = node.get("component", "").partition(":")
        yield "component", name, version
    name, _, version = package.upstream.rpartition("@")
    yield "blueprint", name, version
