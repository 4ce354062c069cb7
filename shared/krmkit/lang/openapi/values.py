"""Validates a value against a schema, with kube-openapi's texts, paths and order.

Source: k8s.io/kube-openapi, pkg/validation/validate, and apiextensions-apiserver, pkg/apiserver/validation.

>>> from krmkit.lang.openapi.schema import read_schema
>>> [str(error) for error in validate_value(read_schema({"type": "integer"}), "a", "spec.cpu")]
['spec.cpu: Invalid value: "string":  in body must be of type integer: "string"']
"""

from __future__ import annotations

from krmkit.lang import pattern
from krmkit.lang.fielderror import (
    FieldError,
    child,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from krmkit.lang.gotemplate.printing import format_float, quote
from krmkit.lang.openapi.formats import known_format, valid_format
from krmkit.lang.sprig.jsonfns import must_to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.lang.openapi.schema import Schema

_INT64 = 1 << 63
_INT32 = 1 << 31


class _Problem:
    """One error before it has its place: `path` is kube-openapi's name of the value, "" for the root."""

    __slots__ = ("detail", "kind", "limit", "path", "value")

    def __init__(self, kind: str, path: str, detail: str, value: object = "", limit: object = None) -> None:
        self.kind = kind
        self.path = path
        self.detail = detail
        self.value = value
        self.limit = limit


class _Outcome:
    """What a validation found. `matches` counts the checks that were made: of several alternatives that fail, the one with
    the most is reported.
    """

    __slots__ = ("matches", "problems", "seen")

    def __init__(self) -> None:
        self.problems: list[_Problem] = []
        self.seen: set[str] = set()
        self.matches = 0

    def add(self, problem: _Problem) -> None:
        """A problem whose text is known already is not added again."""
        if problem.detail not in self.seen:
            self.seen.add(problem.detail)
            self.problems.append(problem)

    def merge(self, other: _Outcome) -> None:
        for problem in other.problems:
            self.add(problem)
        self.matches += other.matches


def validate_value(
    schema: Schema, value: object, path: str, *, all_formats: bool = False
) -> list[FieldError]:
    """The errors of a value, with `path` as the place of its root; none if it is valid.

    Formats that Kubernetes does not support count only with `all_formats`, as in the check of defaults.
    """
    outcome = _Outcome()
    _validate(schema, value, "", outcome, all_formats)
    return [_field_error(path, problem) for problem in outcome.problems]


def _field_error(root: str, problem: _Problem) -> FieldError:
    path = root if problem.path in ("", ".") else child(root, problem.path.removeprefix("."))
    if problem.kind == "required":
        return required(path)
    if problem.kind == "enum":
        allowed = problem.limit if isinstance(problem.limit, list) else []
        return not_supported(
            path, problem.value, [item if isinstance(item, str) else must_to_json(item) for item in allowed]
        )
    if problem.kind == "long" and isinstance(problem.limit, int):
        return too_long(path, problem.limit)
    if problem.kind == "many" and isinstance(problem.limit, int) and isinstance(problem.value, int):
        return too_many(path, problem.value, problem.limit)
    if problem.kind == "type":
        return type_invalid(path, problem.value, problem.detail)
    return invalid(path, problem.value, problem.detail)


def _validate(schema: Schema, value: object, path: str, outcome: _Outcome, all_formats: bool) -> None:
    """One node: the checks in kube-openapi's order, each of which that applies counts as a match."""
    format_ = schema.format
    if format_ and not all_formats and not known_format(format_):
        format_ = ""
    if value is None:
        _check_null(schema, path, outcome)
        return
    if schema.type or format_:
        problem = _type_problem(schema, format_, value, path)
        if problem is None:
            outcome.matches += 1
        else:
            outcome.add(problem)
        outcome.matches += 1
    _check_junctors(schema, value, path, outcome, all_formats)
    outcome.matches += 2
    if isinstance(value, str):
        _check_text(schema, value, path, outcome)
        if format_ and known_format(format_):
            if not valid_format(format_, value):
                outcome.add(_type(path, format_, value))
            outcome.matches += 1
        outcome.matches += 1
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(schema, format_, value, path, outcome)
        outcome.matches += 2
    elif isinstance(value, list):
        _check_list(schema, value, path, outcome, all_formats)
        outcome.matches += 2
    _check_enum(schema, value, path, outcome)
    outcome.matches += 1
    if isinstance(value, dict):
        _check_object(schema, value, path, outcome, all_formats)
        outcome.matches += 1
    outcome.matches += 1


def _check_null(schema: Schema, path: str, outcome: _Outcome) -> None:
    if schema.type and not schema.nullable:
        outcome.add(_type(path, schema.type, "null"))
    else:
        outcome.matches += 1
    _check_enum(schema, None, path, outcome)


def _type(path: str, wanted: str, found: str) -> _Problem:
    return _Problem("type", path, f"{path} in body must be of type {wanted}: {quote(found)}", found)


def _type_problem(schema: Schema, format_: str, value: object, path: str) -> _Problem | None:
    found, found_format = _type_of(value)
    wanted = schema.type
    fits = (
        wanted == found
        or (wanted == "number" and found == "integer")
        or (wanted == "integer" and isinstance(value, float) and value.is_integer())
    )
    scalar = not isinstance(value, str | list)
    if scalar and format_ and not fits and found_format != format_:
        return _type(path, format_, found_format)
    if wanted not in ("number", "integer") and format_ and not scalar:
        return None
    return None if fits or (format_ and not wanted) else _type(path, wanted, found)


def _type_of(value: object) -> tuple[str, str]:
    """The type and the format that Go's type of the value stands for."""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, int):
        return "integer", "int64"
    if isinstance(value, float):
        return "number", "float64"
    if isinstance(value, str):
        return "string", ""
    return ("array", "") if isinstance(value, list) else ("object", "")


def _check_junctors(schema: Schema, value: object, path: str, outcome: _Outcome, all_formats: bool) -> None:
    if schema.any_of:
        _check_any_of(schema, value, path, outcome, all_formats)
    if schema.one_of:
        _check_one_of(schema, value, path, outcome, all_formats)
    if schema.all_of:
        tried = [_try(inner, value, path, all_formats) for inner in schema.all_of]
        for inner in tried:
            outcome.merge(inner)
        valid = sum(1 for inner in tried if not inner.problems)
        if valid < len(tried):
            more = "" if valid else ". None validated"
            outcome.add(_plain(f"{quote(path)} must validate all the schemas (allOf){more}"))
    if schema.not_ is not None and not _try(schema.not_, value, path, all_formats).problems:
        outcome.add(_plain(f"{quote(path)} must not validate the schema (not)"))


def _check_any_of(schema: Schema, value: object, path: str, outcome: _Outcome, all_formats: bool) -> None:
    best: _Outcome | None = None
    for inner in schema.any_of:
        tried = _try(inner, value, path, all_formats)
        if not tried.problems:
            outcome.merge(tried)
            return
        if best is None or tried.matches > best.matches:
            best = tried
    outcome.add(_plain(f"{quote(path)} must validate at least one schema (anyOf)"))
    if best is not None:
        outcome.merge(best)


def _check_one_of(schema: Schema, value: object, path: str, outcome: _Outcome, all_formats: bool) -> None:
    best: _Outcome | None = None
    valid: list[_Outcome] = []
    for inner in schema.one_of:
        tried = _try(inner, value, path, all_formats)
        if not tried.problems:
            valid.append(tried)
        elif best is None or tried.matches > best.matches:
            best = tried
    if len(valid) == 1:
        outcome.merge(valid[0])
        return
    found = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
    outcome.add(_plain(f"{quote(path)} must validate one and only one schema (oneOf). {found}"))
    if not valid and best is not None:
        outcome.merge(best)


def _try(schema: Schema, value: object, path: str, all_formats: bool) -> _Outcome:
    tried = _Outcome()
    _validate(schema, value, path, tried, all_formats)
    return tried


def _plain(detail: str) -> _Problem:
    """A problem that kube-openapi reports without a path: it stands at the root of the value."""
    return _Problem("invalid", "", detail)


def _check_text(schema: Schema, value: str, path: str, outcome: _Outcome) -> None:
    """Only the first of the three rules that a text breaks is reported."""
    if schema.max_length is not None and len(value) > schema.max_length:
        detail = f"{path} in body should be at most {schema.max_length} chars long"
        outcome.add(_Problem("long", path, detail, value, schema.max_length))
    elif schema.min_length is not None and len(value) < schema.min_length:
        detail = f"{path} in body should be at least {schema.min_length} chars long"
        outcome.add(_Problem("invalid", path, detail, value))
    elif schema.pattern:
        try:
            matches = pattern.compile(schema.pattern).search(value) is not None
            shown = schema.pattern
        except pattern.PatternError as error:
            matches, shown = False, f"{schema.pattern}, but pattern is invalid: {error}"
        if not matches:
            outcome.add(_Problem("invalid", path, f"{path} in body should match '{shown}'", value))


def _check_number(schema: Schema, format_: str, value: float, path: str, outcome: _Outcome) -> None:
    range_problem = _out_of_range(schema.type, format_, value)
    if range_problem:
        outcome.add(_plain(f"Checked value must be of type {range_problem} in {path}"))
    if schema.multiple_of is not None and not _is_multiple(value, schema.multiple_of):
        detail = f"{path} in body should be a multiple of {format_float(schema.multiple_of)}"
        outcome.add(_Problem("invalid", path, detail, value))
    for limit, exclusive, side, name in (
        (schema.minimum, schema.exclusive_minimum, 1, "Minimum"),
        (schema.maximum, schema.exclusive_maximum, -1, "Maximum"),
    ):
        if limit is None:
            continue
        bound: float = limit
        limit_problem = _out_of_range(schema.type, format_, limit)
        if limit_problem:
            outcome.add(_plain(f"{name} boundary value must be of type {limit_problem} in {path}"))
        elif isinstance(value, int):
            bound = int(limit)
        distance = (value - bound) * side
        if distance < 0 or (exclusive and distance == 0):
            words = "greater" if side > 0 else "less"
            words = f"{words} than" if exclusive else f"{words} than or equal to"
            shown = str(bound) if isinstance(bound, int) else format_float(bound)
            outcome.add(_Problem("invalid", path, f"{path} in body should be {words} {shown}", value))


def _out_of_range(type_: str, format_: str, value: float) -> str:
    """What a number would have to be where it does not fit its type and format, else ""."""
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


def _check_list(schema: Schema, value: list[object], path: str, outcome: _Outcome, all_formats: bool) -> None:
    if schema.items is not None:
        for position, item in enumerate(value):
            _validate(schema.items, item, f"{path}[{position}]", outcome, all_formats)
    size = len(value)
    if schema.min_items is not None and size < schema.min_items:
        detail = f"{path} in body should have at least {schema.min_items} items"
        outcome.add(_Problem("invalid", path, detail, size))
    if schema.max_items is not None and size > schema.max_items:
        detail = f"{path} in body should have at most {schema.max_items} items"
        outcome.add(_Problem("many", path, detail, size, schema.max_items))
    if schema.unique_items and len({_identity(item) for item in value}) < size:
        outcome.add(_Problem("invalid", path, f"{path} in body shouldn't contain duplicates"))


def _identity(value: object) -> object:
    """A key that is equal only for values that Go's reflect.DeepEqual takes for equal: 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return (dict, frozenset((name, _identity(inner)) for name, inner in value.items()))
    if isinstance(value, list):
        return (list, tuple(map(_identity, value)))
    return (type(value), value)


def _check_enum(schema: Schema, value: object, path: str, outcome: _Outcome) -> None:
    enum = schema.enum
    if not enum:
        return
    # Only a text can be compared with all at once: among numbers, Python takes True for 1.
    found = value in enum if isinstance(value, str) else any(_equals_enum(value, item) for item in enum)
    if not found:
        outcome.add(_Problem("enum", path, f"{path} in body should be one of", value, enum))


def _equals_enum(value: object, allowed: object) -> bool:
    """Equal, or equal after Go's conversion of one kind of number to the other."""
    if isinstance(value, int | float) and isinstance(allowed, int | float):
        if isinstance(value, bool) or isinstance(allowed, bool):
            return value is allowed
        return int(value) == allowed if isinstance(allowed, int) else float(value) == allowed
    return _identity(value) == _identity(allowed)


def _check_object(
    schema: Schema, value: dict[str, object], path: str, outcome: _Outcome, all_formats: bool
) -> None:
    size = len(value)
    if schema.min_properties is not None and size < schema.min_properties:
        detail = f"{path} in body should have at least {schema.min_properties} properties"
        outcome.add(_Problem("invalid", path, detail, size))
        return
    if schema.max_properties is not None and size > schema.max_properties:
        detail = f"{path} in body should have at most {schema.max_properties} properties"
        outcome.add(_Problem("many", path, detail, size, schema.max_properties))
        return
    properties = schema.properties
    if schema.has_additional:
        for name, inner in value.items():
            if name in properties:
                continue
            if schema.additional is not None:
                _validate(schema.additional, inner, f"{path}.{name}", outcome, all_formats)
            elif not schema.additional_allowed:
                detail = f"{path}.{name} in body is a forbidden property"
                outcome.add(_Problem("invalid", path, detail, name))
    if properties:
        for name, inner in value.items():
            known = properties.get(name)
            if known is not None:
                place = f"{path}.{name}" if path else name
                _validate(known, inner, place, outcome, all_formats)
    for name in schema.required:
        if name not in value:
            outcome.add(_Problem("required", f"{path}.{name}", f"{path}.{name} in body is required"))
