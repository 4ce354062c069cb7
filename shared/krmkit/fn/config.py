"""Decode the functionConfig: the typed kind, a kind of another group, or a flat ConfigMap.

Whatever the form, the function gets the same `spec`: checked against the schema of function.yaml, with
defaults. All violations are found at once, each with its path in the config as it was written.

How a ConfigMap is read: `krmkit.fn.configmap`.
"""

from __future__ import annotations

from krmkit.fn.definition import FAIL_ON_SCHEMA, with_fail_on
from krmkit.krm.annotations import FAIL_ON
from krmkit.krm.errors import Refused
from krmkit.libraries.json.paths import join
from krmkit.libraries.schema.openapi import read_schema
from krmkit.libraries.schema.violations import Violation, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.fn.definition import FunctionDefinition
    from krmkit.krm.resource import Resource

_MOST_VIOLATIONS = 100
_FIELDS = ("apiVersion", "kind", "metadata", "spec", "<<")
_ANY_MAP: dict[str, Any] = {"type": "object"}


class Config:
    """The decoded functionConfig.

    - `spec`: the config's spec, checked and with defaults; {} for a function that decodes its config itself.
    - `kind`, `name`, `namespace`: the config's own, "" without a config.
    - `resource`: the whole config, None without one; a kind of another group may have fields beside its spec.
    - `tag`: the tag of the function's image in the pipeline, "" without one.
    - `crds`: the CRDs of `--crds DIR`.
    """

    __slots__ = (
        "api_version", "crds", "explain", "fail_on", "kind", "name", "namespace", "resource", "spec", "tag",
    )  # fmt: skip

    def __init__(
        self, spec: dict[str, Any], resource: Resource | None, fail_on: str = "error", explain: bool = False
    ) -> None:
        self.spec = spec
        self.resource = resource
        self.fail_on = fail_on
        self.explain = explain
        self.crds: list[dict[str, Any]] = []
        self.tag = ""
        self.api_version = resource.api_version if resource is not None else ""
        self.kind = resource.kind if resource is not None else ""
        self.name = resource.name if resource is not None else ""
        self.namespace = resource.namespace if resource is not None else ""

    @property
    def is_config_map(self) -> bool:
        """Return True if the config is a ConfigMap, whose own names mean nothing."""
        return self.kind == "ConfigMap"


class ConfigError(Refused):
    """The config cannot be used. `violations` lists everything that is wrong with it."""

    def __init__(self, violations: list[Violation]) -> None:
        super().__init__("; ".join(str(violation) for violation in violations))
        self.violations = violations


def decode(definition: FunctionDefinition, resource: Resource | None, explain: bool = False) -> Config:
    """Return the config of one run.

    Raises ConfigError with every violation, and YamlError for a config that is not YAML.
    """
    violations: list[Violation] = []
    if definition.own_config:
        return _own(resource, explain)
    if resource is None or not resource.root.entries:
        spec, found = validate(read_schema(definition.schema), {}, "spec")
        if found:
            raise ConfigError([_absent(definition, found)])
        return Config(_as_map(spec), None, explain=explain)
    kind, version = resource.kind, resource.api_version
    if kind == definition.kind and version == definition.api_version:
        spec = _typed(definition, resource, violations)
    elif kind == "ConfigMap" and version == "v1":
        from krmkit.fn.configmap import flat

        spec = flat(with_fail_on(definition.schema), definition.config_map, resource, violations)
    else:
        spec = _foreign(definition, resource, violations)
    fail_on = _annotated(resource, violations)
    if violations:
        raise ConfigError(_capped(violations))
    spec = _as_map(spec)
    if kind in {definition.kind, "ConfigMap"}:
        fail_on = spec.pop("failOn", None) or fail_on
    return Config(spec, resource, fail_on or "error", explain)


def _annotated(resource: Resource, violations: list[Violation]) -> str | None:
    """Return the value of the annotation for `failOn`; append an invalid value to `violations`."""
    fail_on = resource.annotations.get(FAIL_ON)
    if fail_on is not None:
        path = join("metadata.annotations", FAIL_ON)
        violations += validate(read_schema(FAIL_ON_SCHEMA), fail_on, path)[1]
    return fail_on


def _own(resource: Resource | None, explain: bool) -> Config:
    """Return the config of a function that decodes its config itself (`config: own`)."""
    if resource is None or not resource.root.entries:
        return Config({}, None, explain=explain)
    violations: list[Violation] = []
    fail_on = _annotated(resource, violations) or "error"
    if violations:
        raise ConfigError(violations)
    return Config({}, resource, fail_on, explain)


def _typed(definition: FunctionDefinition, resource: Resource, violations: list[Violation]) -> object:
    fields = definition.schema.get("properties") or {}
    for key in resource.root.names():
        if key in _FIELDS:
            continue
        if key in fields or key == "failOn":
            hint = f'; did you mean "spec.{key}"?'
        else:
            from krmkit.libraries.messages.nearest import did_you_mean

            hint = did_you_mean(key, _FIELDS)
        violations.append(Violation(join("", key), f'unknown field "{key}"' + hint))
    return _checked(with_fail_on(definition.schema), resource, violations)


def _checked(schema: dict[str, Any], resource: Resource, violations: list[Violation]) -> object:
    """Return the spec of a config with its defaults; append errors to `violations`."""
    spec = resource.get("spec")
    checked, found = validate(read_schema(schema), {} if spec is None else spec, "spec")
    violations += found
    return checked


def _foreign(definition: FunctionDefinition, resource: Resource, violations: list[Violation]) -> object:
    kind, version = resource.kind, resource.api_version
    right = [(definition.api_version, definition.kind), ("v1", "ConfigMap")]
    right += [(other_version, other) for other_version, other, _ in definition.accepts]
    for other_version, other, schema in definition.accepts:
        if (version, kind) == (other_version, other):
            return _checked(schema or _ANY_MAP, resource, violations)
    versions = [other_version for other_version, other in right if other == kind]
    if versions:
        raise ConfigError([Violation("apiVersion", f"must be {' or '.join(versions)} for a {kind}", version)])
    from krmkit.libraries.messages.nearest import proposal

    hint = proposal(kind, [other for _, other in right])
    listed = " or ".join(f"{other} ({other_version})" for other_version, other in right)
    raise ConfigError([Violation("kind", f"{definition.name} takes {listed}" + hint, kind)])


def _absent(definition: FunctionDefinition, found: list[Violation]) -> Violation:
    missing = ", ".join(violation.path for violation in found[:5])
    return Violation(
        "",
        f"functionConfig is absent; give a {definition.kind} ({definition.api_version}) with {missing}, or a ConfigMap",
    )


def _capped(violations: list[Violation]) -> list[Violation]:
    more = len(violations) - _MOST_VIOLATIONS
    if more <= 0:
        return violations
    return [*violations[:_MOST_VIOLATIONS], Violation("", f"and {more} more violations in the config")]


def _as_map(data: object) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}
