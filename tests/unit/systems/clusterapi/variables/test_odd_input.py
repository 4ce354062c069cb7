"""Variables made by chance: whatever a schema, a rule or a value looks like, the answer is a list of errors."""

from __future__ import annotations

import random
from typing import Any

import pytest

from krmkit.systems.clusterapi.variables.cluster import default_and_validate
from krmkit.systems.clusterapi.variables.definitions import Definitions, status_variables
from krmkit.systems.clusterapi.variables.definitionvalidation import validate_class_variables

TEXTS = (
    "a",
    "b",
    "",
    "a.b",
    "\ud800",
    "é",
    "10.0.0.1",
    "1Gi",
    "in",
    "a-b",
    "\x00",
    "2020-01-01T00:00:00Z",
    "x" * 50,
)
NUMBERS = (0, 1, -1, 2**40, 2**63, 2**70, 0.5, 1.0, 1e20, 1e300, -0.0, float("nan"), float("inf"))
TYPES = ("string", "integer", "number", "boolean", "object", "array", "text", "")
FORMATS = (
    "ipv4",
    "date-time",
    "duration",
    "byte",
    "int32",
    "foo",
    "uuid",
    "date",
    "email",
    "uri",
    "hostname",
    "mac",
)
RULES = (
    *(
        "self > 0",
        "self.a == 1",
        "self == oldSelf",
        "self.all(x, x > 0)",
        "self.size() > 1",
        "ip(self).family() == 4",
    ),
    *("self.?a.orValue(1) == 1", "has(self.b)", "bad(", "quantity(self).sign() > 0", "self.matches('[')"),
)
SCHEMAS = ("items", "additionalProperties", "not")
LISTS = ("allOf", "anyOf", "oneOf")
LENGTHS = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties")


class Chance(random.Random):
    """Makes values and schemas, most of which make no sense."""

    def value(self, depth: int = 0) -> Any:
        kind = self.randrange(7 if depth < 4 else 4)
        if kind == 0:
            return self.choice((None, True, False))
        if kind == 1:
            return self.choice(NUMBERS)
        if kind < 4:
            return self.choice(TEXTS)
        if kind < 6:
            return [self.value(depth + 1) for _ in range(self.randrange(3))]
        return {self.choice(TEXTS): self.value(depth + 1) for _ in range(self.randrange(4))}

    def schema(self, odd: bool, depth: int = 0) -> Any:
        if odd and self.random() < 0.05:
            return self.value()
        schema: dict[str, Any] = {"type": self.choice(TYPES if odd else TYPES[:5])}
        for _ in range(self.randrange(5)):
            keyword = self.choice(
                (*SCHEMAS, *LENGTHS, "properties", "pattern", "format", "x-kubernetes-validations")
            )
            if odd:
                keyword = self.choice(
                    (keyword, *LISTS, "default", "example", "enum", "minimum", "required", "x-metadata")
                )
            schema[keyword] = self.content(keyword, odd, depth + 1)
        return schema

    def content(self, keyword: str, odd: bool, depth: int) -> Any:
        if odd and self.random() < 0.1:
            return self.value()
        if keyword in SCHEMAS:
            return self.schema(odd, depth) if depth < 4 else {"type": "string"}
        if keyword in LISTS:
            return [self.schema(odd, depth)] if depth < 4 else []
        if keyword == "properties":
            return {self.choice(TEXTS): self.schema(odd, depth) for _ in range(3)} if depth < 4 else {}
        if keyword in LENGTHS:
            return self.randrange(3)
        if keyword == "x-kubernetes-validations":
            return [
                {"rule": self.choice(RULES), "messageExpression": self.choice(("", "'a'", "string(self)"))}
            ]
        return {
            "pattern": self.choice(("^a", "(", "\\C", "[0-9]+")),
            "format": self.choice(FORMATS),
            "enum": [self.value()],
            "minimum": self.choice(NUMBERS),
            "required": [self.choice(TEXTS)],
            "x-metadata": {"labels": {self.choice(TEXTS): self.choice(TEXTS)}},
        }.get(keyword, self.value())


@pytest.mark.parametrize("odd", [True, False], ids=["odd", "nearly-valid"])
@pytest.mark.parametrize("seed", range(60))
def test_answers_are_errors(seed: int, odd: bool) -> None:
    """Nothing fails, every error has a text, and defaults that were filled in once stay."""
    chance = Chance(seed)
    for _ in range(10):
        variables = [{"name": name, "schema": {"openAPIV3Schema": chance.schema(odd)}} for name in ("v", "w")]
        assert all(map(str, validate_class_variables(variables, None, "spec.variables")))
        definitions = Definitions(status_variables({"spec": {"variables": variables}}))
        topology = {"variables": [{"name": "v", "value": chance.value()}]}
        old = {"variables": [{"name": "v", "value": chance.value()}]}
        found, errors = default_and_validate(topology, old, definitions)

        assert all(map(str, errors))
        if not errors:
            assert repr(default_and_validate(found, old, definitions)[0]) == repr(found)
