"""Build the types of Cluster and ClusterClass from the schemas of the CRDs and the facts in gotypes.json.

gotypes.json has, for each version, what only Go's types say: the `names` of structs by `Owner.field` (others
are called like their owner and field), the `pointers`, the fields whose zero value is `omitted`, those whose
values are `free` as the webhook judges them, and where fields of the other version `moved`.
Source: api/core/v1beta1 and api/core/v1beta2, cluster_types.go and clusterclass_types.go.
"""

from __future__ import annotations

import json
from functools import cache
from pkgutil import get_data
from typing import Any

from krmkit.libraries.go.time.durations import parse_duration
from krmkit.libraries.json import Object
from krmkit.libraries.schema.kubernetes.published import PublishedCrds
from krmkit.systems.clusterapi.api import decode
from krmkit.systems.clusterapi.api.labels import GROUP
from krmkit.systems.clusterapi.api.times import check_time

_PLACE = "krmkit.systems.clusterapi.api"
PUBLISHED = PublishedCrds(lambda: get_data(_PLACE, "publishedcrds.json") or b"")
_OLD = PublishedCrds(lambda: get_data(_PLACE, "v1beta1crds.json") or b"")
_FORMATS = {
    "date-time": decode.ParsedText("metav1.Time", check_time),
    "duration": decode.ParsedText("metav1.Duration", parse_duration),
}
_STRINGS = decode.Map(decode.Text())
_METADATA = decode.Struct(
    "ObjectMeta",
    {
        "name": decode.Text(),
        "namespace": decode.Text(),
        "uid": decode.Text(),
        "labels": _STRINGS,
        "annotations": _STRINGS,
    },
    open=True,
    package="v1",
)
_SCHEMA = "JSONSchemaProps"


@cache
def type_of(kind: str, version: str = "v1beta2") -> decode.Struct:
    """Return the type of a Cluster or ClusterClass.

    >>> list(type_of("Cluster").fields["spec"].fields)[:3]
    ['paused', 'clusterNetwork', 'controlPlaneEndpoint']
    """
    schema = (_OLD if version == "v1beta1" else PUBLISHED).data(f"{GROUP}/{version}/{kind}")
    reader = _Reader(version)
    return decode.Struct(
        kind,
        {
            "apiVersion": decode.Text(),
            "kind": decode.Text(),
            "metadata": _METADATA,
            "spec": reader.struct(schema["properties"]["spec"], kind, "spec"),
            "status": reader.named(f"{kind}Status", {}, open=True),
        },
        package=version,
    )


def part_of(kind: str, *path: str) -> decode.Struct:
    """Return the v1beta2 struct at a path of a type; a path through a list leads to its items.

    >>> part_of("ClusterClass", "spec", "patches", "external").name
    'ExternalPatchDefinition'
    """
    found: Any = type_of(kind)
    for name in path:
        found = found.fields[name]
        found = found.of if isinstance(found, decode.List) else found
    assert isinstance(found, decode.Struct)
    return found


@cache
def _facts() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(get_data(_PLACE, "gotypes.json") or b"{}")
    return found


class _Reader:
    """Reads the types of a version."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._facts = _facts()[version]

    def named(self, name: str, fields: dict[str, decode.Type], open: bool = False) -> decode.Struct:
        pointer = name in self._facts["pointers"]
        package = "v1" if name == "ObjectReference" else self._version
        return decode.Struct(name, fields, pointer, open, self._facts["moved"].get(name), package)

    def struct(self, schema: Object, owner: str, field: str) -> decode.Struct:
        name = self._facts["names"].get(f"{owner}.{field}", owner + field[:1].upper() + field[1:])
        properties = schema["properties"].items()
        made = self.named(name, {one: self._type(inner, name, one) for one, inner in properties})
        if name == _SCHEMA:  # CRDs cannot say that a schema holds schemas, and leave these fields open.
            made.fields.update(
                example=decode.RAW, default=decode.RAW, properties=decode.Map(made), allOf=decode.List(made)
            )
            made.fields.update(
                dict.fromkeys(("items", "additionalProperties", "not"), made),
                oneOf=decode.List(made),
                anyOf=decode.List(made),
            )
        return made

    def _type(self, schema: Object, owner: str, field: str) -> decode.Type:
        place = f"{owner}.{field}"
        match schema.get("type"):
            case "object" if "properties" in schema:
                return self.struct(schema, owner, field)
            case "object":
                return decode.Map(self._type(schema["additionalProperties"], owner, field))
            case "array":
                return decode.List(self._type(schema["items"], owner, field))
            case "boolean":
                return decode.Bool(false=place not in self._facts["omitted"])
            case "integer":
                return decode.Number(int(schema["format"][3:]), zero=place not in self._facts["omitted"])
            case "string" if "format" in schema:
                return _FORMATS[schema["format"]]
            case "string":
                values = () if place in self._facts["free"] else schema.get("enum", ())
                return decode.Text(pointer=place in self._facts["pointers"], values=tuple(values))
        return decode.INT_OR_STRING if "x-kubernetes-int-or-string" in schema else decode.RAW
