"""Check the output of deploy executors, and make DeployItem objects of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.durations import format_duration, parse_duration
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping, sequence, text
from krmkit.systems.landscaper.apinames import (
    API_VERSION,
    DEPENDS_ON_ANNOTATION,
    DEPLOYER_TARGET_ANNOTATION,
    DEPLOYER_TYPE_ANNOTATION,
    ITEM_NAME_LABEL,
    MANAGED_BY_LABEL,
    NO_TARGET,
)
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.dependencies import order
from krmkit.systems.landscaper.flow.imports import Imports
from krmkit.systems.landscaper.items.identity import name_of
from krmkit.systems.landscaper.items.objects import Object

_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")
_OPTIONAL = ("timeout", "updateOnChangeOnly", "onDelete")


@dataclass(slots=True)
class DeployItem:
    """A deploy item of an installation. `target`: {name, namespace}, or None."""

    name: str
    type: str
    config: object
    target: dict[str, str] | None = None
    depends_on: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    options: dict[str, object] = field(default_factory=dict)


def decode(templates: list[Object], imports: Imports, namespace: str) -> list[DeployItem]:
    """Decode the deploy items of executors, in order. Raises deploy-item-spec and validation."""
    _validate(templates)
    return [
        DeployItem(
            text(one.get("name")),
            text(one.get("type")),
            one.get("config"),
            _target(text(one.get("name")), one.get("target"), imports, namespace),
            [str(name) for name in sequence(one.get("dependsOn"))],
            {key: str(value) for key, value in mapping(one.get("labels")).items()},
            _options(one),
        )
        for one in templates
    ]


def _options(template: Object) -> dict[str, object]:
    """Return the optional fields that are set; durations in Go's form (`10m` is `10m0s`)."""
    found = {key: template[key] for key in _OPTIONAL if template.get(key)}
    timeout = found.get("timeout")
    if timeout is not None and timeout != "none":
        try:
            found["timeout"] = format_duration(parse_duration(str(timeout)))
        except GoInputError as error:
            raise _wrong(text(template.get("name")), str(error)) from None
    return found


def _validate(templates: list[Object]) -> None:
    """Raise one InstallationError with all field errors of the list."""
    problems: list[str] = []
    first: dict[str, int] = {}
    for index, template in enumerate(templates):
        place = f"deployExecutions[{index}]"
        name = text(template.get("name"))
        if not name:
            problems.append(f"{place}.name: Required value: name must not be empty")
        elif name in first:
            problems.append(f'{place}({name}): Duplicate value: "{name}"')
        first.setdefault(name, index)
        if not text(template.get("type")):
            problems.append(f"{place}({name}).type: Required value: type must not be empty")
        for key, value in mapping(template.get("labels")).items():
            if not isinstance(value, str) or not _LABEL_VALUE.match(value):
                problems.append(
                    f"{place}({name}).labels: Invalid value: the value of label {key} is not a label value"
                )
    for index, template in enumerate(templates):
        for other in sequence(template.get("dependsOn")):
            if other not in first:
                hint = did_you_mean(str(other), [one for one in first if one])
                problems.append(
                    f'deployExecutions[{index}].dependsOn: no deploy item has the name "{other}"' + hint
                )
    if problems:
        listed = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
        raise InstallationError("validation", f"error validating deploy items: {listed}")
    graph = {
        text(one.get("name")): [str(other) for other in sequence(one.get("dependsOn"))] for one in templates
    }
    try:
        order(graph)
    except InstallationError as error:
        cycle = error.message.partition(": ")[2]
        raise InstallationError("cycle", f"the deploy items have a cycle: {cycle}") from None


def _target(name: str, reference: object, imports: Imports, namespace: str) -> dict[str, str] | None:
    if reference is None:
        return None
    wanted = mapping(reference)
    imported = text(wanted.get("import"))
    if not imported:
        literal = text(wanted.get("name"))
        if not literal:
            raise _wrong(name, "empty target reference")
        return {"name": literal, "namespace": namespace}
    index = wanted.get("index")
    key = text(wanted.get("key"))
    title, known = "target", list(imports.targets)
    if index is not None:
        title, known = "targetlist", list(imports.target_lists)
    elif key:
        title, known = "targetmap", list(imports.target_maps)
    if imported not in known:
        word = imported if title == "target" else ""
        raise _wrong(name, f'{title} import "{imported}" not found' + did_you_mean(imported, known), word)
    if index is not None:
        listed = imports.target_lists[imported]
        if not isinstance(index, (int, float)) or isinstance(index, bool) or not 0 <= index < len(listed):
            raise _wrong(name, f"index {index} out of bounds")
        found = listed[int(index)]
    elif key:
        mapped = imports.target_maps[imported]
        if key not in mapped:
            raise _wrong(
                name, f'key "{key}" not found in targetmap import "{imported}"' + did_you_mean(key, mapped)
            )
        found = mapped[key]
    else:
        found = imports.targets[imported]
    return {
        "name": name_of(found),
        "namespace": text(mapping(found, "metadata").get("namespace")) or namespace,
    }


def _wrong(name: str, problem: str, word: str = "") -> InstallationError:
    message = f'invalid deployitem specification "{name}": {problem}'
    return InstallationError("deploy-item-spec", message, word=word)


def deploy_item_object(item: DeployItem, installation: str, namespace: str, context: str) -> Object:
    """Return the DeployItem as the execution controller writes it, except for its random name."""
    spec: Object = {"type": item.type, **item.options}
    if item.target is not None:
        spec["target"] = dict(item.target)
    if item.config is not None:
        spec["config"] = item.config
    spec["context"] = context
    return {
        "apiVersion": API_VERSION,
        "kind": "DeployItem",
        "metadata": {
            "name": f"{installation}-{item.name}",
            "namespace": namespace,
            "annotations": {
                DEPENDS_ON_ANNOTATION: ",".join(item.depends_on),
                DEPLOYER_TARGET_ANNOTATION: item.target["name"] if item.target else NO_TARGET,
                DEPLOYER_TYPE_ANNOTATION: item.type,
            },
            "labels": {**item.labels, MANAGED_BY_LABEL: installation, ITEM_NAME_LABEL: item.name},
        },
        "spec": spec,
    }
