"""Validate a value against a schema, with kube-openapi's texts and paths.

Source: k8s.io/kube-openapi, pkg/validation/validate, and apiextensions-apiserver, pkg/apiserver/validation.

>>> from krmkit.libraries.schema.openapi import read_schema
>>> [str(error) for error in validate_value(read_schema({"type": "integer"}), "a", "spec.cpu")]
['spec.cpu: Invalid value: "string":  in body must be of type integer: "string"']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from krmkit.libraries.go.fmt.printing import format_float, quote
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.kube import fielderror
from krmkit.libraries.kube.fielderror import FieldError, invalid
from krmkit.libraries.schema.kubernetes.formats import known_format, valid_format
from krmkit.libraries.schema.openapi import Schema
from krmkit.libraries.schema.walk import SchemaWalk, kind_of

_INT64 = 1 << 63
_INT32 = 1 << 31
_INTEGERS = ("int32", "int64")
"""Formats that bound numbers and a schema's own limits: no int32 fits a minimum of 4294967295."""


def validate_value(
    schema: Schema, value: object, path: str, *, all_formats: bool = False
) -> list[FieldError]:
    """Return the errors of a value whose root is at `path`.

    With `all_formats`, formats that Kubernetes does not support are refused, as in the check of defaults.
    """
    walk = _Values(path, all_formats)
    walk.check(schema, value, "")
    return list(walk.found.values())


class _Values(SchemaWalk):
    """The walk with kube-openapi's texts. Texts call the root "", FieldErrors use its path `root`.

    `found` has the errors by text, so that equal texts are reported once.
    """

    def __init__(self, root: str, all_formats: bool) -> None:
        super().__init__()
        self.root = root
        self.all_formats = all_formats
        self.found: dict[str, FieldError] = {}

    def add(self, path: str, text: str, value: object) -> None:
        detail = f"{path} in body {text}"
        self.found.setdefault(detail, invalid(self.at(path), value, detail))

    def add_plain(self, detail: str) -> None:
        """Add a problem without a path, reported at the root of the value."""
        self.found.setdefault(detail, invalid(self.root, "", detail))

    def at(self, path: str) -> str:
        return self.root if path in ("", ".") else fielderror.child(self.root, path.removeprefix("."))

    def merge(self, other: _Values) -> None:
        for detail, error in other.found.items():
            self.found.setdefault(detail, error)
        self.matches += other.matches

    def place(self, path: str, name: str, named: bool = True) -> str:
        return f"{path}.{name}" if path or not named else name

    def format(self, name: str) -> str:
        return name if self.all_formats or name in _INTEGERS or known_format(name) else ""

    def wrong_type(self, schema: Schema, format_: str, value: object, path: str) -> bool:
        wanted, found = schema.type, "null" if value is None else kind_of(value)
        if format_ and isinstance(value, str | list):
            if wanted not in ("number", "integer"):
                return False
        elif format_:
            # The formats of Go's own types of numbers.
            found_format = {"integer": "int64", "number": "float64"}.get(found, "")
            if found_format != format_:
                wanted, found = format_, found_format
            elif not wanted:
                return False
        self._wrong_type(path, wanted, found)
        return True

    def _wrong_type(self, path: str, wanted: str, found: str) -> None:
        detail = f"{path} in body must be of type {wanted}: {quote(found)}"
        self.found.setdefault(detail, fielderror.type_invalid(self.at(path), found, detail))

    def check_text(self, schema: Schema, format_: str, value: str, path: str) -> None:
        super().check_text(schema, format_, value, path)
        if format_ and known_format(format_):
            if not valid_format(format_, value):
                self._wrong_type(path, format_, value)
            self.matches += 1

    def check_number(self, schema: Schema, format_: str, value: float, path: str) -> None:
        problem = _out_of_range(schema.type, format_, value)
        if problem:
            self.add_plain(f"Checked value must be of type {problem} in {path}")
        if schema.multiple_of is not None and not _is_multiple(value, schema.multiple_of):
            shown = format_float(schema.multiple_of)
            self.add(path, f"should be a multiple of {shown}", value)
        super().check_number(schema, format_, value, path)

    def bound(self, schema: Schema, format_: str, limit: float, side: int, value: float, path: str) -> float:
        problem = _out_of_range(schema.type, format_, limit)
        if problem:
            name = "Minimum" if side > 0 else "Maximum"
            self.add_plain(f"{name} boundary value must be of type {problem} in {path}")
            return limit
        return int(limit) if isinstance(value, int) else limit

    def check_list(self, schema: Schema, value: list[object], path: str) -> None:
        super().check_list(schema, value, path)
        if schema.unique_items and len({_identity(item) for item in value}) < len(value):
            self.add(path, "shouldn't contain duplicates", "")

    def same(self, value: object, allowed: object) -> bool:
        """Return True for equal values, also after Go's conversion between kinds of numbers."""
        if isinstance(value, int | float) and isinstance(allowed, int | float):
            if isinstance(value, bool) or isinstance(allowed, bool):
                return value is allowed
            return int(value) == allowed if isinstance(allowed, int) else float(value) == allowed
        return _identity(value) == _identity(allowed)

    def check_object(self, schema: Schema, value: dict[str, object], path: str) -> None:
        size = len(value)
        if schema.min_properties is not None and size < schema.min_properties:
            self._wrong_count(size, "properties", path, schema.min_properties, 1)
        elif schema.max_properties is not None and size > schema.max_properties:
            self._wrong_count(size, "properties", path, schema.max_properties, -1)
        else:
            super().check_object(schema, value, path)

    def _wrong_count(self, size: int, what: str, path: str, limit: int, side: int) -> None:
        if side > 0:
            self.add(path, f"should have at least {limit} {what}", size)
        else:
            detail = f"{path} in body should have at most {limit} {what}"
            self.found.setdefault(detail, fielderror.too_many(self.at(path), size, limit))

    def report(self, rule: str, schema: Schema, value: Any, path: str, *facts: Any) -> None:
        if rule == "enum":
            allowed = [item if isinstance(item, str) else must_to_json(item) for item in schema.enum]
            error = fielderror.not_supported(self.at(path), value, allowed)
            self.found.setdefault(f"{path} in body should be one of", error)
        elif rule == "unknown":
            detail = f"{path}.{value} in body is a forbidden property"
            self.found.setdefault(detail, invalid(self.at(path), value, detail))
        elif rule == "required":
            place = f"{path}.{value}"
            self.found.setdefault(f"{place} in body is required", fielderror.required(self.at(place)))
        elif rule == "pattern":
            self.add(path, f"should match '{facts[0]}'", value)
        elif rule == "bound":
            bound, exclusive, side = facts
            words = ("greater" if side > 0 else "less") + (" than" if exclusive else " than or equal to")
            shown = str(bound) if isinstance(bound, int) else format_float(bound)
            self.add(path, f"should be {words} {shown}", value)
        elif not isinstance(value, str):
            self._wrong_count(len(value), "items", path, *facts)
        elif facts[1] > 0:
            self.add(path, f"should be at least {facts[0]} chars long", value)
        else:
            detail = f"{path} in body should be at most {facts[0]} chars long"
            self.found.setdefault(detail, fielderror.too_long(self.at(path), facts[0]))

    def check_junctors(self, schema: Schema, value: object, path: str) -> None:
        if schema.any_of:
            tried, valid, best = self._try(schema.any_of, value, path, first=True)
            if valid:
                self.merge(valid[0])
            else:
                self.add_plain(f"{quote(path)} must validate at least one schema (anyOf)")
                self.merge(best)
        if schema.one_of:
            tried, valid, best = self._try(schema.one_of, value, path)
            if len(valid) == 1:
                self.merge(valid[0])
            else:
                found = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
                self.add_plain(f"{quote(path)} must validate one and only one schema (oneOf). {found}")
                if not valid:
                    self.merge(best)
        if schema.all_of:
            tried, valid, _ = self._try(schema.all_of, value, path)
            for inner in tried:
                self.merge(inner)
            if len(valid) < len(tried):
                more = "" if valid else ". None validated"
                self.add_plain(f"{quote(path)} must validate all the schemas (allOf){more}")
        if schema.not_ is not None and self._try([schema.not_], value, path)[1]:
            self.add_plain(f"{quote(path)} must not validate the schema (not)")

    def _try(
        self, schemas: Sequence[Schema], value: object, path: str, *, first: bool = False
    ) -> tuple[list[_Values], list[_Values], _Values]:
        """Return the walks by each schema, those without errors (with `first`, at most one), and the best."""
        tried: list[_Values] = []
        for schema in schemas:
            inner = _Values(self.root, self.all_formats)
            inner.check(schema, value, path)
            tried.append(inner)
            if first and not inner.found:
                break
        best = max(tried, key=lambda inner: inner.matches)
        return tried, [inner for inner in tried if not inner.found], best


def _out_of_range(type_: str, format_: str, value: float) -> str:
    """Return the range of the type and format if the number is outside of it, else ""."""
    if type_ != "integer":
        return ""
    whole = isinstance(value, int) or value.is_integer()
    limit = _INT32 if format_ == "int32" else _INT64
    if whole and -limit <= value < limit:
        return ""
    return f"integer with format {format_}" if format_ else "integer (default format)"


def _is_multiple(value: float, factor: float) -> bool:
    if isinstance(value, int) and factor.is_integer() and factor:
        return value % int(factor) == 0
    return bool(factor) and (value / factor).is_integer()


def _identity(value: object) -> object:
    """Return a key that is equal for values that reflect.DeepEqual calls equal; 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return (dict, frozenset((name, _identity(inner)) for name, inner in value.items()))
    if isinstance(value, list):
        return (list, tuple(map(_identity, value)))
    return (type(value), value)
