"""The effort of a JSON schema, bounded before the library validates: references and anyOf can double the work at every level.

In a schema of 22 definitions that each name the next one twice, the library makes four million visits, and keeps the errors of every
branch of an anyOf. So the visits are counted first; each pair of a schema and a value is examined only once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.libraries.yaml.effort import charge
from krmkit.systems.landscaper.jsonschema.pointers import is_index

Pair = tuple[int, int]

_PAIR = 4  # steps to examine a pair
_VISITS = 16  # visits of the library in one step
_EXPLAINED = 24  # steps of a visit that writes messages, in Python and not in the library
_SAID = 2  # steps of a violation in a branch, for each level of branches, because each level copies it
_SIGNS = 64  # characters of a pattern or a text in one step
_REPEATED = 2_000  # steps to compile a pattern with a repeat count

_SAME = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("anyOf", "oneOf")
_ONE = ("not", "if", "then", "else")


class SchemaCost:
    """The cost of a schema for one value: `visits` of the library, and the deepest nesting of branches (`levels`)."""

    def __init__(self, root: object, value: object) -> None:
        self._root = root
        self._known: dict[Pair, tuple[int, int]] = {}
        self._busy: set[Pair] = set()
        self.visits, self.levels = self._of(root, value)

    def explain(self) -> None:
        """Charge the steps of collecting violations, which only invalid values need. Raises EffortError."""
        charge(self.visits * (_EXPLAINED + self.levels * _SAID))

    def _of(self, schema: object, value: object) -> tuple[int, int]:
        if not isinstance(schema, dict):
            return 1, 0
        pair = id(schema), id(value)
        known = self._known.get(pair)
        if known is not None:
            return known
        if pair in self._busy:
            return 1, 0  # a reference to itself for the same value: the library stops there, too
        self._busy.add(pair)
        charge(_PAIR)
        visits, levels = 1, 0
        for inner, item, branch in self._below(schema, value):
            more, depth = self._of(inner, item)
            visits += more
            levels = max(levels, depth + branch)
        self._busy.discard(pair)
        self._known[pair] = visits, levels
        return visits, levels

    def _below(self, schema: dict[str, Any], value: object) -> Iterator[tuple[object, object, int]]:
        """Yield the schemas one level down with their values, and 1 for branches."""
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield self._target(reference), value, 0
        for key in _SAME:
            listed = schema.get(key)
            for inner in listed if isinstance(listed, list) else ():
                yield inner, value, int(key in _BRANCHES)
        for key in _ONE:
            if key in schema:
                yield schema[key], value, 0
        if isinstance(value, dict):
            yield from self._object(schema, value)
        elif isinstance(value, list):
            yield from _array(schema, value)
        elif isinstance(value, str) and isinstance(schema.get("pattern"), str):
            _pattern(schema["pattern"])
            charge(len(value) // _SIGNS)

    def _object(self, schema: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[object, object, int]]:
        properties = schema.get("properties")
        known = properties if isinstance(properties, dict) else {}
        patterns = schema.get("patternProperties")
        dependencies = schema.get("dependencies")
        if isinstance(dependencies, dict):
            yield from ((inner, value, 0) for name, inner in dependencies.items() if name in value)
        if isinstance(patterns, dict):
            charge(len(patterns) * len(value))
            for text, inner in patterns.items():
                _pattern(text)
                yield from ((inner, item, 0) for item in value.values())
        for name, item in value.items():
            if name in known:
                yield known[name], item, 0
            elif "additionalProperties" in schema:
                yield schema["additionalProperties"], item, 0
            if "propertyNames" in schema:
                yield schema["propertyNames"], name, 0

    def _target(self, reference: str) -> object:
        """Return the target of a reference inside the schema; None for any other."""
        if not reference.startswith("#"):
            return None
        target: Any = self._root
        for part in reference[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict):
                target = target.get(name)
            elif isinstance(target, list) and is_index(name) and int(name) < len(target):
                target = target[int(name)]
            else:
                return None
        return target


def check_cost(schema: object, value: object) -> SchemaCost:
    """Charge the steps of validating a value. Raises EffortError if the run's budget is used up."""
    cost = SchemaCost(schema, value)
    charge(cost.visits // _VISITS)
    return cost


def _array(schema: dict[str, Any], value: list[Any]) -> Iterator[tuple[object, object, int]]:
    items = schema.get("items")
    listed = items if isinstance(items, list) else []
    for index, item in enumerate(value):
        if index < len(listed):
            yield listed[index], item, 0
        elif listed:
            yield schema.get("additionalItems"), item, 0
        elif items is not None:
            yield items, item, 0
        if "contains" in schema:
            yield schema["contains"], item, 0


def _pattern(text: str) -> None:
    charge(len(text) + (_REPEATED if "{" in text else 0))
