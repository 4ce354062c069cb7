"""The CEL type and value of `self` in a rule, from a schema and a value.

Source: k8s.io/apiserver, pkg/cel/common/{schemas,values}.go and pkg/cel/escaping.go.

In an object, a list or map whose elements are lists or maps is dynamic: the checker learns types as protocol
buffers, which have no such field. Rules on such a list itself are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from krmkit.libraries.go.net.addresses import duration_of
from krmkit.libraries.go.time.durations import SECOND
from krmkit.libraries.schema.kubernetes.formats import is_date, is_date_time
from krmkit.libraries.schema.openapi import Schema

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto

PACKAGE = "schema"
_RESERVED = frozenset(
    "true false null in as break const continue else for function if import let loop package namespace return var void while".split()
)
_TEXTS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
_WELL_KNOWN = {
    "dyn": "google.protobuf.Value",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
}
_SCALARS = {"integer": "int", "number": "double", "boolean": "bool"}
_FIELD_TYPES = {"int": "INT64", "double": "DOUBLE", "bool": "BOOL", "string": "STRING", "bytes": "BYTES"}


def escaped(name: str) -> str | None:
    """Return a property's name in rules: `a.b` is `a__dot__b`; None for a name that no rule can write."""
    if name in _RESERVED:
        return f"__{name}__"
    found = (
        name.replace("__", "\0")
        .replace(".", "__dot__")
        .replace("-", "__dash__")
        .replace("/", "__slash__")
        .replace("\0", "__underscores__")
    )
    return found if found.isascii() and found.isidentifier() else None


class RuleTypes:
    """The CEL types of a schema and everything below it, as messages in a descriptor pool."""

    def __init__(self, schema: Schema) -> None:
        from google.protobuf import descriptor_pb2, descriptor_pool, duration_pb2, struct_pb2, timestamp_pb2

        known = [module.DESCRIPTOR for module in (struct_pb2, timestamp_pb2, duration_pb2)]
        self._kinds = descriptor_pb2.FieldDescriptorProto
        self._file = descriptor_pb2.FileDescriptorProto(
            name="schema.proto", package=PACKAGE, syntax="proto2", dependency=[file.name for file in known]
        )
        self._names: dict[int, str] = {}
        self._collect(schema)
        self.pool = descriptor_pool.DescriptorPool()
        for file in known:
            self.pool.AddSerializedFile(file.serialized_pb)
        self.pool.AddSerializedFile(self._file.SerializeToString())

    def type_of(self, schema: Schema) -> str | None:
        """Return the CEL type as text, such as `list(int)`; None for a schema hidden from rules."""
        if schema.int_or_string:
            return "dyn"
        if schema.type == "array":
            inner = self.type_of(schema.items) if schema.items is not None else None
            return f"list({inner})" if inner is not None else None
        if schema.type == "object":
            if schema.additional is not None:
                inner = self.type_of(schema.additional)
                return f"map(string, {inner})" if inner is not None else None
            return self._names[id(schema)]
        if schema.type == "string":
            return _TEXTS.get(schema.format, "string")
        return _SCALARS.get(schema.type)

    def _collect(self, schema: Schema) -> None:
        for inner in (schema.items, schema.additional, *schema.properties.values()):
            if inner is not None:
                self._collect(inner)
        if schema.type != "object" or schema.additional is not None or schema.int_or_string:
            return
        name = f"Object{len(self._names)}"
        self._names[id(schema)] = f"{PACKAGE}.{name}"
        message = self._file.message_type.add(name=name)
        # Names such as a_b and aB would clash in JSON, but these messages are never written as JSON.
        message.options.deprecated_legacy_json_field_conflicts = True
        taken = set(map(escaped, schema.properties))
        for number, (key, inner) in enumerate(schema.properties.items(), 1):
            field = escaped(key)
            kind = self.type_of(inner)
            # Numbers from 19000 to 19999 are reserved.
            number = number if number < 19000 else number + 1000
            if field is not None and kind is not None:
                self._field(message, field, number, kind, taken)

    def _field(
        self, message: DescriptorProto, name: str, number: int, kind: str, taken: set[str | None]
    ) -> None:
        if kind.startswith("map(string, "):
            inner = kind.removeprefix("map(string, ").removesuffix(")")
            entry_name = _entry_name(name)
            if "(" not in inner and entry_name not in taken:
                taken.add(entry_name)
                entry = message.nested_type.add(name=entry_name)
                entry.options.map_entry = True
                self._plain(entry, "key", 1, "string", repeated=False)
                self._plain(entry, "value", 2, inner, repeated=False)
                field = message.field.add(name=name, number=number, json_name=f"field{number}")
                field.label = self._kinds.LABEL_REPEATED
                field.type = self._kinds.TYPE_MESSAGE
                field.type_name = f".{PACKAGE}.{message.name}.{entry.name}"
                return
            kind = "dyn"
        repeated = kind.startswith("list(")
        if repeated:
            kind = kind.removeprefix("list(").removesuffix(")")
        if "(" in kind:
            kind, repeated = "dyn", False
        self._plain(message, name, number, kind, repeated=repeated)

    def _plain(self, message: DescriptorProto, name: str, number: int, kind: str, *, repeated: bool) -> None:
        kinds = self._kinds
        field = message.field.add(name=name, number=number, json_name=f"field{number}")
        field.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
        if kind in _FIELD_TYPES:
            field.type = getattr(kinds, f"TYPE_{_FIELD_TYPES[kind]}")
        else:
            field.type = kinds.TYPE_MESSAGE
            field.type_name = "." + _WELL_KNOWN.get(kind, kind)


def _entry_name(field: str) -> str:
    """Return the entry type that protocol buffers require for a map field: MyMapEntry for `my_map`."""
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


def cel_value(schema: Schema, value: object) -> object:
    """Return a value as rules see it: numbers are doubles, dates timestamps, names escaped."""
    if schema.int_or_string:
        return value
    if schema.type == "object" and isinstance(value, dict):
        if schema.properties:
            found: dict[str, object] = {}
            for key, known in schema.properties.items():
                name = escaped(key)
                if name is not None and value.get(key) is not None:
                    found[name] = cel_value(known, value[key])
            return found
        if schema.additional is not None:
            return {key: cel_value(schema.additional, inner) for key, inner in value.items()}
        return {}
    if schema.type == "array" and isinstance(value, list) and schema.items is not None:
        return [cel_value(schema.items, inner) for inner in value]
    if schema.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if schema.type == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if schema.type == "string" and isinstance(value, str):
        return _text_value(schema.format, value)
    return value


def _text_value(format_: str, text: str) -> object:
    """Return bytes, a duration or a time; a text that does not match its format stays a text."""
    if format_ == "byte":
        from base64 import b64decode

        return b64decode(text)
    if format_ == "duration":
        from google.protobuf.duration_pb2 import Duration

        nanoseconds = duration_of(text)
        if nanoseconds is not None:
            seconds, rest = divmod(abs(nanoseconds), SECOND)
            sign = -1 if nanoseconds < 0 else 1
            return Duration(seconds=sign * seconds, nanos=sign * rest)
    if (format_ == "date" and is_date(text)) or (format_ == "date-time" and is_date_time(text)):
        from google.protobuf.timestamp_pb2 import Timestamp

        time = Timestamp()
        time.FromJsonString(text.upper() if format_ == "date-time" else f"{text}T00:00:00Z")
        return time
    return text
