"""Check objects by the schemas of CustomResourceDefinitions as an API server does: schema, then CEL rules.

Source: apiextensions-apiserver, pkg/apiserver/validation, pkg/apiserver/schema/objectmeta and
pkg/apiserver/schema/listtype, and pkg/registry/customresource (the scale subresource). Metadata and status
are not checked: a create drops them. A create also drops undeclared fields, which a server-side apply
refuses; `undeclared` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.kube.fielderror import FieldError, child, duplicate, index, invalid, key, required
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.fields import find, mapping, sequence
from krmkit.libraries.schema.kubernetes.pruning import undeclared_fields
from krmkit.libraries.schema.kubernetes.published import PublishedCrds
from krmkit.libraries.schema.kubernetes.rules import RuleSet
from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import Schema, fill_defaults, read_schema

_OWN = ("apiVersion", "kind", "metadata", "status")
_UNIQUE = ("set", "map")  # types of lists without duplicates
_MOST_KNOWN = 1024  # values whose errors are kept


class _Known:
    """Compiled rules by schema name, and cached results, because Clusters of one class have equal values."""

    def __init__(self) -> None:
        self.rules: dict[str, RuleSet] = {}
        self._answers: dict[tuple[str, ...], Any] = {}

    def once(self, check: Callable[..., Any], schema: Schema, data: Mapping[str, Any], *words: str) -> Any:
        """Return `check(schema, data, *words)`, cached, for the part of the data that a create keeps."""
        value = {name: inner for name, inner in data.items() if name not in _OWN}
        mark = (check.__name__, _name(data), repr(value), *words)
        if mark not in self._answers:
            if len(self._answers) >= _MOST_KNOWN:
                self._answers.clear()
            self._answers[mark] = check(schema, value, *words)
        return self._answers[mark]


class PublishedSchemas:
    """The schemas of published CRDs, each read on first use. `known` is their cache."""

    def __init__(self, crds: PublishedCrds) -> None:
        self._crds = crds
        self._ready: dict[str, Schema | None] = {}
        self.known = _Known()

    def schema(self, name: str) -> Schema | None:
        """Return the schema of `<apiVersion>/<kind>`; None if there is none."""
        if name not in self._ready:
            self._ready[name] = _read(self._crds.data(name))
        return self._ready[name]


class CrdSchemas:
    """Schemas by group, version and kind; those of `crds` override the published ones.

    >>> schema = {"properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    >>> version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    >>> crd = {"spec": {"group": "a.b", "names": {"kind": "T"}, "versions": [version]}}
    >>> wrong = {"apiVersion": "a.b/v1", "kind": "T", "spec": {"size": "x"}}
    >>> [str(error) for error in CrdSchemas([crd]).errors(wrong)]
    ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"']
    """

    def __init__(
        self,
        crds: Iterable[Mapping[str, Any]],
        published: PublishedSchemas | None = None,
        replicas: Iterable[str] = (),
    ) -> None:
        """replicas: `<apiVersion>/<kind>` of published kinds that scale by `spec.replicas`."""
        self._data: dict[str, object] = {}
        self._replicas = dict.fromkeys(replicas, "spec.replicas")
        self._ready: dict[str, Schema | None] = {}
        self._own = _Known()
        self._environment: KubeEnvironment | None = None
        self._published = published
        for crd in crds:
            self._data.update(_schemas_of(crd))
            self._replicas.update(_replicas_of(crd))

    def knows(self, data: Mapping[str, Any]) -> bool:
        """Return True if there is a schema for the object's apiVersion and kind."""
        return self._schema(_name(data)) is not None

    def errors(self, data: Mapping[str, Any]) -> list[FieldError]:
        """Return the errors for which an API server refuses the object; [] without a schema."""
        name = _name(data)
        schema = self._schema(name)
        if schema is None:
            return []
        return list(self._known(name).once(self._errors, schema, data, name, self._replicas.get(name, "")))

    def _errors(self, schema: Schema, data: dict[str, Any], name: str, path: str) -> list[FieldError]:
        value = _without_nulls(schema, fill_defaults(schema, data))
        errors = validate_value(schema, value, "")
        errors += _embedded(schema, value, "")
        errors += _duplicates(schema, value, "")
        count = find(value, path.split(".")) if path else None
        if type(count) is int and count < 0:
            errors.append(invalid(path, count, "should be a non-negative integer"))
        # The server runs rules on values that fit their types only.
        if not errors and _reaches_rule(schema, value):
            errors = self._rules(name, schema).evaluate(schema, value, None, "")
        return errors

    def undeclared(self, data: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the paths of undeclared fields, each with the names that are declared there."""
        name = _name(data)
        schema = self._schema(name)
        if schema is None:
            return {}
        return dict(self._known(name).once(undeclared_fields, schema, data))

    def _schema(self, name: str) -> Schema | None:
        if name not in self._ready:
            if name in self._data or self._published is None:
                self._ready[name] = _read(self._data.get(name))
            else:
                self._ready[name] = self._published.schema(name)
        return self._ready[name]

    def _known(self, name: str) -> _Known:
        return self._own if self._published is None or name in self._data else self._published.known

    def _rules(self, name: str, schema: Schema) -> RuleSet:
        compiled = self._known(name).rules
        if name not in compiled:
            self._environment = self._environment or KubeEnvironment()
            compiled[name] = RuleSet(schema, self._environment)
        return compiled[name]


def _name(data: Mapping[str, Any]) -> str:
    return f"{data.get('apiVersion', '')}/{data.get('kind', '')}"


def _read(data: object) -> Schema | None:
    """Return the schema of plain data; None if absent, or if a server would refuse the CRD because of it."""
    try:
        schema = None if data is None else read_schema(data)
    except SchemaError:
        return None
    if schema is not None:
        schema.type = schema.type or "object"
    return schema


def _schemas_of(crd: Mapping[str, Any]) -> dict[str, object]:
    """Return the schemas of a CRD by apiVersion and kind, without versions that have none."""
    spec = mapping(crd, "spec")
    kind = find(spec, ("names", "kind"))
    found: dict[str, object] = {}
    for version in sequence(spec.get("versions")):
        data = find(version, ("schema", "openAPIV3Schema"))
        if isinstance(data, dict):
            inner = {name: one for name, one in mapping(data, "properties").items() if name not in _OWN}
            needed = data.get("required") or []
            if isinstance(needed, list):
                needed = [one for one in needed if one not in _OWN]
            found[f"{spec.get('group', '')}/{version.get('name', '')}/{kind}"] = {
                **data,
                "properties": inner,
                "required": needed,
            }
    return found


def _replicas_of(crd: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (apiVersion and kind, path of the replicas) of a CRD's scale subresources."""
    for version in sequence(find(crd, ("spec", "versions"))):
        path = find(version, ("subresources", "scale", "specReplicasPath"))
        if isinstance(path, str):
            group, kind = find(crd, ("spec", "group")), find(crd, ("spec", "names", "kind"))
            yield f"{group}/{version.get('name', '')}/{kind}", path.removeprefix(".")


def _reaches_rule(schema: Schema, value: object) -> bool:
    """Return True if a rule applies to a part of the value; else no rule library is loaded."""
    return any(inner.rules for inner, _, _ in _nodes(schema, value, ""))


def _nodes(schema: Schema, value: object, path: str) -> Iterator[tuple[Schema, object, str]]:
    yield schema, value, path
    for inner, one, place in _parts(schema, value, path):
        yield from _nodes(inner, one, place)


def _parts(schema: Schema, value: object, path: str) -> Iterator[tuple[Schema, object, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            known = schema.properties.get(name)
            if known is not None:
                yield known, inner, child(path, name)
            elif schema.additional is not None:
                yield schema.additional, inner, key(path, name)
    elif isinstance(value, list) and schema.items is not None:
        for position, inner in enumerate(value):
            yield schema.items, inner, index(path, position)


def _without_nulls(schema: Schema, value: object) -> object:
    """Return the value without nulls where the schema forbids null: the server drops them.

    Source: apiextensions-apiserver, pkg/apiserver/schema/defaulting/prunenulls.go. Items of lists stay.
    """
    if isinstance(value, dict):
        kept = {}
        for name, inner in value.items():
            known = schema.properties.get(name, schema.additional)
            if known is None:
                kept[name] = inner
            elif inner is not None or known.nullable:
                kept[name] = _without_nulls(known, inner)
        return kept
    if isinstance(value, list) and schema.items is not None:
        return [_without_nulls(schema.items, inner) for inner in value]
    return value


def _embedded(schema: Schema, value: object, path: str) -> list[FieldError]:
    """Return the errors of embedded resources, which need apiVersion and kind."""
    return [
        required(child(place, name), "must not be empty")
        for inner, one, place in _nodes(schema, value, path)
        if inner.embedded_resource and isinstance(one, dict)
        for name in ("apiVersion", "kind")
        if not one.get(name)
    ]


def _duplicates(schema: Schema, value: object, path: str) -> list[FieldError]:
    """Return the errors of sets and maps, whose items or item keys must be unique."""
    found: list[FieldError] = []
    for inner, one, place in _nodes(schema, value, path):
        seen: set[str] = set()
        for position, item in enumerate(one if isinstance(one, list) and inner.list_type in _UNIQUE else ()):
            entry = _entry(inner, item)
            try:
                text = must_to_json(entry)
            except GoInputError:
                continue  # NaN and infinity: no client can send them
            if entry is not None and text in seen:
                found.append(duplicate(index(place, position), entry))
            seen.add(text)
    return found


def _entry(schema: Schema, item: object) -> object:
    """Return the identity of an item of a set or map; None for an invalid item, which other checks report."""
    if schema.list_type == "set":
        return item
    if not isinstance(item, dict):
        return None
    return {name: item[name] for name in schema.list_map_keys if name in item} or None
