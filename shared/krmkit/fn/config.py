"""Decoding of the functionConfig: the typed kind, a kind of another group, or a flat ConfigMap.

Whatever the form, the function gets the same `spec`: checked against the schema of function.yaml, with defaults. All
violations are found at once, each with its path in the config as it was written.

A ConfigMap's `data` holds texts. Each key is a field of the spec, and its text is read as the field's schema wants it:
integers, numbers and booleans by their YAML form, lists and maps as YAML or JSON text. What keys mean that are no
field, function.yaml may say:

    configMap:
      others:
        into: selections    # the field of the spec that takes them: a list or a map
        key: pack           # (list) the field of an entry that takes the key
        value: presets      # (list) the field of an entry that takes the text
        split: ","          # (list) split the text here; entries are trimmed, empty ones dropped
"""

from __future__ import annotations

from krmkit.fn.definition import FAIL_ON_SCHEMA, GROUP_VERSION
from krmkit.krm.annotations import FAIL_ON
from krmkit.lang.schema import NAMES, Violation, describe, join, validate
from krmkit.yaml.data import go_data
from krmkit.yaml.document import parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.scalars import go_resolve
from krmkit.yaml.tree import Map, Scalar, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.fn.definition import Definition
    from krmkit.krm.resource import Resource

_MOST_VIOLATIONS = 100
_FIELDS = ("apiVersion", "kind", "metadata", "spec", "<<")
_FIELDS_OF_A_CONFIG_MAP = ("apiVersion", "kind", "metadata", "data", "immutable", "<<")
_TEXT: dict[str, Any] = {"type": "string"}
_ANY_MAP: dict[str, Any] = {"type": "object"}


class Config:
    """The decoded functionConfig.

    `spec` is checked and complete (defaults filled in). `kind`, `name`, `namespace` are those of the config ("" when
    there is none), `resource` is the config as it came, or None. For a kind of another group `spec` is its spec; what
    else it says stands in `resource`.
    """

    __slots__ = ("api_version", "explain", "fail_on", "kind", "name", "namespace", "resource", "spec")

    def __init__(
        self, spec: dict[str, Any], resource: Resource | None, fail_on: str = "error", explain: bool = False
    ) -> None:
        self.spec = spec
        self.resource = resource
        self.fail_on = fail_on
        self.explain = explain
        self.api_version = resource.api_version if resource is not None else ""
        self.kind = resource.kind if resource is not None else ""
        self.name = resource.name if resource is not None else ""
        self.namespace = resource.namespace if resource is not None else ""

    @property
    def is_config_map(self) -> bool:
        """Whether it came as a ConfigMap (which carries no names and namespaces of its own)."""
        return self.kind == "ConfigMap"


class ConfigError(Exception):
    """The config cannot be used: `violations` says all that is wrong with it."""

    def __init__(self, violations: list[Violation]) -> None:
        super().__init__("; ".join(str(violation) for violation in violations))
        self.violations = violations


def decode(definition: Definition, resource: Resource | None, explain: bool = False) -> Config:
    """The config of one run. Raises ConfigError with every violation, YamlError when the config is not YAML."""
    violations: list[Violation] = []
    if resource is None or not resource.root.entries:
        spec, found = validate(definition.schema, {}, "spec")
        if found:
            raise ConfigError([_absent(definition, found)])
        return Config(_as_map(spec), None, explain=explain)
    kind, version = resource.kind, resource.api_version
    if kind == definition.kind and version == GROUP_VERSION:
        spec = _typed(definition, resource, violations)
    elif kind == "ConfigMap" and version == "v1":
        spec = _flat(definition, resource, violations)
    else:
        spec = _foreign(definition, resource, violations)
    fail_on = resource.annotations.get(FAIL_ON)
    if fail_on is not None:
        path = join("metadata.annotations", FAIL_ON)
        violations += validate(FAIL_ON_SCHEMA, fail_on, path)[1]
    if violations:
        raise ConfigError(_capped(violations))
    spec = _as_map(spec)
    if kind in {definition.kind, "ConfigMap"}:
        fail_on = spec.pop("failOn", None) or fail_on
    return Config(spec, resource, fail_on or "error", explain)


def _typed(definition: Definition, resource: Resource, violations: list[Violation]) -> object:
    fields = definition.schema.get("properties") or {}
    for key in resource.root.keys():  # noqa: SIM118  # a Map of the span tree
        if key in _FIELDS:
            continue
        if key in fields or key == "failOn":
            hint = f'; did you mean "spec.{key}"?'
        else:
            from krmkit.lang.nearest import did_you_mean

            hint = did_you_mean(key, _FIELDS)
        violations.append(Violation(join("", key), f'unknown field "{key}"{hint}'))
    spec = resource.get("spec")
    checked, found = validate(_with_fail_on(definition.schema), {} if spec is None else spec, "spec")
    violations += found
    return checked


def _foreign(definition: Definition, resource: Resource, violations: list[Violation]) -> object:
    kind, version = resource.kind, resource.api_version
    right = [(GROUP_VERSION, definition.kind), ("v1", "ConfigMap")]
    right += [(other_version, other) for other_version, other, _ in definition.accepts]
    for other_version, other, schema in definition.accepts:
        if (version, kind) == (other_version, other):
            spec = resource.get("spec")
            checked, found = validate(schema or _ANY_MAP, {} if spec is None else spec, "spec")
            violations += found
            return checked
    versions = [other_version for other_version, other in right if other == kind]
    if versions:
        raise ConfigError([Violation("apiVersion", f"must be {' or '.join(versions)} for a {kind}", version)])
    from krmkit.lang.nearest import nearest

    near = nearest(kind, [other for _, other in right])
    hint = f'; did you mean "{near}"?' if near is not None else ""
    listed = " or ".join(f"{other} ({other_version})" for other_version, other in right)
    raise ConfigError([Violation("kind", f"{definition.name} takes {listed}{hint}", kind)])


def _flat(definition: Definition, resource: Resource, violations: list[Violation]) -> object:
    for key in resource.root.keys():  # noqa: SIM118  # a Map of the span tree
        if key not in _FIELDS_OF_A_CONFIG_MAP:
            violations.append(
                Violation(
                    join("", key), f'unknown field "{key}"; in a ConfigMap the config stands under data'
                )
            )
    schema = _with_fail_on(definition.schema)
    fields: dict[str, Any] = schema["properties"]
    others: dict[str, str] | None = definition.config_map.get("others")
    spec: dict[str, Any] = {}
    places: dict[str, str] = {}  # where a value stands in the spec -> where it was written
    for key, text in _texts(resource, violations).items():
        path = join("data", key)
        if key in fields or others is None:
            value, problem = _read(fields.get(key, _TEXT), text)
            if problem is None:
                spec[key] = value
            else:
                violations.append(Violation(path, problem))
        else:
            field = others["into"]
            problem = _put(spec, field, fields[field], others, key, text, places, path)
            if problem is not None:
                violations.append(Violation(path, problem))
    unreadable = {violation.path for violation in violations}
    checked, found = validate(schema, spec, "data")
    for violation in found:
        for start, place in places.items():
            rest = violation.path[len(start) :]
            if violation.path.startswith(start) and rest[:1] in {"", ".", "["}:
                violation.path = place
        if violation.path not in unreadable:
            violations.append(violation)
    return checked


def _texts(resource: Resource, violations: list[Violation]) -> dict[str, str]:
    """The data of a ConfigMap. A value without quotes (`true`, `3`) counts as the text that stands there."""
    texts: dict[str, str] = {}
    data = resource.node("data")
    if isinstance(data, Map):
        for entry in data.entries:
            value = deref(entry.value)
            path = join("data", entry.name or "")
            if not isinstance(value, Scalar):
                wanted = "must be a text; put the YAML or JSON after `|`, indented"
                violations.append(Violation(path, wanted))
            elif entry.name is not None:
                texts[entry.name] = value.text
    elif data is not None and resource.get("data") is not None:
        violations.append(Violation("data", f"must be a map, not {describe(resource.get('data'))}"))
    return texts


def _read(schema: dict[str, Any], text: str) -> tuple[object, str | None]:
    """The value that `schema` wants, read from a text: (value, None), or (None, what is wrong)."""
    kind = schema.get("type")
    if kind in {"array", "object"}:
        try:
            root = parse(text).root
            return (None if root is None else go_data(root)), None
        except YamlError as error:
            return None, f"must be {NAMES[kind]}, written as YAML or JSON: {error}"
    if kind == "string" or (kind is None and schema.get("x-kubernetes-int-or-string") is not True):
        return text, None
    tag, value = go_resolve(text.strip())
    if kind is None:
        return (value if tag == "int" else text), None
    right = {"integer": ("int", "float"), "number": ("int", "float"), "boolean": ("bool",)}[kind]
    if tag in right:
        return value, None
    shown = "" if schema.get("format") == "password" else f', not "{text[:40]}"'
    return None, f"must be {NAMES[kind]}{shown}"


def _put(
    spec: dict[str, Any],
    field: str,
    schema: dict[str, Any],
    others: dict[str, str],
    key: str,
    text: str,
    places: dict[str, str],
    path: str,
) -> str | None:
    """Put one key that is no field where `others` says. What is wrong with its text, or None."""
    if schema["type"] == "object":
        value, problem = _read(schema.get("additionalProperties") or _TEXT, text)
        if problem is None:
            spec.setdefault(field, {})[key] = value
            places[join(f"data.{field}", key)] = path
        return problem
    separator = others.get("split")
    if separator:
        value = [part.strip() for part in text.split(separator) if part.strip()]
    else:
        value, problem = _read(schema["items"]["properties"][others["value"]], text)
        if problem is not None:
            return problem
    entries = spec.setdefault(field, [])
    if isinstance(entries, list):
        places[f"data.{field}[{len(entries)}]"] = path
        entries.append({others["key"]: key, others["value"]: value})
    return None


def _absent(definition: Definition, found: list[Violation]) -> Violation:
    missing = ", ".join(violation.path for violation in found[:5])
    return Violation(
        "",
        f"functionConfig is absent; give a {definition.kind} ({GROUP_VERSION}) with {missing}, or a ConfigMap",
    )


def _with_fail_on(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "properties": {**(schema.get("properties") or {}), "failOn": FAIL_ON_SCHEMA}}


def _capped(violations: list[Violation]) -> list[Violation]:
    more = len(violations) - _MOST_VIOLATIONS
    if more <= 0:
        return violations
    return [*violations[:_MOST_VIOLATIONS], Violation("", f"and {more} more violations in the config")]


def _as_map(data: object) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}
