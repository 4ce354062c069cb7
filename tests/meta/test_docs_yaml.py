"""The YAML of the documents is what the functions take: configs, pipelines, the plugin for Argo CD."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from krmkit.fn.config import ConfigError, decode
from krmkit.kpt.kptfile import Kptfile, image_name, program_name
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.tree import Document, Map
from krmkit.systems.clusterapi.hooks.responses import RecordedResponses
from krmkit.systems.porch.variants.decodevariants import decode_set, decode_variant
from tests.meta.pages import DEFINITIONS, ROOT, blocks, each_page


def documents(text: str) -> list[Document]:
    return [document for document in parse_all(text) if document.root is not None]


def entries_of(data: object) -> Iterator[dict[str, object]]:
    """The functions of every `mutators` and `validators` in the data."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in ("mutators", "validators") and isinstance(value, list):
                yield from (entry for entry in value if isinstance(entry, dict))
            else:
                yield from entries_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from entries_of(value)


def problems_of_config(resource: Resource) -> list[str]:
    """What a function would say about this config; none for resources that are no config."""
    wanted = [
        definition
        for definition in DEFINITIONS.values()
        if (resource.api_version == "krmkit.dev/v1alpha1" and definition.kind == resource.kind)
        or (resource.kind, resource.api_version)
        in {(kind, version) for version, kind, _ in definition.accepts}
    ]
    if not wanted and resource.kind == "TopologyResponses":
        data = resource.get()
        assert isinstance(data, dict)
        RecordedResponses([data])
        return []
    if not wanted and resource.api_version.startswith("krmkit.dev/") and resource.kind != "Pack":
        return [f"no function takes {resource.kind}"]
    found: list[str] = []
    if resource.kind == "PackageVariant":
        found += map(str, decode_variant(resource).violations)
    if resource.kind == "PackageVariantSet":
        found += map(str, decode_set(resource).violations)
    for definition in wanted:
        try:
            decode(definition, resource)
        except ConfigError as error:
            found.append(f"{definition.name}: {error}")
    return found


def problems_of_entry(entry: dict[str, object]) -> list[str]:
    """What is wrong with a function of a pipeline, as far as it is one of this catalog."""
    image, program = str(entry.get("image") or ""), str(entry.get("exec") or "")
    name = image_name(image) if image else program_name(program.partition(" ")[0])
    if name not in DEFINITIONS:
        return [f"there is no function {name}"] if "/krmkit/" in image or not image else []
    data = entry.get("configMap")
    if not isinstance(data, dict):
        return []
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}}
    try:
        decode(DEFINITIONS[name], Resource(emit.document({**head, "data": data})))
    except ConfigError as error:
        return [f"{name}: {error}"]
    return []


def problems_of(text: str) -> list[str]:
    """Everything that is wrong with a block of YAML."""
    found = []
    for document in documents(text):
        data = go_data(document.root)
        for entry in entries_of(data):
            found += problems_of_entry(entry)
        if not isinstance(data, dict) or not isinstance(document.root, Map):
            continue
        if "pipeline" in data:
            whole = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "p"}}
            if data.get("kind") in (None, "Kptfile"):
                try:
                    Kptfile.parse(emit.document({**whole, "pipeline": data["pipeline"]}), "Kptfile")
                except (Refused, ValueError) as error:
                    found.append(str(error))
        if {"apiVersion", "kind", "metadata"} <= data.keys():
            found += problems_of_config(Resource(emit.document(data)))
    return found


@each_page
def test_yaml(page: Path) -> None:
    """Blocks of YAML can be read, and the configs and pipelines in them are ones that the functions take."""
    for text in blocks(page, "yaml"):
        assert not problems_of(text), text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata: {name: a}\nspec: {selection: []}\n",
            "selection",
            id="field of a config",
        ),
        pytest.param(
            "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPreset\nmetadata: {name: a}\n",
            "no function takes ApplyPreset",
            id="kind of a config",
        ),
        pytest.param(
            "pipeline: {mutators: [{image: ghcr.io/krmkit/apply-preset}]}\n", "no function", id="image"
        ),
        pytest.param(
            "pipeline: {mutator: [{image: ghcr.io/krmkit/apply-presets}]}\n", "mutator", id="Kptfile"
        ),
        pytest.param(
            "pipeline:\n  mutators:\n  - image: x.io/krmkit/validate-pack-constraints\n    configMap: {scop: a}\n",
            "scop",
            id="ConfigMap",
        ),
        pytest.param(
            "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: a}\nspec: {upstrem: {}}\n",
            "upstrem",
            id="PackageVariant",
        ),
    ],
)
def test_bad_yaml_is_found(text: str, problem: str) -> None:
    """The check finds each kind of mistake."""
    assert problem in "\n".join(problems_of(text))


def test_argo_cd_plugin(tmp_path: Path) -> None:
    """The plugin's script prints what goes to a cluster, and nothing else; it fails when the render fails."""
    [page] = [text for text in blocks(ROOT / "docs/ci.md", "yaml") if "argo-cd/plugin.yaml" in text]
    config = go_data(documents(page)[0].root)
    assert isinstance(config, dict)
    plugin = go_data(documents(config["data"]["plugin.yaml"])[0].root)
    assert isinstance(plugin, dict)
    script = plugin["spec"]["generate"]["args"][0].replace("/krmkit/shared", str(ROOT / "shared"))

    def generate(package: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", script],
            cwd=package,
            capture_output=True,
            text=True,
            check=False,
        )

    done = generate(ROOT / "examples/edge-cluster-profile")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^kind: (.*)$", done.stdout, re.MULTILINE) == ["Namespace"]
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipelin: {}\n"
    )
    failed = generate(tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "pipelin" in failed.stderr
