"""krmkit.systems.landscaper.jsonschema.schema and schemarefs: schemas of imports and exports, and what they refer to."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.systems.landscaper.blueprint.files import Files
from krmkit.systems.landscaper.components import schemarefs
from krmkit.systems.landscaper.components.descriptors import Component, ComponentRepository
from krmkit.systems.landscaper.components.schemarefs import SchemaScope, resolved
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.jsonschema import schema as jsonschema
from krmkit.systems.landscaper.jsonschema.schema import check_depth, violations
from tests.unit.systems.landscaper.worlds import descriptor, reference, repository, resource


@pytest.mark.parametrize(
    ("schema", "value", "lines"),
    [
        ({"type": "string"}, 1, ["(root): Invalid type. Expected: string, given: integer"]),
        ({"type": "string"}, 1.0, ["(root): Invalid type. Expected: string, given: integer"]),
        ({"type": "string"}, 1.5, ["(root): Invalid type. Expected: string, given: number"]),
        ({"type": ["null", "integer"]}, "a", ["(root): Invalid type. Expected: [null,integer], given: string"]),
        ({"type": "string"}, None, ["(root): Invalid type. Expected: string, given: null"]),
        ({"type": "string"}, True, ["(root): Invalid type. Expected: string, given: boolean"]),
        ({"type": "string"}, [], ["(root): Invalid type. Expected: string, given: array"]),
        ({"type": "string"}, {}, ["(root): Invalid type. Expected: string, given: object"]),
        ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": ["x", 1]}, ["a.1: Invalid type. Expected: string, given: integer"]),
        ({"required": ["a", "b"]}, {"b": 1}, ["(root): a is required"]),
        ({"additionalProperties": False}, {"x": 1, "y": 2}, ["(root): Additional property x is not allowed", "(root): Additional property y is not allowed"]),
        ({"enum": ["a", 1]}, "b", ['(root): (root) must be one of the following: "a", 1']),
        ({"const": "é"}, "b", ['(root): (root) does not match: "é"']),
        ({"minItems": 2}, [1], ["(root): Array must have at least 2 items"]),
        ({"maxItems": 1}, [1, 2], ["(root): Array must have at most 1 items"]),
        ({"uniqueItems": True}, [1, 1], ["(root): array items[0,1] must be unique"]),
        ({"contains": {"const": 1}}, [2], ["(root): At least one of the items must match", "0: 0 does not match: 1"]),
        ({"minProperties": 1}, {}, ["(root): Must have at least 1 properties"]),
        ({"maxProperties": 0}, {"a": 1}, ["(root): Must have at most 0 properties"]),
        ({"minLength": 2}, "é", ["(root): String length must be greater than or equal to 2"]),
        ({"maxLength": 1}, "ab", ["(root): String length must be less than or equal to 1"]),
        ({"pattern": "^a"}, "b", ["(root): Does not match pattern '^a'"]),
        ({"format": "ipv4"}, "b", ["(root): Does not match format 'ipv4'"]),
        ({"multipleOf": 2}, 3, ["(root): Must be a multiple of 2"]),
        ({"minimum": 2.5}, 2, ["(root): Must be greater than or equal to 2.5"]),
        ({"maximum": 2}, 3, ["(root): Must be less than or equal to 2"]),
        ({"exclusiveMinimum": 2.0}, 2, ["(root): Must be greater than 2"]),
        ({"exclusiveMaximum": 2}, 2, ["(root): Must be less than 2"]),
        ({"not": {}}, 2, ["(root): Must not validate the schema (not)"]),
        (False, 2, ["(root): False always fails validation"]),
        ({"items": [{}], "additionalItems": False}, [1, 2], ["(root): No additional items allowed on array"]),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1, "bc": 2}, ['(root): Property name of "bc" does not match', "(root): String length must be less than or equal to 1"]),
        ({"oneOf": [{"type": "string"}, {"minLength": 0}]}, "a", ["(root): Must validate one and only one schema (oneOf)"]),
        ({"anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}]}, {}, ["(root): Must validate at least one schema (anyOf)", "(root): c is required"]),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, 1, ["(root): Must validate one and only one schema (oneOf)", "(root): Invalid type. Expected: string, given: integer"]),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 2, "exclusiveMinimum": True}, 2, ["(root): Must be greater than 2"]),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "const": 2}, 1, []),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "const": 2}, 1, ["(root): (root) does not match: 2"]),
        ({"type": "object", "properties": {"a": {"$ref": "#definitions/x"}}}, {"a": 1}, ["a: Invalid type. Expected: object, given: integer"]),
        ({"definitions": {"x": {"type": "null"}}, "properties": {"a": {"$ref": "#/definitions/x"}}}, {"a": 1}, ["a: Invalid type. Expected: null, given: integer"]),
        ({"allOf": [{"properties": {"a": {"$ref": "#x"}}}], "type": "object"}, {"a": 1}, ["a: Invalid type. Expected: object, given: integer", "(root): Must validate all the schemas (allOf)"]),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_violations(schema: object, value: object, lines: list[str]) -> None:
    """What is wrong stands with its place, in gojsonschema's words, and without the value."""
    assert violations(schema, value) == lines


DRAFT = "http://json-schema.org/draft-0{}/schema#"


@pytest.mark.parametrize(
    ("schema", "value", "lines"),
    [
        pytest.param({"format": "uuid"}, "not-one", ["(root): Does not match format 'uuid'"], id="a UUID is checked"),
        pytest.param({"$schema": DRAFT.format(4), "format": "uuid"}, "x", ["(root): Does not match format 'uuid'"], id="in every draft"),
        pytest.param({"format": "uuid"}, "123E4567-e89b-12d3-a456-426614174000", [], id="in both cases"),
        pytest.param({"format": "time"}, "23:59:59", [], id="a time needs no zone"),
        pytest.param({"format": "time"}, "23:59:59,5", [], id="and may have a comma"),
        pytest.param({"format": "time"}, "24:00:00", ["(root): Does not match format 'time'"], id="an hour too many"),
        pytest.param({"format": "date-time"}, "2025-02-03t01:02:03z", ["(root): Does not match format 'date-time'"], id="small letters"),
        pytest.param({"format": "date-time"}, "2025-02-03", [], id="a date alone is a date-time"),
        pytest.param({"format": "date-time"}, "2025-02-30T01:02:03Z", ["(root): Does not match format 'date-time'"], id="a day too many"),
        pytest.param({"format": "date"}, "0000-02-29", [], id="the year 0"),
        pytest.param({"format": "idn-hostname"}, "〮x", [], id="a format that is not known"),
        pytest.param({"format": "uri"}, "no-scheme", ["(root): Does not match format 'uri'"], id="a URI has a scheme"),
        pytest.param({"format": "uri-reference"}, "ü/é", [], id="letters outside of ASCII"),
        pytest.param({"format": "uri-reference"}, "a\\b", ["(root): Does not match format 'uri-reference'"], id="a backslash"),
        pytest.param({"contentMediaType": "application/json"}, "{", [], id="the media type is not looked at"),
        pytest.param({"contentEncoding": "base64"}, "?", [], id="nor is the encoding"),
        pytest.param({"properties": {"contentEncoding": {"type": "null"}}}, {"contentEncoding": 1},
                     ["contentEncoding: Invalid type. Expected: null, given: integer"], id="a property of such a name is"),
        pytest.param({"$schema": DRAFT.format(4), "type": "integer"}, 7.0, [], id="a whole float is an integer in draft 4"),
        pytest.param({"$schema": DRAFT.format(4), "items": {"type": "integer"}}, [7.0, 7.5],
                     ["1: Invalid type. Expected: integer, given: number"], id="also inside"),
        pytest.param({"minimum": 2, "exclusiveMinimum": True}, 2, ["(root): Must be greater than 2"], id="draft 4's words without a draft"),
        pytest.param({"minimum": 2, "exclusiveMinimum": False}, 2, [], id="and its negation"),
        pytest.param({"$ref": "#/definitions/x", "type": "null", "definitions": {"x": {"type": "string"}}}, "a", [],
                     id="a reference hides its neighbours"),
        pytest.param({"type": "array", "maximum": 1, "enum": [1]}, 2, ["(root): Invalid type. Expected: array, given: integer"],
                     id="nothing behind a wrong type"),
        pytest.param({"const": 4.0}, "x", ["(root): (root) does not match: 4"], id="a whole float is written as an integer"),
        pytest.param({"enum": [{"b": [1.5], "a": "é"}]}, "x", ['(root): (root) must be one of the following: {"a":"é","b":[1.5]}'],
                     id="values are written as Go writes them"),
        pytest.param({"uniqueItems": True}, [2, "x", 2.0], ["(root): array items[0,2] must be unique"], id="which items are the same"),
        pytest.param({"maximum": 2_000_000}, 2e7, ["(root): Must be less than or equal to 2e+06"], id="large limits"),
        pytest.param({"multipleOf": 0.1}, 0.35, ["(root): Must be a multiple of 0.1"], id="fractions"),
        pytest.param({"multipleOf": 0.1}, 0.3, [], id="exact fractions"),
        pytest.param({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "null"}}, "x",
                     ['(root): Must validate "then" as "if" was valid', "(root): String length must be greater than or equal to 2"], id="then"),
        pytest.param({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "null"}}, 5,
                     ['(root): Must validate "else" as "if" was not valid', "(root): Invalid type. Expected: null, given: integer"], id="else"),
        pytest.param({"dependencies": {"a": ["b", "c"], "d": {"required": ["e"]}}}, {"a": 1, "b": 2, "d": 3},
                     ["(root): Has a dependency on c", "(root): e is required"], id="dependencies"),
        pytest.param({"anyOf": [{"type": "null"}, {"required": ["a"], "properties": {"b": {"type": "null"}}}]}, {"b": 1},
                     ["(root): Must validate at least one schema (anyOf)", "(root): a is required", "b: Invalid type. Expected: null, given: integer"],
                     id="the branch that comes closest, in points"),
        pytest.param({"items": [{}, {"type": "null"}], "additionalItems": {"type": "string"}}, [1, 2, 3],
                     ["1: Invalid type. Expected: null, given: integer", "2: Invalid type. Expected: string, given: integer"], id="items"),
        pytest.param({"patternProperties": {"^a": {"type": "null"}}, "additionalProperties": {"type": "string"}}, {"ab": 1, "b": 2},
                     ["ab: Invalid type. Expected: null, given: integer", "b: Invalid type. Expected: string, given: integer"], id="names by pattern"),
    ],
)  # fmt: skip
def test_reads_as_the_real_one(schema: object, value: object, lines: list[str]) -> None:
    """Formats, drafts and texts are gojsonschema's where the library's differ."""
    assert violations(schema, value) == lines


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"enum": ["x", "x"]}, "enum items must be unique"),
        ({"not": {"enum": [1, 1.0]}}, "enum items must be unique"),
        ({"properties": {"a": {"minLength": 3, "maxLength": 2}}}, "minLength cannot be greater than maxLength"),
        ({"minProperties": 1, "maxProperties": 0}, "minProperties cannot be greater than maxProperties"),
        ({"additionalItems": {"$ref": "#/definitions/x"}}, "Object has no key 'definitions'"),
        ({"items": [{"$ref": "#/items/3"}]}, "Out of bound array[0,1] index '3'"),
        ({"exclusiveMaximum": True}, "exclusiveMaximum cannot be used without maximum"),
        ({"$schema": DRAFT.format(4), "maximum": 2, "exclusiveMaximum": 3}, "Invalid type. Expected: boolean, given: exclusiveMaximum"),
    ],
    ids=str,
)  # fmt: skip
def test_refused_schemas(schema: object, message: str) -> None:
    """What gojsonschema refuses in a schema is refused, also where no value comes to it."""
    with pytest.raises(GoInputError) as caught:
        violations(schema, None)

    assert str(caught.value) == message


def test_unknown_keywords_of_a_draft() -> None:
    """A keyword that the draft does not know is not read, and its faults are none."""
    assert violations({"$schema": DRAFT.format(4), "contains": {"enum": [1, 1]}}, []) == []
    assert violations({"$schema": DRAFT.format(6), "if": {}, "then": {"type": "null"}}, 1) == []


def test_at_most_a_hundred() -> None:
    """A value that is wrong everywhere gives a hundred lines."""
    schema = {"items": {"type": "string"}}

    assert len(violations(schema, list(range(99)))) == 99
    assert len(violations(schema, list(range(500)))) == 100
    assert len(violations({"additionalProperties": False}, {str(key): 1 for key in range(500)})) == 100


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"pattern": "("},
        {"$ref": "https://example.com/x.json"},
        "text",
        None,
        [1],
        {"properties": 5},
    ],
    ids=str,
)
def test_no_schema(schema: object) -> None:
    """A schema that is none is said on one line; nothing is fetched."""
    with pytest.raises(GoInputError) as caught:
        violations(schema, None)

    assert "\n" not in str(caught.value)


def nested(depth: int, key: str = "") -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {key: value} if key else [value]
    return value


@pytest.mark.parametrize("key", ["", "a"], ids=["lists", "mappings"])
def test_depth(key: str) -> None:
    """Values and schemas are nested two hundred deep at most."""
    check_depth(nested(200, key))

    for wrong in (
        lambda: check_depth(nested(201, key)),
        lambda: violations({}, nested(201, key)),
        lambda: violations({"not": nested(201, key)}, 1),
    ):
        with pytest.raises(InstallationError) as caught:
            wrong()
        assert caught.value.rule == "limit"


def scope(
    types: dict[str, object] | None = None, files: Files | None = None, component: Component | None = None, known: ComponentRepository | None = None
) -> SchemaScope:  # fmt: skip
    return SchemaScope(types or {}, files or Files({}), component, known or ComponentRepository())


def test_local_types() -> None:
    """A mapping with $ref is replaced, with all that stands beside it; references in what it names are followed."""
    types: dict[str, object] = {
        "port": {"type": "integer"},
        "site": {"properties": {"port": {"$ref": "local://port"}}},
    }
    schema = {"items": [{"$ref": "local://site", "title": "gone"}, {"$ref": "local://port/"}], "minItems": 1}

    assert resolved(schema, scope(types)) == {
        "items": [{"properties": {"port": {"type": "integer"}}}, {"type": "integer"}],
        "minItems": 1,
    }


def test_files_and_pointers() -> None:
    """A file of the blueprint, and a part of it."""
    files = Files({"schemas/a.json": '{"definitions": {"x": {"type": "null"}}, "type": "object"}'})

    whole = resolved({"$ref": "blueprint://schemas/a.json"}, scope(files=files))
    part = resolved({"$ref": "blueprint://schemas/a.json#/definitions/x"}, scope(files=files))

    assert whole == {"definitions": {"x": {"type": "null"}}, "type": "object"}
    assert part == {"type": "null"}


@pytest.mark.parametrize("reference", ["#/definitions/x", "https://example.com", "local://", "other://x"])
def test_other_references_stay(reference: str) -> None:
    """What is none of the three schemes is left to the validator."""
    assert resolved({"$ref": reference}, scope()) == {"$ref": reference}


@pytest.mark.parametrize(
    "content",
    [
        "type: object",
        b"type: object",
        gzip.compress(b"type: object"),
        Files({"only.json": '{"type": "object"}'}),
    ],
    ids=["a text", "bytes", "compressed", "a folder of one file"],
)
def test_components(content: Any) -> None:
    """The content of a resource of the component, or of one that it refers to."""
    known = repository(
        descriptor("shop", references=(reference("types"),)),
        descriptor("types", resource("schema", "jsonschema"), resource("own", "jsonschema")),
    )
    known.blobs["example.com/types:1.0.0/schema"] = content
    known.blobs["example.com/types:1.0.0/own"] = "{items: {$ref: 'cd://resources/schema'}}"
    here = scope(component=known.find("example.com/shop", "1.0.0"), known=known)

    assert resolved({"$ref": "cd://componentReferences/types/resources/schema"}, here) == {"type": "object"}
    assert resolved({"$ref": "cd://componentReferences/types/resources/own"}, here) == {
        "items": {"type": "object"}
    }


WHERE = "error resolving reference at [].a.$ref"


@pytest.mark.parametrize(
    ("schema", "rule", "message"),
    [
        ({"$ref": 5}, "schema-validation-failed", "invalid reference value at .a.$ref: expected string, got 5"),
        ({"$ref": "local://prt"}, "schema-validation-failed", f'{WHERE}: type prt is not defined in local types; did you mean "port"?'),
        ({"$ref": "blueprint://a.jsn"}, "schema-validation-failed", f'{WHERE}: unable to read local schema from a.jsn: file does not exist; did you mean "a.json"?'),
        ({"$ref": "blueprint://bad.json"}, "schema-validation-failed", f"{WHERE}: bad.json: "),
        ({"$ref": "cd://resources/schema"}, "schema-validation-failed", f"{WHERE}: no component descriptor defined to resolve the ref"),
        ({"$ref": "blueprint://a.json#/definitions/y"}, "schema-validation-failed", f'{WHERE}: error resolving fragment /definitions/y: there is no field y; did you mean "x"?'),
        ({"$ref": "blueprint://a.json#/type/x"}, "schema-validation-failed", f"{WHERE}: error resolving fragment /type/x: there is no field x"),
        ({"$ref": "local://ring"}, "cycle", 'error resolving reference at []'),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_references_that_lead_nowhere(schema: object, rule: str, message: str) -> None:
    """The error names the place of the reference, and the nearest thing that is there."""
    files = Files({"a.json": '{"definitions": {"x": {}}, "type": "object"}', "bad.json": "a: ["})
    types: dict[str, object] = {"port": {}, "ring": {"items": {"$ref": "local://ring"}}}

    with pytest.raises(InstallationError) as caught:
        resolved({"a": schema}, scope(types, files))

    assert caught.value.rule == rule
    assert caught.value.message.startswith(message)
    if rule == "cycle":
        assert 'reference "local://ring" is part of a cycle' in caught.value.message


def test_contents_that_are_absent() -> None:
    """A resource without content, or with a folder of several files, is no schema; nor has a component's schema local types."""
    known = repository(descriptor("shop", resource("schema", "jsonschema"), resource("other", "jsonschema")))
    known.blobs["example.com/shop:1.0.0/other"] = "{$ref: 'local://port'}"
    here = scope({"port": {}}, component=known.find("example.com/shop", "1.0.0"), known=known)

    for content in (None, Files({"a": "1", "b": "2"})):
        if content is not None:
            known.blobs["example.com/shop:1.0.0/schema"] = content
        with pytest.raises(InstallationError, match="its content is not among the items"):
            resolved({"$ref": "cd://resources/schema"}, here)
    with pytest.raises(InstallationError, match="type port is not defined in local types"):
        resolved({"$ref": "cd://resources/other"}, here)
    known.blobs["example.com/shop:1.0.0/other"] = "{$ref: 'blueprint://a.json'}"
    with pytest.raises(InstallationError, match="no filesystem defined to read a local schema"):
        resolved({"$ref": "cd://resources/other"}, here)


def test_a_type_may_be_used_twice() -> None:
    """Two references to one type are no cycle."""
    types: dict[str, object] = {"a": {"items": {"$ref": "local://b"}}, "b": {"type": "null"}}

    found = resolved([{"$ref": "local://a"}, {"$ref": "local://a"}, {"$ref": "local://b"}], scope(types))

    assert found == [{"items": {"type": "null"}}, {"items": {"type": "null"}}, {"type": "null"}]


def doubling(levels: int) -> dict[str, object]:
    types: dict[str, object] = {"t0": {}}
    for level in range(1, levels + 1):
        types[f"t{level}"] = [{"$ref": f"local://t{level - 1}"}, {"$ref": f"local://t{level - 1}"}]
    return types


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """References that double are counted, and end at the limit: after 1,023 nodes for ten levels."""
    assert (schemarefs._MOST, schemarefs._DEEPEST) == (100_000, 200)
    monkeypatch.setattr(schemarefs, "_MOST", 5_000)
    assert isinstance(resolved({"$ref": "local://t10"}, scope(doubling(10))), list)

    with pytest.raises(InstallationError) as caught:
        resolved({"$ref": "local://t13"}, scope(doubling(13)))

    assert caught.value.rule == "limit"
    with pytest.raises(InstallationError, match="nested too deeply"):
        resolved(nested(201), scope())
    assert resolved(nested(200), scope()) == nested(200)


def test_the_limits_are_the_documented_ones() -> None:
    """A limit that is moved by accident is seen here, and not in a run that never ends."""
    assert (jsonschema._DEEPEST, jsonschema._MOST) == (200, 100)
