"""Validate objects by the JSON schemas of Kubernetes' own kinds, with kubeconform's messages.

Source of the messages: santhosh-tekuri/jsonschema v6, which kubeconform uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.yaml.effort import charge

Path = tuple[str | int, ...]

_TYPES = ("null", "boolean", "number", "integer", "string", "array", "object")
_STEPS = 5  # of effort for each value

_published: Any = None


class KubernetesSchemas:
    """The schemas of one minor version: `KubernetesSchemas("1.34")`. Raises ValueError if unknown."""

    def __init__(self, version: str = "") -> None:
        data = _read()
        versions = list(data["versions"])
        self.version = version.removeprefix("v") or versions[-1]
        self.version = ".".join(self.version.split(".")[:2])
        if self.version not in versions:
            raise ValueError(f"must be a version from {versions[0]} to {versions[-1]}, got {version}")
        self._schemas: list[Object] = data["schemas"]
        self._names: dict[str, int] = {}
        self._kinds: dict[str, str] = {}
        for number in versions[: versions.index(self.version) + 1]:
            for known, changes in (
                (self._names, data["versions"][number]["definitions"]),
                (self._kinds, data["versions"][number]["kinds"]),
            ):
                known.update(changes)

    def knows(self, api_version: str, kind: str) -> bool:
        """Return True if the version has a kind: `knows("apps/v1", "Deployment")`."""
        return self._kinds.get(f"{api_version}/{kind}") is not None

    def problems(self, data: Object, strict: bool) -> Iterator[tuple[Path, str]]:
        """Yield path and message of each invalid value; `strict`: also of unknown fields.

        Example: `(("spec", "replicas"), "got string, want null or integer")`.
        """
        name = self._kinds[f"{data['apiVersion']}/{data['kind']}"]
        yield from self._check({"$ref": name}, data, (), strict)

    def _check(self, schema: Object, value: Any, path: Path, strict: bool) -> Iterator[tuple[Path, str]]:
        charge(_STEPS)
        while "$ref" in schema:
            schema = self._schemas[self._names[schema["$ref"]]]
        types = schema.get("type")
        if types is not None:
            wanted = [types] if isinstance(types, str) else sorted(types, key=_TYPES.index)
            if not any(_is(value, one) for one in wanted):
                yield path, f"got {_type(value)}, want {' or '.join(wanted)}"
                return
        if "enum" in schema and value not in schema["enum"]:
            shown = ", ".join(_quoted(one) if isinstance(one, str) else str(one) for one in schema["enum"])
            yield path, f"value must be {'one of ' * (len(schema['enum']) > 1)}{shown}"
        if "oneOf" in schema:
            matching = [
                index
                for index, one in enumerate(schema["oneOf"])
                if not any(self._check(one, value, path, strict))
            ]
            if not matching:
                yield path, "oneOf failed, none matched"
            elif len(matching) > 1 and value is not None:
                yield path, f"oneOf failed, subschemas {matching[0]}, {matching[1]} matched"
        if isinstance(value, dict):
            yield from self._check_map(schema, value, path, strict)
        elif isinstance(value, list) and "items" in schema:
            for index, one in enumerate(value):
                yield from self._check(schema["items"], one, (*path, index), strict)

    def _check_map(
        self, schema: Object, value: Object, path: Path, strict: bool
    ) -> Iterator[tuple[Path, str]]:
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing:
            what = "property" if len(missing) == 1 else "properties"
            yield path, f"missing {what} {', '.join(map(_quoted, missing))}"
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        unknown = [name for name in value if name not in known]
        for name, one in value.items():
            if name in known:
                yield from self._check(known[name], one, (*path, name), strict)
            elif isinstance(rest, dict):
                yield from self._check(rest, one, (*path, name), strict)
        if strict and rest is False and unknown:
            yield path, f"additional properties {', '.join(map(_quoted, unknown))} not allowed"


def _read() -> Any:
    global _published
    if _published is None:
        import base64
        import json
        import zlib

        from krmkit.libraries.kube.publishedschemas import PACKED

        _published = json.loads(zlib.decompress(base64.b64decode(PACKED)))
    return _published


def _is(value: object, kind: str) -> bool:
    found = _type(value)
    if kind == "integer":
        return found == "number" and (
            isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        )
    return found == kind


def _type(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    for kind, name in (((int, float), "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"
