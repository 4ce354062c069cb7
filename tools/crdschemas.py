"""Turns CustomResourceDefinitions into the schemas that krmkit ships: `python -m tools.crdschemas TARGET FILE...`.

FILE is YAML with CRDs, as projects publish them or as in tools/crds: documents, Lists, or a map with `items`. Kept is what decides about
values: descriptions, examples and status are left out. Subtrees that come twice are stored once, as kubeadm's KubeadmConfigSpec does in
four kinds. `python -m tools.crdschemas` without arguments writes all that krmkit ships from tools/crds.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from krmkit.libraries.json import Object

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = {
    "shared/krmkit/systems/clusterapi/api/publishedcrds.json": (
        "tools/crds/core.yaml",
        "tools/crds/kubeadm.yaml",
        "tools/crds/docker.yaml",
    ),
    "shared/krmkit/systems/clusterapi/api/v1beta1crds.json": ("tools/crds/core-v1beta1.yaml",),
    "shared/krmkit/systems/landscaper/items/publishedcrds.json": ("tools/crds/landscaper.yaml",),
}
_DROPPED = ("description", "example", "externalDocs", "title")
_SHORTEST = 60  # characters of a subtree that is worth a reference


def definitions(path: Path) -> tuple[str, list[Object]]:
    """Return the source named in the file, and its CRDs."""
    source, found = path.name, []
    for document in yaml.safe_load_all(path.read_text("utf-8")):
        listed = document.get("items", [document]) if isinstance(document, dict) else []
        source = document.get("source", source) if isinstance(document, dict) else source
        found += [one for one in listed if one.get("kind") == "CustomResourceDefinition"]
    return source, found


def kept(schema: Any, top: bool = False) -> Any:
    """Return a schema without keywords that do not restrict values.

    `top`: without apiVersion, kind, metadata and status, too.
    """
    if isinstance(schema, list):
        return [kept(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: kept(value) for key, value in schema.items() if key not in (*_DROPPED, "properties")}
    if "properties" in schema:
        own = ("apiVersion", "kind", "metadata", "status") if top else ()
        found["properties"] = {
            name: kept(value) for name, value in schema["properties"].items() if name not in own
        }
    return found


def packed(crds: list[Object]) -> Object:
    """Return `{"kinds":

    {"group/version/Kind": schema}, "shared": [schema]}`; `{"$shared": 3}` is the fourth shared schema.
    """
    kinds = {
        f"{crd['spec']['group']}/{version['name']}/{crd['spec']['names']['kind']}": kept(
            version["schema"]["openAPIV3Schema"], top=True
        )
        for crd in crds
        for version in crd["spec"]["versions"]
    }
    counts: Counter[str] = Counter()
    for schema in kinds.values():
        _count(schema, counts)
    shared: dict[str, int] = {}
    trees: list[Any] = []
    return {
        "kinds": {name: _refer(schema, counts, shared, trees) for name, schema in kinds.items()},
        "shared": trees,
    }


def _count(value: Any, counts: Counter[str]) -> None:
    if isinstance(value, dict):
        counts[json.dumps(value, sort_keys=True)] += 1
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _count(inner, counts)


def _refer(value: Any, counts: Counter[str], shared: dict[str, int], trees: list[Any]) -> Any:
    if isinstance(value, list):
        return [_refer(one, counts, shared, trees) for one in value]
    if not isinstance(value, dict):
        return value
    text = json.dumps(value, sort_keys=True)
    if text in shared:
        return {"$shared": shared[text]}
    found = {key: _refer(inner, counts, shared, trees) for key, inner in value.items()}
    if counts[text] < 2 or len(text) < _SHORTEST:
        return found
    shared[text] = len(trees)
    trees.append(found)
    return {"$shared": shared[text]}


def made(files: list[Path]) -> str:
    """Return the JSON that is made from files of CRDs: `source`, `kinds` and `shared`, with a line for each schema."""
    read = [definitions(path) for path in files]
    data = packed([crd for _, crds in read for crd in crds])
    kinds = [f"{json.dumps(name)}:{_line(schema)}" for name, schema in data["kinds"].items()]
    return (
        f'{{"source":{json.dumps("; ".join(source for source, _ in read))},\n"kinds":{{\n{_joined(kinds)}}},\n'
        f'"shared":[\n{_joined(map(_line, data["shared"]))}]}}\n'
    )


def _line(schema: Any) -> str:
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False)


def _joined(lines: Iterable[str]) -> str:
    return ",\n".join(lines) + "\n"


def main(words: list[str]) -> None:
    """Write the target that is named from the files that are named, or all that krmkit ships."""
    if words:
        Path(words[0]).write_text(made([Path(word) for word in words[1:]]), "utf-8")
        return
    for target, files in SHIPPED.items():
        (ROOT / target).write_text(made([ROOT / file for file in files]), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
