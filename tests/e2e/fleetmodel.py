"""The parts of the model test's fleet: mutators, upstream resources, a pack, sets; and readers of their fields."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

FUNCTION = """\
name: {name}
kind: {kind}
summary: {name}
description: For a test.
tags: [mutator]
idempotent: true
touches: all
rules: {{}}
runtime:
  requires: []
schema:
  type: object
  properties: {{}}
"""
PROGRAMS = {
    # Renames what has not its name yet, as a prefix does; a second run changes nothing.
    "rename": 'if not item.name.startswith("shop-"):\n            item.set(("metadata", "name"), "shop-" + item.name)',
    "move": 'item.set(("metadata", "namespace"), "shops")',
    "set-c": 'if item.get("data", "c") != "set":\n            item.set(("data", "c"), "set")',
}
MAIN = """\
from krmkit.fn import Config, ResourceList, Results


def process(resources: ResourceList, config: Config, results: Results) -> None:
    for item in resources.items:
        if item.kind != "ConfigMap" or item.name == "pack" or "kptfile" in item.name:
            continue
        {body}
"""
SET = """\
---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {{name: {name}, namespace: default}}
spec:
  upstream: {{repo: up, package: web, revision: {revision}}}
  targets:
    - repositories:
        - name: down
          packageNames: [{packages}]
      template:
        injectors: [{{kind: ConfigMap, name: settings}}]
"""
RESOURCES = ("app", "cache", "settings", "pack")
OWN = ("presets", "macros")  # functions of the catalog, for the pack's values
MACRO = "{{ .spectro.system.cluster.name }}"
PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: pack
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: |
    {"name": "pack", "displayName": "Pack", "layer": "addon", "version": "1.0.0", "cloudTypes": ["all"]}
  presets.yaml: |
    presets:
      - name: small
        displayName: Small
        group: Size
        remove: []
        add: |
          c: 'set'
  values.yaml: |
    # what people may change
"""
MACROS = """\
apiVersion: krmkit.dev/v1alpha1
kind: ResolveMacros
metadata:
  name: tool-macros
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  system: {cluster.name: shop}
"""
REPOSITORY = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: down, namespace: default}\n"
INJECTED = "  annotations:\n    kpt.dev/config-injection: optional\n"
_CONFLICT = re.compile(r'(\w+)\.yaml(?::\d+:\d+)? data\.(?:"values\.yaml"\.)?(\w+): ')

Fields = dict[tuple[str, str], str | None]
Upstream = dict[str, dict[str, str]]  # the data of each resource


def write_functions(folder: Path) -> None:
    """The mutators of PROGRAMS, as a folder of functions."""
    for name, body in PROGRAMS.items():
        (folder / name).mkdir()
        kind = name.title().replace("-", "")
        (folder / name / "function.yaml").write_text(FUNCTION.format(name=name, kind=kind), encoding="utf-8")
        (folder / name / "main.py").write_text(MAIN.format(body=body), encoding="utf-8")


def upstream_files(resources: Upstream, pipeline: list[str]) -> dict[str, str]:
    """The files of the upstream package."""
    own: dict[str, dict[str, Any]] = {
        "presets": {"image": "ghcr.io/krmkit/apply-presets", "configMap": {"pack": "small"}},
        "macros": {"image": "ghcr.io/krmkit/resolve-macros", "configPath": "tool-macros.yaml"},
    }
    mutators = [own.get(name, {"image": f"example.com/{name}"}) for name in pipeline]
    kptfile: dict[str, Any] = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "web"}}
    if mutators:
        kptfile["pipeline"] = {"mutators": mutators}
    files = {f"{name}.yaml": resource_text(name, data) for name, data in resources.items()}
    return {"Kptfile": yaml.safe_dump(kptfile), "tool-macros.yaml": MACROS, **files}


def resource_text(name: str, data: dict[str, str]) -> str:
    if name == "pack":
        return PACK + "".join(f"    {key}: '{value}' # {key} of {name}\n" for key, value in data.items())
    notes = INJECTED if name == "settings" else ""
    lines = "".join(f"  {key}: '{value}' # {key} of {name}\n" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{notes}data:\n{lines}"


def objects_text(injected: dict[str, str]) -> str:
    """The objects of the fleets: the repository, and what is injected into `settings`."""
    if not injected:
        return REPOSITORY
    return f"{REPOSITORY}---\n" + resource_text("settings", injected).replace(INJECTED, "")


def fields_of(text: str, name: str) -> dict[str, str | None]:
    """The fields of a resource's text; of the pack, those in its values."""
    data = yaml.safe_load(text)["data"] or {}
    return (yaml.safe_load(data["values.yaml"]) or {}) if name == "pack" else data


def with_field(text: str, name: str, key: str, value: str | None) -> str:
    """The text with one field as a person writes it, without it for None; "" where no field would be left."""
    blanks = "    " if name == "pack" else "  "
    lines = [line for line in text.splitlines() if not line.startswith(f"{blanks}{key}: ")]
    if value is not None:
        lines.append(f"{blanks}{key}: '{value}'")
    changed = "".join(f"{line}\n" for line in lines)
    return changed if fields_of(changed, name) else ""


def conflict_field(conflict: str) -> tuple[str, str]:
    """The resource and the key that a conflict names."""
    found = _CONFLICT.match(conflict)
    assert found is not None, conflict
    return found[1], found[2]
