"""Report violations of a JSON schema in the words, order and number of gojsonschema.

explained({"type": ["string", "null"], "maxLength": 1}, 5, KEYWORDS)
# ["(root): Invalid type. Expected: [string,null], given: integer"]

The reference stops at a schema whose type does not match, adds a line for each allOf and if, and shows the
closest branch of an anyOf or oneOf, which it finds by counting points.

References and anyOf can double the work at every level, so each schema is checked once for each place, and
uses up the run's effort.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.schema.walk import kind_of
from krmkit.libraries.yaml.effort import charge
from krmkit.libraries.yaml.scalars import exponential, positional, shortest
from krmkit.systems.landscaper.jsonschema.faults import target
from krmkit.systems.landscaper.jsonschema.formats import has_format

Place = tuple[str, ...]
_DEEPEST = 220  # schemas inside each other
_STEPS = 32  # of effort for one schema and one value
_SIGNS = 64  # characters of a pattern or a text in one step
_REPEATED = 2_000  # steps to compile a pattern with a repeat count
_ERROR = -2  # points that an error takes; a check that was made gives one


@dataclass(slots=True)
class _Result:
    """The lines of one schema for one value, and its points."""

    lines: dict[str, None] = field(init=False, default_factory=dict)  # each once
    score: int = field(init=False, default=0)

    def add(self, place: Place, text: str) -> None:
        self.lines[f"{'.'.join(place) or '(root)'}: {text}"] = None
        self.score += _ERROR

    def merge(self, other: _Result) -> None:
        charge(len(other.lines))
        self.lines |= other.lines
        self.score += other.score


def explained(schema: object, value: object, keywords: frozenset[str]) -> list[str]:
    """Return the lines about a value, none for a valid one. keywords: the keywords of the schema's draft.

    Raises EffortError if the run's budget is used up.
    """
    return list(_Explainer(schema, keywords).check(schema, value, ()).lines)


@dataclass(slots=True)
class _Explainer:
    """The check of one value by one schema."""

    _root: object
    _keywords: frozenset[str]
    _busy: set[tuple[int, int]] = field(default_factory=set)
    _known_results: dict[tuple[int, int, Place], _Result] = field(default_factory=dict)

    def check(self, schema: Any, value: Any, place: Place) -> _Result:
        result = _Result()
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            schema = target(self._root, schema["$ref"])
        if schema is False:
            result.add(place, "False always fails validation")
        pair = id(schema), id(value)
        if not isinstance(schema, dict) or pair in self._busy or len(self._busy) > _DEEPEST:
            return result
        return self._known_results.get((*pair, place)) or self._checked(schema, value, place, result)

    def _checked(self, schema: dict[str, Any], value: Any, place: Place, result: _Result) -> _Result:
        charge(_STEPS)
        pair = id(schema), id(value)
        self._known_results[*pair, place] = result
        types = schema.get("type")
        allowed = types if isinstance(types, list) else [] if types is None else [types]
        given = "integer" if isinstance(value, float) and value.is_integer() else kind_of(value)
        if allowed and given not in allowed and not (given == "integer" and "number" in allowed):
            shown = allowed[0] if len(allowed) == 1 else f"[{','.join(allowed)}]"
            result.add(place, f"Invalid type. Expected: {shown}, given: {given}")
            return result
        self._busy.add(pair)
        self._combined(schema, value, place, result)
        if isinstance(value, list):
            self._array(schema, value, place, result)
        elif isinstance(value, dict):
            self._object(schema, value, place, result)
        elif given in ("integer", "number"):
            _numbers(schema, value, place, result)
        elif isinstance(value, str):
            _texts(schema, value, place, result)
        self._common(schema, value, place, result)
        for name, inner in schema.get("properties", {}).items() if isinstance(value, dict) else ():
            if name in value:
                result.merge(self.check(inner, value[name], (*place, name)))
        result.score += 4
        self._busy.discard(pair)
        return result

    def _known(self, schema: dict[str, Any], name: str) -> bool:
        return name in schema and (name in self._keywords or name not in LATER)

    def _combined(self, schema: dict[str, Any], value: Any, place: Place, result: _Result) -> None:
        """Check anyOf, oneOf, allOf, not, dependencies and if."""
        for name, text in _BRANCHES.items():
            if not schema.get(name):
                continue
            found = [self.check(inner, value, place) for inner in schema[name]]
            valid = sum(not one.lines for one in found)
            if valid == 1 or (valid and name == "anyOf"):
                continue
            result.add(place, text)
            if not valid:
                result.merge(max(found, key=lambda one: one.score))
        parts = [self.check(inner, value, place) for inner in schema.get("allOf", ())]
        for part in parts:
            if part.lines:
                result.merge(part)
        if any(part.lines for part in parts):
            result.add(place, "Must validate all the schemas (allOf)")
        if "not" in schema and not self.check(schema["not"], value, place).lines:
            result.add(place, "Must not validate the schema (not)")
        if isinstance(value, dict):
            for name, needed in schema.get("dependencies", {}).items():
                if name not in value:
                    continue
                if isinstance(needed, list):
                    for other in needed:
                        if other not in value:
                            result.add(place, f"Has a dependency on {other}")
                else:
                    result.merge(self.check(needed, value, place))
        if self._known(schema, "if"):
            fits = not self.check(schema["if"], value, place).lines
            branch, was = ("then", "was valid") if fits else ("else", "was not valid")
            found_branch = self.check(schema[branch], value, place) if branch in schema else _Result()
            if found_branch.lines:
                result.add(place, f'Must validate "{branch}" as "if" {was}')
                result.merge(found_branch)

    def _array(self, schema: dict[str, Any], value: list[Any], place: Place, result: _Result) -> None:
        for index, inner in self._items(schema, value, place, result):
            result.merge(self.check(inner, value[index], (*place, str(index))))
        if len(value) < schema.get("minItems", 0):
            result.add(place, f"Array must have at least {schema['minItems']} items")
        if len(value) > schema.get("maxItems", len(value)):
            result.add(place, f"Array must have at most {schema['maxItems']} items")
        if schema.get("uniqueItems"):
            seen: dict[str, int] = {}
            for index, item in enumerate(value):
                text = _json(item)
                if text in seen:
                    result.add(place, f"array items[{seen[text]},{index}] must be unique")
                seen[text] = index
        if self._known(schema, "contains"):
            best: _Result | None = None
            for index, item in enumerate(value):
                found = self.check(schema["contains"], item, (*place, str(index)))
                if not found.lines:
                    break
                if best is None or found.score > best.score:
                    best = found
            else:
                result.add(place, "At least one of the items must match")
                if best is not None:
                    result.merge(best)

    def _items(
        self, schema: dict[str, Any], value: list[Any], place: Place, result: _Result
    ) -> Iterator[tuple[int, object]]:
        """Yield the index and schema of each item that has a schema."""
        items = schema.get("items")
        if isinstance(items, (dict, bool)):
            yield from ((index, items) for index in range(len(value)))
        elif items:
            yield from enumerate(items[: len(value)])
            additional = schema.get("additionalItems", True)
            if len(items) < len(value) and additional is False:
                result.add(place, "No additional items allowed on array")
            elif isinstance(additional, dict):
                yield from ((index, additional) for index in range(len(items), len(value)))

    def _object(self, schema: dict[str, Any], value: dict[str, Any], place: Place, result: _Result) -> None:
        if len(value) < schema.get("minProperties", 0):
            result.add(place, f"Must have at least {schema['minProperties']} properties")
        if len(value) > schema.get("maxProperties", len(value)):
            result.add(place, f"Must have at most {schema['maxProperties']} properties")
        for name in schema.get("required", ()):
            if name in value:
                result.score += 1
            else:
                result.add(place, f"{name} is required")
        patterns: Mapping[str, Any] = schema.get("patternProperties", {})
        known = schema.get("properties", {})
        additional = schema.get("additionalProperties", True)
        for name, item in value.items():
            matching = [inner for text, inner in patterns.items() if _fits(text, name)]
            for inner in matching:
                result.merge(self.check(inner, item, (*place, name)))
            result.score += bool(matching)
            if matching or name in known:
                continue
            if additional is False:
                result.add(place, f"Additional property {name} is not allowed")
            elif isinstance(additional, dict):
                result.merge(self.check(additional, item, (*place, name)))
        if self._known(schema, "propertyNames"):
            for name in value:
                found = self.check(schema["propertyNames"], name, place)
                if found.lines:
                    result.add(place, f'Property name of "{name}" does not match')
                    result.merge(found)

    def _common(self, schema: dict[str, Any], value: Any, place: Place, result: _Result) -> None:
        where = ".".join(place) or "(root)"
        if self._known(schema, "const") and _json(value) != _json(schema["const"]):
            result.add(place, f"{where} does not match: {_json(schema['const'])}")
        if schema.get("enum"):
            allowed = [_json(option) for option in schema["enum"]]
            if _json(value) not in allowed:
                result.add(place, f"{where} must be one of the following: {', '.join(allowed)}")
        name = schema.get("format")
        if isinstance(name, str) and isinstance(value, str) and not has_format(name, value):
            result.add(place, f"Does not match format '{name}'")


def _fits(pattern: str, text: str) -> bool:
    charge(len(pattern) + len(text) // _SIGNS + (_REPEATED if "{" in pattern else 0))
    return compile_pattern(pattern).search(text) is not None


def _texts(schema: dict[str, Any], value: str, place: Place, result: _Result) -> None:
    if len(value) < schema.get("minLength", 0):
        result.add(place, f"String length must be greater than or equal to {schema['minLength']}")
    if len(value) > schema.get("maxLength", len(value)):
        result.add(place, f"String length must be less than or equal to {schema['maxLength']}")
    if "pattern" in schema and not _fits(schema["pattern"], value):
        result.add(place, f"Does not match pattern '{schema['pattern']}'")


def _numbers(schema: dict[str, Any], value: float, place: Place, result: _Result) -> None:
    limits = {name: schema[name] for name in _LIMITS if type(schema.get(name)) in (int, float)}
    if not limits:
        return
    number = Fraction(str(value))
    if "multipleOf" in limits and number % Fraction(str(limits["multipleOf"])):
        result.add(place, f"Must be a multiple of {_limit(limits['multipleOf'])}")
    for name, exclusive, words in (
        ("maximum", "exclusiveMaximum", "less"),
        ("minimum", "exclusiveMinimum", "greater"),
    ):
        sign = 1 if words == "less" else -1
        strict = schema.get(exclusive) is True  # draft 4
        if name in limits:
            over = (number - Fraction(str(limits[name]))) * sign
            if over > 0 or (strict and over == 0):
                equal = "" if strict else " or equal to"
                result.add(place, f"Must be {words} than{equal} {_limit(limits[name])}")
        if exclusive in limits and (number - Fraction(str(limits[exclusive]))) * sign >= 0:
            result.add(place, f"Must be {words} than {_limit(limits[exclusive])}")


def _limit(number: float) -> str:
    """Format a number as Go's big.Float does: with an exponent from a million up."""
    digits, exponent = shortest(abs(float(number)))
    sign = "-" if number < 0 else ""
    if -4 <= exponent < 6:
        return sign + positional(digits, exponent)
    return sign + exponential(digits, exponent)


def _json(value: object) -> str:
    """Format a value as Go's JSON of float64 numbers: 3.0 is `3`."""
    return must_to_json(value)


LATER = frozenset({"const", "contains", "propertyNames", "if", "then", "else"})
"""The keywords that not every draft knows."""
_LIMITS = ("multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum")
_BRANCHES = {
    "anyOf": "Must validate at least one schema (anyOf)",
    "oneOf": "Must validate one and only one schema (oneOf)",
}
