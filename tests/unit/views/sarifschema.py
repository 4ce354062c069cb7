"""The schema of SARIF 2.1.0, and a stricter one of the properties that krmkit writes.

`sarif-2.1.0.json` beside this file is the standard's own. The stricter one refuses any other property. Source: sections
3.4 (artifact locations), 3.27 (results), 3.30 (regions) and 3.49 (rules) of the text for what the schema cannot say.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STANDARD = json.loads(Path(__file__).with_name("sarif-2.1.0.json").read_text("utf-8"))


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


_TEXT = {"type": "string", "minLength": 1}
_MESSAGE = _object(["text"], text=_TEXT)
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
# A URI of a file has no blanks and no backslashes, and is relative to the root unless it has a scheme.
_URI = {"type": "string", "format": "uri-reference", "pattern": r"^(file:///)?[^\s\\:/][^\s\\]*$"}
_REGION = _object(
    ["startLine"],
    startLine={"type": "integer", "minimum": 1},
    startColumn={"type": "integer", "minimum": 1},
    endLine={"type": "integer", "minimum": 1},
    endColumn={"type": "integer", "minimum": 1},
)
_PHYSICAL = _object(["artifactLocation"], artifactLocation=_object(["uri"], uri=_URI), region=_REGION)
_RELATED = _object(["physicalLocation", "message"], physicalLocation=_PHYSICAL, message=_MESSAGE)
_LOCATION = _object(
    [],
    physicalLocation=_PHYSICAL,
    logicalLocations={
        "type": "array",
        "uniqueItems": True,
        "items": _object(["fullyQualifiedName"], fullyQualifiedName=_TEXT),
    },
)
_REPLACEMENT = _object(
    ["deletedRegion", "insertedContent"],
    deletedRegion=_REGION,
    insertedContent=_object(["text"], text={"type": "string"}),
)
_CHANGE = _object(
    ["artifactLocation", "replacements"],
    artifactLocation=_object(["uri"], uri=_URI),
    replacements={"type": "array", "minItems": 1, "items": _REPLACEMENT},
)
_FIX = _object(
    ["description", "artifactChanges"],
    description=_MESSAGE,
    artifactChanges={"type": "array", "minItems": 1, "uniqueItems": True, "items": _CHANGE},
)
_RESULT = _object(
    ["message"],
    level=_LEVEL,
    message=_MESSAGE,
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    locations={"type": "array", "items": _LOCATION},
    relatedLocations={"type": "array", "minItems": 1, "items": _RELATED},
    fixes={"type": "array", "minItems": 1, "items": _FIX},
    partialFingerprints=_object(["finding/v1"], **{"finding/v1": _TEXT}),
)
_RULE = _object(
    ["id", "shortDescription", "fullDescription", "help"],
    id=_TEXT,
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_MESSAGE,
    defaultConfiguration=_object(["level"], level=_LEVEL),
)
_DRIVER = _object(
    ["name"],
    name=_TEXT,
    version=_TEXT,
    rules={"type": "array", "uniqueItems": True, "items": _RULE},
)
_INVOCATION = _object(
    ["executionSuccessful"],
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications={
        "type": "array",
        "items": _object(["message"], level=_LEVEL, message=_MESSAGE),
    },
)
_RUN = _object(
    ["tool"],
    tool=_object(["driver"], driver=_DRIVER),
    invocations={"type": "array", "items": _INVOCATION},
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": _RESULT},
)
SCHEMA = _object(
    ["version", "runs"],
    **{"$schema": {"type": "string", "format": "uri"}, "version": {"enum": ["2.1.0"]}},
    runs={"type": "array", "items": _RUN},
)


def problems(log: dict[str, Any]) -> list[str]:
    """The errors of a log: by the standard's schema, by the stricter one, and by the rules' indexes."""
    import jsonschema

    validators = [jsonschema.Draft4Validator(STANDARD), jsonschema.Draft7Validator(SCHEMA)]
    found = [f"{error.json_path}: {error.message}" for v in validators for error in v.iter_errors(log)]
    for run in [] if found else log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
        for result in run["results"]:
            index = result.get("ruleIndex", -1)
            if index >= 0 and rules[index : index + 1] != [result.get("ruleId")]:
                found.append(f"ruleIndex {index} is not {result.get('ruleId')}")
    return found
