"""A stand-in for kubectl: `get` of recorded objects, by type, name, label and version, as an API server answers.

The folder in KUBECTL_OBJECTS holds YAML files of objects or Lists, one below folders of contexts if --context is given. Each call goes
as a line to the file in KUBECTL_LOG. KUBECTL_FAILURE, KUBECTL_ANSWER, KUBECTL_UNKNOWN (a type) and KUBECTL_LOGIN say what goes wrong instead.
What is not `get` is refused, as by a role that may only read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.kubeadm import control_plane_to_v1beta1
from krmkit.systems.clusterapi.api.objectversion import in_version


def main(words: list[str]) -> int:
    """Answer one call; returns its exit code."""
    log = os.environ.get("KUBECTL_LOG")
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")
    options, rest = _split(words)
    if not rest or rest[0] != "get":
        return _fail(
            f'Error from server (Forbidden): user "reader" cannot {rest[0] if rest else ""} anything'
        )
    folder = Path(os.environ["KUBECTL_OBJECTS"], options.get("--context", ""))
    if not folder.is_dir():
        return _fail(f'error: context "{options["--context"]}" does not exist')
    if os.environ.get("KUBECTL_LOGIN"):
        # As with a plugin for credentials: a process of its own, which keeps stdout open.
        subprocess.run(["sleep", "30"], check=False)
    if os.environ.get("KUBECTL_FAILURE"):
        return _fail(os.environ["KUBECTL_FAILURE"])
    if os.environ.get("KUBECTL_ANSWER"):
        print(os.environ["KUBECTL_ANSWER"])
        return 0
    unknown = os.environ.get("KUBECTL_UNKNOWN")
    if unknown and unknown in rest[1].split(","):
        return _fail(f'error: the server doesn\'t have a resource type "{unknown}"')
    everything = [item for path in sorted(folder.glob("*.y*ml")) for item in _objects(path)]
    namespace = options.get("--namespace", "default")
    found: list[Object] = []
    for kind in rest[1].split(","):
        try:
            found += [
                item
                for item in _of_type(everything, kind)
                if item["metadata"].get("namespace", "default") == namespace
                and (not rest[2:] or item["metadata"]["name"] in rest[2:])
                and _selected(item, options.get("--selector", ""))
            ]
        except LookupError as error:
            return _fail(str(error.args[0]))
    if "--show-managed-fields" not in words:
        for item in found:
            item["metadata"].pop("managedFields", None)
    if len(rest) == 3 and found:
        print(json.dumps(found[0]))
    elif found or len(rest) == 2:
        print(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}))
    return 0


def _split(words: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    rest: list[str] = []
    for word in words:
        if word != "--" and word.startswith("--"):
            name, _, value = word.partition("=")
            options[name] = value
        elif word != "--":
            rest.append(word)
    return options, rest


def _objects(path: Path) -> list[Object]:
    found: list[Object] = []
    for item in yaml.safe_load_all(path.read_text("utf-8")):
        found += item["items"] if item.get("kind") == "List" else [item]
    return found


def _of_type(everything: list[Object], name: str) -> list[Object]:
    """The objects of `clusters.GROUP`, KIND.GROUP or KIND.VERSION.GROUP, converted where a version is named."""
    kind, _, group = name.partition(".")
    version = ""
    if group.startswith("v") and group[1:2].isdigit():
        version, _, group = group.partition(".")
    words = {kind.lower(), kind.lower().removesuffix("s"), kind.lower().removesuffix("es")}
    found = [
        item
        for item in everything
        if item["kind"].lower() in words and item["apiVersion"].partition("/")[0] == group
    ]
    if not version:
        return found
    converted = [_at_version(item, f"{group}/{version}") for item in found]
    if None in converted:
        raise LookupError(f'error: the server doesn\'t have a resource type "{name}"')
    return [item for item in converted if item is not None]


def _at_version(item: Object, api_version: str) -> Object | None:
    if item["kind"] != "KubeadmControlPlane" or item["apiVersion"] == api_version:
        return in_version(item, api_version)
    # References of v1beta1 name a version too, which a server takes from the CRDs.
    spec = control_plane_to_v1beta1(item["spec"])
    reference = spec["machineTemplate"].pop("spec", {}).get("infrastructureRef")
    if reference:
        found = {
            "apiVersion": f"{reference['apiGroup']}/v1beta1",
            "kind": reference["kind"],
            "name": reference["name"],
            "namespace": item["metadata"].get("namespace", "default"),
        }
        spec["machineTemplate"]["infrastructureRef"] = found
    return {**item, "apiVersion": api_version, "spec": spec}


def _selected(item: Object, selector: str) -> bool:
    labels = item["metadata"].get("labels") or {}
    head, _, names = selector.partition(" in (")
    for part in head.split(","):
        key = part.strip()
        if key and key not in labels:
            return False
        if key and names and part == head.split(",")[-1] and labels[key] not in names.rstrip(")").split(","):
            return False
    return True


def _fail(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
