"""Resolve the imports of an installation: DataObjects, Secrets, ConfigMaps and Targets of its scope."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass, field

from krmkit.krm.annotations import is_tool_key
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.messages.nearest import nearest, proposal
from krmkit.libraries.schema.fields import entries, mapping, text, texts
from krmkit.systems.landscaper.apinames import TARGET_MAP_KEY_LABEL, object_name
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.identity import name_of
from krmkit.systems.landscaper.items.objects import Object, World, not_found
from krmkit.systems.landscaper.yaml import load


@dataclass(slots=True)
class Imports:
    """The imports of one installation by name. A target is the Kubernetes object.

    `fields` are their fields in the Installation, `sources` the objects with the data: kind, namespace, name
    and path.
    """

    data: dict[str, object] = field(default_factory=dict)
    targets: dict[str, Object] = field(default_factory=dict)
    target_lists: dict[str, list[Object]] = field(default_factory=dict)
    target_maps: dict[str, dict[str, Object]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    sources: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)

    def values(self) -> dict[str, object]:
        """Return all imports as templates see them."""
        found: dict[str, object] = dict(self.data)
        found.update({name: template_target(one) for name, one in self.targets.items()})
        found.update(
            {name: [template_target(one) for one in many] for name, many in self.target_lists.items()}
        )
        for name, many in self.target_maps.items():
            found[name] = {key: template_target(one) for key, one in many.items()}
        return found


def resolve(
    world: World, namespace: str, scope: str, imports: dict[str, object]
) -> tuple[Imports, dict[str, InstallationError]]:
    """Resolve the imports {data, targets} of an installation in a scope; return them, and errors by name."""
    found = Imports()
    errors: dict[str, InstallationError] = {}
    for kind, resolver in (("data", _data), ("targets", _target)):
        for index, entry in enumerate(entries(imports.get(kind))):
            try:
                path = found.fields[text(entry.get("name"))] = f"spec.imports.{kind}[{index}]"
                resolver(world, namespace, scope, entry, found, path)
            except InstallationError as error:
                errors[text(entry.get("name")) or f"{kind}[{index}]"] = error
    return found, errors


def is_about(error: InstallationError, names: Iterable[str]) -> bool:
    """Return whether a message `'a' not found` or `'a.b' not found` is about one of the names."""
    return any(f"'{name}{end}" in error.message for name in names for end in ("'", "."))


def _data(world: World, namespace: str, scope: str, entry: Object, found: Imports, field_path: str) -> None:
    name = text(entry.get("name"))
    reference = text(entry.get("dataRef"))
    if reference:
        key = object_name(scope, reference)
        item = world.get("DataObject", namespace, key)
        if item is None:
            hint = _hint(reference, [one for one in world.names("DataObject", namespace) if not scope])
            raise InstallationError(
                "data-object-not-found",
                f"unable to fetch data object {key} ({scope}/{reference}): {not_found('DataObject', key)}"
                + hint,
                f"{field_path}.dataRef",
            )
        found.data[name] = item.get("data")
        found.sources[name] = "DataObject", namespace, key, "data"
        return
    for field_name, kind, decode in (
        ("secretRef", "Secret", _secret_texts),
        ("configMapRef", "ConfigMap", _map_texts),
    ):
        source = entry.get(field_name)
        if isinstance(source, dict):
            path = f"{field_path}.{field_name}"
            found.data[name] = _keyed(world, namespace, kind, source, decode, path)
            at = dotted(["data", *filter(None, [text(source.get("key"))])])
            found.sources[name] = kind, namespace, text(source.get("name")), at
            return
    raise InstallationError(
        "invalid", f'import "{name}" must have one of dataRef, secretRef and configMapRef', field_path
    )


def _keyed(world: World, namespace: str, kind: str, source: Object, decode: object, path: str) -> object:
    name, key = text(source.get("name")), text(source.get("key"))
    item = world.get(kind, namespace, name)
    rule = "secret-not-found" if kind == "Secret" else "config-map-not-found"
    if item is None:
        hint = _hint(name, world.names(kind, namespace))
        raise InstallationError(rule, not_found(kind, name) + hint, path)
    assert callable(decode)
    values: dict[str, str] = decode(item, path)
    if key:
        if key not in values:
            hint = _hint(key, list(values))
            raise InstallationError(
                "key-not-found", f"key {key} in {kind.lower()} {name} does not exist" + hint, f"{path}.key"
            )
        return _parsed(values[key], kind, name, key, path)
    return {one: _parsed(value, kind, name, one, path) for one, value in values.items()}


def _parsed(value: str, kind: str, name: str, key: str, path: str) -> object:
    try:
        return load(value)
    except GoInputError:
        # The text of the error would quote the value.
        raise InstallationError(
            "invalid", f"key {key} of {kind.lower()} {name} holds no YAML", path
        ) from None


def _secret_texts(item: Object, path: str) -> dict[str, str]:
    values = {key: _decoded(value, key, path) for key, value in texts(item.get("data")).items()}
    values.update(texts(item.get("stringData")))
    return values


def _map_texts(item: Object, path: str) -> dict[str, str]:
    values = texts(item.get("data"))
    values.update({key: _decoded(value, key, path) for key, value in texts(item.get("binaryData")).items()})
    return values


def _decoded(value: str, key: str, path: str) -> str:
    try:
        return b64decode("".join(value.split()), validate=True).decode("utf-8", "surrogateescape")
    except ValueError:
        raise InstallationError("invalid", f"key {key} must be base64", path) from None


def _target(world: World, namespace: str, scope: str, entry: Object, found: Imports, field_path: str) -> None:
    def fetch(reference: object, place: str) -> Object:
        return fetch_target(world, namespace, scope, text(reference), f"{field_path}.{place}")

    name = text(entry.get("name"))
    if text(entry.get("target")):
        found.targets[name] = fetch(entry["target"], "target")
    elif isinstance(listed := entry.get("targets"), list):
        found.target_lists[name] = [fetch(one, f"targets[{index}]") for index, one in enumerate(listed)]
    elif isinstance(named := entry.get("targetMap"), dict):
        found.target_maps[name] = {key: fetch(one, f"targetMap.{key}") for key, one in named.items()}
    elif text(entry.get("targetListRef")):
        many = world.targets_by_key(namespace, scope, text(entry.get("targetListRef")))
        # In the order of the API server, which the controller uses: by name, not by index.
        found.target_lists[name] = sorted(many, key=name_of)
    elif text(entry.get("targetMapRef")):
        many = world.targets_by_key(namespace, scope, text(entry.get("targetMapRef")))
        labelled = {text(mapping(one, "metadata", "labels").get(TARGET_MAP_KEY_LABEL)): one for one in many}
        found.target_maps[name] = dict(sorted(labelled.items()))
    else:
        raise InstallationError(
            "invalid",
            f"invalid target definition '{name}': one of target, targets, targetMap, targetListRef and targetMapRef"
            " must be given",
            field_path,
        )


def fetch_target(world: World, namespace: str, scope: str, reference: str, path: str) -> Object:
    """Return the Target of a reference in a scope. Raises target-not-found."""
    key = object_name(scope, reference)
    found = world.get("Target", namespace, key)
    if found is None:
        hint = _hint(reference, [one for one in world.names("Target", namespace) if not scope])
        if not hint and key != reference.lstrip("#"):
            hint = f" (the target {reference} of scope {scope or 'root'})"
        raise InstallationError("target-not-found", not_found("Target", key) + hint, path)
    return found


def template_target(target: Object) -> Object:
    """Return a Target as templates see it: as the API server returns it, without annotations of tools."""
    metadata = {
        key: value for key, value in mapping(target.get("metadata")).items() if value not in ({}, None)
    }
    annotations = mapping(metadata.get("annotations"))
    kept = {key: value for key, value in annotations.items() if not is_tool_key(key)}
    if len(kept) != len(annotations):
        metadata["annotations"] = kept
        if not kept:
            del metadata["annotations"]
    metadata.setdefault("creationTimestamp", None)
    return {**target, "metadata": metadata}


def _hint(name: str, known: list[str]) -> str:
    found = nearest(name, known)
    return proposal(name, known) if found != name else ""
