"""Read Installations among items: objects, component descriptors, blobs and executor states.

Descriptors and blobs are ConfigMaps marked local-config, as `carrier` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from krmkit.krm import annotations as names
from krmkit.krm.annotations import is_tool_key
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import mapping, texts
from krmkit.libraries.yaml.errors import YamlError
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import configmaps as carrier
from krmkit.systems.landscaper.components.descriptors import ComponentRepository, Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.identity import name_of, namespace_of
from krmkit.systems.landscaper.items.objects import CORE_KINDS, LANDSCAPER_KINDS, World

OWNER = "Installation/"
"""How the annotation of generated items begins."""


@dataclass(slots=True)
class Items:
    """The input of installations, and the generated items of an earlier run (only states are input)."""

    world: World = field(default_factory=World)
    repository: ComponentRepository = field(default_factory=ComponentRepository)
    state: dict[str, dict[str, object]] = field(default_factory=dict)
    places: dict[tuple[str, str, str], Resource] = field(default_factory=dict)
    generated: list[Resource] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def installations(self, wanted: list[str], config: Resource | None = None) -> list[str] | None:
        """Return the wanted names, None for all. Unknown names are findings about the config."""
        if not wanted:
            return None
        from krmkit.libraries.messages.nearest import did_you_mean

        known = [key[2] for key in self.places if key[0] == "Installation"]
        for number, name in enumerate(wanted):
            if name not in known:
                field = f"spec.installations[{number}]" if config is not None else ""
                message = f"there is no Installation {name}" + did_you_mean(name, known)
                self.findings.append(Finding("no-installation", message, config, field))
        return wanted

    def place(self, kind: str, namespace: str, name: str) -> Resource | None:
        return self.places.get((kind, namespace, name))


def read(resources: Iterable[Resource]) -> Items:
    """Return the decoded input. An unreadable item is a finding."""
    items = Items()
    for item in resources:
        kind, version = item.kind, item.api_version
        if not (
            (version == API_VERSION and kind in LANDSCAPER_KINDS) or (version == "v1" and kind in CORE_KINDS)
        ):
            continue
        if item.annotation(names.GENERATED_BY).startswith(OWNER):
            items.generated.append(item)
            if kind == "ConfigMap":
                _state(items, item)
            continue
        try:
            data = item.get()
        except YamlError as error:
            items.findings.append(Finding("unreadable", str(error), item))
            continue
        if kind == "ConfigMap" and _carried(items, item, mapping(data)):
            continue
        _add(items, item, mapping(data))
    return items


def _add(found: Items, item: Resource, data: Data) -> None:
    for name in ("namespace", "name"):
        value = mapping(data.get("metadata")).get(name)
        if value is not None and not isinstance(value, str):
            message = f"must be a text, got {value}; put it in quotes"
            found.findings.append(Finding("unreadable", message, item, f"metadata.{name}"))
            return
    key = item.kind, namespace_of(data), name_of(data)
    if key in found.places:
        twice = Finding("duplicate-object", f"{key[0]} {key[2]} occurs twice in namespace {key[1]}", item)
        found.findings.append(twice.beside(found.places[key], "metadata.name", "the first one"))
        return
    found.places[key] = item
    found.world.add(without_tools(data))


def without_tools(data: Data) -> Data:
    """Drop the annotations of kpt, kustomize and krmkit, which engines do not see."""
    metadata = mapping(data.get("metadata"))
    annotations = texts(metadata.get("annotations"))
    if not any(map(is_tool_key, annotations)):
        return data
    kept = {key: value for key, value in mapping(metadata.get("annotations")).items() if not is_tool_key(key)}
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**data, "metadata": {**rest, "annotations": kept} if kept else rest}


def _carried(found: Items, item: Resource, data: Data) -> bool:
    """Add a descriptor or blob of a ConfigMap; return whether the ConfigMap holds one."""
    annotations = item.annotations
    try:
        if carrier.DESCRIPTOR in annotations:
            found.repository.add(carrier.descriptor_of(data)).carrier = item
        elif carrier.BLOB in annotations:
            content = found.repository.blobs[annotations[carrier.BLOB]] = carrier.content_of(data)
            if isinstance(content, Files):
                content.carrier = item
        else:
            return False
    except InstallationError as error:
        found.findings.append(Finding("bad-component", error.message, item, error.field))
    return True


def _state(found: Items, item: Resource) -> None:
    installation = item.annotation(carrier.STATE)
    if installation:
        found.state[installation] = carrier.state_of(mapping(item.get()))
