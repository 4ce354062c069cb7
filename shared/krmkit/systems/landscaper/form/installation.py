"""Check the form of an Installation: required and mutually exclusive fields, hints for unknown ones."""

from __future__ import annotations

from collections.abc import Iterator
from pkgutil import get_data
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.cron import parse as parse_cron
from krmkit.libraries.go.time.durations import parse_duration
from krmkit.libraries.messages.nearest import nearest, proposing
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.libraries.schema.kubernetes.published import PublishedCrds
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.subinstallations import MOST_LETTERS, is_dns_label
from krmkit.systems.landscaper.items.identity import name_of
from krmkit.systems.landscaper.templates.outputs import unknown_keys

PUBLISHED = PublishedCrds(lambda: get_data("krmkit.systems.landscaper.items", "publishedcrds.json") or b"")
_SCALARS = {"string": "a text", "boolean": "true or false", "integer": "a number", "number": "a number"}


def _shape(schema: Any) -> Any:
    """Reduce a schema to nested mappings, lists and scalar types; an empty one allows all, None any value."""
    if schema.get("type") == "array":
        return [_shape(schema["items"])] if "properties" in schema["items"] else []
    if schema.get("type") == "object":
        return {name: _shape(inner) for name, inner in schema.get("properties", {}).items()}
    return _SCALARS.get(schema.get("type"))


SPEC: dict[str, object] = _shape(PUBLISHED.data(f"{API_VERSION}/Installation")["properties"]["spec"])
"""The fields of an Installation's spec, from the CRD. A null counts as absent."""
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "a text"),
    (int, "a number"),
    (float, "a number"),
    (dict, "a mapping"),
    (list, "a list"),
)


def type_errors(value: object, shape: object, place: str) -> Iterator[InstallationError]:
    """Yield each field of a wrong type: type_errors({"data": 5}, {"data": []}, "spec") gives spec.data."""
    if value is None or shape is None:
        return
    got = next((name for kind, name in _TYPES if isinstance(value, kind)), type(value).__name__)
    wanted = shape if isinstance(shape, str) else "a mapping" if isinstance(shape, dict) else "a list"
    if got != wanted:
        yield InstallationError("invalid", f"must be {wanted}, got {got}", place)
    elif isinstance(shape, dict) and isinstance(value, dict):
        for key, item in value.items():
            if key in shape:
                yield from type_errors(item, shape[key], f"{place}.{key}")
    elif isinstance(shape, list) and isinstance(value, list) and shape:
        for index, item in enumerate(value):
            yield from type_errors(item, shape[0], f"{place}[{index}]")


RULE = "invalid"
_OLD = (
    "spec.registryPullSecrets",
    "secretRef.namespace",
    "configMapRef.namespace",
)  # fields of older versions
_DATA_SOURCES = ("dataRef", "secretRef", "configMapRef")
_TARGET_SOURCES = ("target", "targets", "targetMap", "targetListRef", "targetMapRef")
_WORDS = {"targetSelector": "target"}
_MAP_KEY = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")


def structure_errors(installation: Data) -> list[InstallationError]:
    """Return all errors of an Installation's form, in the order of its fields."""
    spec = mapping(installation.get("spec"))
    found: list[InstallationError] = []
    name = name_of(installation)
    if not is_dns_label(name, MOST_LETTERS):
        found.append(
            _error("metadata.name", f"must be a DNS label of at most {MOST_LETTERS} letters, got {name}")
        )
    found += type_errors(installation.get("spec"), SPEC, "spec")
    found += _unknown(spec)
    found += _one_of(spec, "blueprint", ("ref", "inline"), required=True)
    found += _one_of(spec, "componentDescriptor", ("ref", "inline"), required=False)
    context = mapping(mapping(mapping(spec.get("componentDescriptor")).get("ref")).get("repositoryContext"))
    if "baseURL" in context:
        found.append(_error("spec.componentDescriptor.ref.repositoryContext.baseURL", "must be baseUrl"))
    found += _imports(mapping(spec.get("imports")))
    found += _repeated(mapping(spec.get("imports")))
    found += _exports(mapping(spec.get("exports")))
    found += _reconcile(spec)
    return found


def schedule_errors(installation: Data) -> list[InstallationError]:
    """Return the errors of the schedules of an Installation."""
    spec = {"automaticReconcile": mapping(installation.get("spec")).get("automaticReconcile")}
    return [*_unknown(spec), *_reconcile(spec)]


def _error(field: str, message: str) -> InstallationError:
    return InstallationError(RULE, message, field)


def _unknown(spec: Data) -> Iterator[InstallationError]:
    for place, key, known in unknown_keys(spec, SPEC, "spec"):
        if place.startswith("spec.exports.") and key in ("secretRef", "configMapRef"):
            message = f"exports to a {key[:-3]} are not possible; must be {next(one for one in known if one != 'name')}"
        else:
            meant = _WORDS.get(key) if _WORDS.get(key) in known else nearest(key, known)
            right = proposing(f'; must be "{meant}"', key, meant) if meant else f"; known: {', '.join(known)}"
            message = f'unknown field "{key}"' + right
        if not f"{place}.{key}".endswith(_OLD):
            yield _error(f"{place}.{key}", message)


def _one_of(spec: Data, key: str, choices: tuple[str, ...], required: bool) -> Iterator[InstallationError]:
    value = spec.get(key)
    if value is None and not required:
        return
    given = [one for one in choices if mapping(value).get(one) is not None]
    if not given:
        yield _error(f"spec.{key}", f"one of {' and '.join(choices)} must be given")
    if len(given) > 1:
        yield _error(f"spec.{key}", f"only one of {' and '.join(choices)} may be given")


def _imports(imports: Data) -> Iterator[InstallationError]:
    for kind, sources in (("data", _DATA_SOURCES), ("targets", _TARGET_SOURCES)):
        for index, one in enumerate(entries(imports.get(kind))):
            place = f"spec.imports.{kind}[{index}]"
            name = text(one.get("name"))
            if not name:
                yield _error(f"{place}.name", "must not be empty")
            given = [source for source in sources if one.get(source) is not None]
            if len(given) != 1:
                got = f", got {' and '.join(given)}" if given else ""
                yield _error(place, f"exactly one of {', '.join(sources)} must be given{got}")
            for reference in ("secretRef", "configMapRef"):
                if reference in given and not text(mapping(one.get(reference)).get("name")):
                    yield _error(f"{place}.{reference}.name", "must not be empty")
            yield from _target_shapes(one, place)


def _repeated(imports: Data) -> Iterator[InstallationError]:
    """Yield an error for each repeated import name, which only admission refuses."""
    names: dict[str, str] = {}
    for kind in ("data", "targets"):
        for index, one in enumerate(entries(imports.get(kind))):
            place, name = f"spec.imports.{kind}[{index}]", text(one.get("name"))
            if name and name in names:
                message = f'import name "{name}" is used by {names[name]} already; must be unique'
                yield InstallationError("repeated-import", message, f"{place}.name")
            names.setdefault(name, place)


def _target_shapes(one: Data, place: str) -> Iterator[InstallationError]:
    targets = one.get("targets")
    if targets is not None:
        for index, entry in enumerate(targets if isinstance(targets, list) else [targets]):
            if not isinstance(entry, str):
                what = f"; use targetMap for {', '.join(map(str, entry))}" if isinstance(entry, dict) else ""
                yield _error(f"{place}.targets[{index}]", f"must be the name of a target{what}")
    for key in mapping(one.get("targetMap")):
        if not key or key[0] in ".-" or key[-1] in ".-" or not _MAP_KEY.issuperset(key) or len(key) > 63:
            yield _error(
                f"{place}.targetMap.{key}",
                "a key must have at most 63 lower-case letters, digits, dots and dashes",
            )


def _exports(exports: Data) -> Iterator[InstallationError]:
    for kind, reference in (("data", "dataRef"), ("targets", "target")):
        names: set[str] = set()
        keys: set[str] = set()
        for index, one in enumerate(entries(exports.get(kind))):
            place = f"spec.exports.{kind}[{index}]"
            name, key = text(one.get("name")), text(one.get(reference))
            if not name:
                yield _error(f"{place}.name", "must not be empty")
            if not key:
                yield _error(f"{place}.{reference}", "must not be empty")
            if name and name in names:
                yield _error(f"{place}.name", f'export name "{name}" is used twice')
            if key and key in keys:
                yield _error(f"{place}.{reference}", f'"{key}" is exported twice')
            names.add(name)
            keys.add(key)


def _reconcile(spec: Data) -> Iterator[InstallationError]:
    place = "spec.automaticReconcile"
    for kind in ("succeededReconcile", "failedReconcile"):
        schedule = mapping(spec, "automaticReconcile", kind)
        cron = text(schedule.get("cronSpec"))
        if cron:
            try:
                parse_cron(cron)
            except GoInputError as error:
                yield _error(f"{place}.{kind}.cronSpec", str(error))
        interval = schedule.get("interval")
        if interval is not None:
            try:
                parse_duration(str(interval))
            except GoInputError as error:
                yield _error(f"{place}.{kind}.interval", str(error))
        number = schedule.get("numberOfReconciles")
        if isinstance(number, int | float) and (not isinstance(number, int) or number < 0):
            yield _error(f"{place}.{kind}.numberOfReconciles", "must be a whole number of at least 0")
