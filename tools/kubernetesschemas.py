"""Writes the schemas of Kubernetes' own kinds that kubeconform checks against: `python -m tools.kubernetesschemas`.

Their source is the package kubernetes-validate, which holds the OpenAPI definitions of each minor version as JSON schemas.
Kept is what decides about values. A definition that several versions have is stored once, and a version holds its changes to the one before it, so that all together are small.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from importlib import metadata, resources
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "shared/krmkit/libraries/kube/publishedschemas.py"
_DROPPED = ("description", "default", "title", "$schema", "$id")
_REFERENCE = re.compile(r"^(/api/_definitions\.json)?#/\$defs/")
_FOLDER = re.compile(r"v(\d+\.\d+)\.0-local-strict")


def kept(schema: Any) -> Any:
    """Return a schema without keywords that do not restrict values; references are names of definitions."""
    if isinstance(schema, list):
        return [kept(one) for one in schema]
    if isinstance(schema, str):
        return _REFERENCE.sub("", schema)
    if not isinstance(schema, dict):
        return schema
    found = {
        key: kept(value)
        for key, value in schema.items()
        if key not in (*_DROPPED, "properties") and not key.startswith("x-")
    }
    if "properties" in schema:
        found["properties"] = {name: kept(value) for name, value in schema["properties"].items()}
    return found


def _changes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return what a version changes in the one before it; null removes an entry."""
    gone = dict.fromkeys(name for name in old if name not in new)
    return {**gone, **{name: value for name, value in new.items() if old.get(name) != value}}


def data() -> dict[str, Any]:
    """Return the distinct schemas, and for each version the changes in its kinds and in which schema a definition has."""
    shared: dict[str, int] = {}
    versions: dict[str, Any] = {}
    folder = resources.files("kubernetes_validate").joinpath("kubernetes-json-schema")
    for entry in folder.iterdir():
        match = _FOLDER.fullmatch(entry.name)
        if match is None:
            continue
        known = json.loads(entry.joinpath("_definitions.json").read_text("utf-8"))["$defs"]
        kinds, names = {}, {}
        for name, schema in sorted(known.items()):
            text = json.dumps(kept(schema), sort_keys=True, separators=(",", ":"))
            names[name] = shared.setdefault(text, len(shared))
            for one in schema.get("x-kubernetes-group-version-kind", ()):
                version = f"{one['group']}/{one['version']}" if one["group"] else one["version"]
                kinds[f"{version}/{one['kind']}"] = name
        versions[match[1]] = {"definitions": names, "kinds": kinds}
    ordered = dict(sorted(versions.items(), key=lambda one: [int(part) for part in one[0].split(".")]))
    changes: dict[str, Any] = {}
    before: dict[str, dict[str, Any]] = {"definitions": {}, "kinds": {}}
    for version, content_of in ordered.items():
        changes[version] = {part: _changes(before[part], content_of[part]) for part in before}
        before = content_of
    return {"schemas": [json.loads(text) for text in shared], "versions": changes}


def content() -> str:
    """Return the module's text."""
    packed = zlib.compress(json.dumps(data(), separators=(",", ":")).encode(), 9)
    release = metadata.version("kubernetes-validate")
    return (
        '"""The JSON schemas of Kubernetes\' own kinds by version, packed by tools/kubernetesschemas.py; do not edit.\n\n'
        f"Source: kubernetes-validate {release} (Apache-2.0), from the OpenAPI definitions of Kubernetes.\n"
        '"""\n\n'
        f'PACKED = "{base64.b64encode(packed).decode()}"\n'
    )


if __name__ == "__main__":
    TARGET.write_text(content(), "utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size} bytes")
