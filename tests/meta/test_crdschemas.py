"""The schemas that krmkit ships: written by the tool, and kept by all examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.libraries.schema.kubernetes.crds import CrdSchemas, PublishedSchemas
from krmkit.libraries.schema.kubernetes.published import PublishedCrds
from krmkit.systems.clusterapi.api.decode import List, Map, Struct
from krmkit.systems.clusterapi.api.gotypes import type_of
from tools.crdschemas import SHIPPED, made, main

ROOT = Path(__file__).resolve().parents[2]
WRONG = {
    "functions/validate-installation/examples/wrong/form.yaml",
    "functions/validate-cluster-topology/examples/violations/clusters.yaml",
}
"""Files of examples that show what is refused."""


@pytest.mark.parametrize("target", SHIPPED)
def test_they_are_as_the_tool_writes_them(target: str) -> None:
    """`python -m tools.crdschemas` writes them again after a change of tools/crds."""
    assert (ROOT / target).read_text("utf-8") == made([ROOT / file for file in SHIPPED[target]])


def objects() -> list[tuple[str, dict[str, Any]]]:
    """All objects in examples, docs' packages and deploy/, with their files."""
    found = []
    for folder in ("examples", "functions", "deploy"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            name = path.relative_to(ROOT).as_posix()
            for one in yaml.safe_load_all(path.read_text("utf-8")) if name not in WRONG else ():
                if isinstance(one, dict) and isinstance(one.get("apiVersion"), str):
                    found.append((name, one))
    return found


@pytest.mark.parametrize("target", SHIPPED)
def test_examples_keep_them(target: str) -> None:
    """An example that an API server refuses teaches the wrong thing."""
    schemas = CrdSchemas([], PublishedSchemas(PublishedCrds((ROOT / target).read_bytes)))
    judged = [(name, one) for name, one in objects() if schemas.knows(one)]

    assert judged or "v1beta1" in target  # examples show the newest version
    assert [f"{name}: {error}" for name, one in judged for error in schemas.errors(one)] == []


def test_the_tool_reads_published_crds(tmp_path: Path) -> None:
    """Documents as controller-gen writes them: descriptions and status go, constraints stay."""
    text = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.a.example.com}
spec:
  group: a.example.com
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: A thing.
        type: object
        properties:
          apiVersion: {type: string}
          metadata: {type: object}
          spec:
            type: object
            properties:
              description: {type: string, description: A field that is called so., maxLength: 3}
          status: {type: object}
"""
    (tmp_path / "crd.yaml").write_text(text, "utf-8")
    main([str(tmp_path / "made.json"), str(tmp_path / "crd.yaml")])
    written = (tmp_path / "made.json").read_text("utf-8")

    assert "A thing" not in written
    assert "status" not in written
    assert json.loads(written)["source"] == "crd.yaml"
    data = {"apiVersion": "a.example.com/v1", "kind": "Thing", "spec": {"description": "long"}}
    assert [
        one.field for one in CrdSchemas([], PublishedSchemas(PublishedCrds(lambda: written))).errors(data)
    ] == ["spec.description"]


@pytest.mark.parametrize("kind", ["Cluster", "ClusterClass"])
@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_types_of_cluster_api_are_read_from_them(kind: str, version: str) -> None:
    """What gotypes.json says of a struct or field is of one that a schema has."""
    facts = json.loads((ROOT / "shared/krmkit/systems/clusterapi/api/gotypes.json").read_text("utf-8"))[
        version
    ]
    structs: dict[str, Struct] = {}
    for owner in ("Cluster", "ClusterClass"):
        collect(type_of(owner, version).fields["spec"], structs)
    fields = {f"{name}.{field}" for name, one in structs.items() for field in one.fields}

    assert kind + "Spec" in structs
    assert {*facts["names"], *facts["omitted"], *facts["free"]} <= fields
    assert {*facts["moved"]} | {*facts["pointers"]} <= fields | structs.keys()
    assert [name for name, one in structs.items() if not one.fields] == []


def collect(of: Any, structs: dict[str, Struct]) -> None:
    """Add the structs of a type, by name."""
    if isinstance(of, (List, Map)):
        collect(of.of, structs)
    elif isinstance(of, Struct) and of.name not in structs:
        structs[of.name] = of
        for inner in of.fields.values():
            collect(inner, structs)
