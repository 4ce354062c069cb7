"""Default the Clusters of a package as the webhook does, as edits of their text.

Only added and changed values are written; all others keep their lines and comments. Causes are recorded for
all values that are defaults of the class, written now or by an earlier defaulting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.krm.cause import Cause, CauseLog, PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.schema.openapi import Schema, fill_defaults
from krmkit.systems.clusterapi.desired.package import Class, DecodedObject, TopologyPackage, default_cluster
from krmkit.systems.clusterapi.variables.definitions import Definitions
from krmkit.systems.clusterapi.webhooks.cluster import class_key
from krmkit.systems.clusterapi.webhooks.compatibility import WORKER_KINDS, topology_of, workers_of
from krmkit.systems.clusterapi.webhooks.repairs import meant

_TOPOLOGY: Path = ("spec", "topology")


def default_package(package: TopologyPackage, causes: CauseLog | None = None) -> list[Finding]:
    """Default the Clusters in their items; return findings. causes: records the defaults."""
    found = list(package.findings)
    for decoded in package.clusters:
        found += decoded.findings()
        if decoded.usable and topology_of(decoded.data):
            found += _default(package, decoded, causes)
    for key, owner in package.classes.items():
        if any(class_key(one.data) == key for one in package.clusters if one.usable):
            found += owner.decoded.findings()
    return found


def _default(package: TopologyPackage, decoded: DecodedObject, causes: CauseLog | None) -> list[Finding]:
    owner = package.class_of(decoded.data)
    found = []
    if owner is None and class_key(decoded.data)[1]:
        name = "/".join(class_key(decoded.data))
        message = f"ClusterClass {name} is not among the items, so the variables are not defaulted"
        message += package.near_class(decoded.data)
        found.append(decoded.finding("missing-class", message, "spec.topology"))
    elif owner is not None and owner.definitions is None:
        message = f"the variables are not defaulted: {owner.problem}"
        found.append(decoded.finding("unknown-variables", message, "spec.topology.variables"))
    defaulted, errors = default_cluster(decoded.data, owner, package.previous(decoded))
    if errors:
        data, by = (owner.data, owner.decoded) if owner is not None else (None, None)
        return found + [decoded.error("invalid-variable", error, meant(error, data), by) for error in errors]
    resource = decoded.item.resource
    assert resource is not None
    for path in _write(resource, decoded.data, defaulted):
        field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
        found.append(decoded.finding("defaulted", "the value is set", field))
        if causes is not None and path == (*_TOPOLOGY, "version"):
            from krmkit.krm.cause import Cause

            causes.set(resource, path, Cause("default", str(path[-1])))
    if causes is not None and owner is not None:
        _record(causes.of(resource), owner, topology_of(defaulted))
    return found


def _record(paths: PathCauses, owner: Class, topology: Object) -> None:
    """Record the variable values that are defaults of the class."""
    from krmkit.systems.clusterapi.packages.defaulting import DefaultCauses

    if owner.definitions is None:
        return
    declared = find(owner.data, ("spec", "variables"))
    defaults = DefaultCauses(paths, owner.definitions, declared, owner.decoded.item.resource)
    defaults.record((*_TOPOLOGY, "variables"), topology.get("variables") or [], True)
    entries: list[tuple[Path, Object]] = [((*_TOPOLOGY, "controlPlane"), mapping(topology, "controlPlane"))]
    for kind in WORKER_KINDS:
        entries += [
            ((*_TOPOLOGY, "workers", kind, number), worker)
            for number, worker in enumerate(workers_of(topology, kind))
        ]
    for path, entry in entries:
        overrides = _variables(entry).get("overrides") or []
        defaults.record((*path, "variables", "overrides"), overrides, False)


def _write(resource: Resource, before: Object, after: Object) -> list[Path]:
    """Edit the changed fields of the Cluster's item; return their paths."""
    old, new = topology_of(before), topology_of(after)
    changed: list[Path] = []
    if old.get("version") and new["version"] != old["version"]:
        _set(resource, (*_TOPOLOGY, "version"), new["version"], changed)
    _write_variables(resource, _TOPOLOGY, old, new, "variables", changed)
    plane = "controlPlane"
    path: Path = (*_TOPOLOGY, plane, "variables")
    _write_variables(
        resource, path, _variables(old.get(plane)), _variables(new.get(plane)), "overrides", changed
    )
    for kind in WORKER_KINDS:
        for position, pair in enumerate(zip(workers_of(old, kind), workers_of(new, kind), strict=True)):
            path = (*_TOPOLOGY, "workers", kind, position, "variables")
            _write_variables(resource, path, _variables(pair[0]), _variables(pair[1]), "overrides", changed)
    return changed


def _variables(holder: Object | None) -> Object:
    return mapping(holder, "variables")


def _write_variables(
    resource: Resource, path: Path, old: Object, new: Object, name: str, changed: list[Path]
) -> None:
    """Complete existing values and append missing ones. The order stays."""
    before, after = old.get(name) or [], new.get(name) or []
    path = (*path, name)
    for position, (one, other) in enumerate(zip(before, after, strict=False)):
        _complete(resource, (*path, position, "value"), one.get("value"), other.get("value"), changed)
    added = after[len(before) :]
    if not before and added:
        _set(resource, path, added, changed)
        return
    for position, variable in enumerate(added, len(before)):
        _set(resource, (*path, position), variable, changed)


def _complete(resource: Resource, path: Path, old: object, new: object, changed: list[Path]) -> None:
    """Write the fields that defaulting added inside a value; existing fields keep their text."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name, value in new.items():
            if old.get(name) is None:
                if value is not None:
                    _set(resource, (*path, name), value, changed)
            else:
                _complete(resource, (*path, name), old[name], value, changed)
    elif isinstance(old, list) and isinstance(new, list):
        for position, (one, other) in enumerate(zip(old, new, strict=True)):
            _complete(resource, (*path, position), one, other, changed)
    elif old is None and new is not None:
        _set(resource, path, new, changed)


def _set(resource: Resource, path: Path, value: object, changed: list[Path]) -> None:
    resource.set(path, value)
    changed.append(path)


class DefaultCauses:
    """Record defaults among a Cluster's variables. `declared`: spec.variables of the class `owner`."""

    def __init__(
        self, paths: PathCauses, definitions: Definitions, declared: object, owner: Resource | None
    ) -> None:
        self._paths = paths
        self._definitions = definitions
        self._owner = owner
        listed = declared if isinstance(declared, list) else []
        self._numbers = {
            one.get("name"): number for number, one in enumerate(listed) if isinstance(one, dict)
        }

    def record(self, path: Path, variables: list[Mapping[str, Any]], added: bool) -> None:
        """Record the variables at a path. added: defaulting may add whole variables there."""
        for number, variable in enumerate(variables):
            name = str(variable.get("name", ""))
            definition = self._definitions.by_name.get(name)
            if definition is None or definition.schema is None or "value" not in variable:
                continue
            place: Path = (*path, number) if added else (*path, number, "value")
            self._value(name, definition.schema, variable["value"], place, (*path, number, "value"), ())

    def _value(self, name: str, schema: Schema, value: object, whole: Path, path: Path, inner: Path) -> None:
        """Record a default, or the default parts of a value. inner: the path in the schema."""
        if schema.has_default and json_equal(value, fill_defaults(schema, schema.default)):
            number = self._numbers.get(name)
            field: Path = ()
            if number is not None:
                field = ("spec", "variables", number, "schema", "openAPIV3Schema", *inner, "default")
            self._paths.set(whole, Cause("default", name, self._owner if field else None, field))
            return
        if isinstance(value, dict):
            for key, part in value.items():
                child = schema.properties.get(key)
                below: Path = (*inner, "properties", key)
                if child is None:
                    child, below = schema.additional, (*inner, "additionalProperties")
                if child is not None:
                    self._value(name, child, part, (*path, key), (*path, key), below)
        elif isinstance(value, list) and schema.items is not None:
            for position, part in enumerate(value):
                place = (*path, position)
                self._value(name, schema.items, part, place, place, (*inner, "items"))
