"""Find undefined variables that templates of patches read.

Cluster API reports no error: the webhook checks `valueFrom.variable` only, and in a template Go reads a
missing key of a map as nil: `{{ .regoin }}` becomes `<no value>`, and `{{ if .regoin }}` is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.gotemplate import FieldNames, TemplateError, unknown_fields
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.clusterapi.webhooks.compatibility import spec_of
from krmkit.systems.clusterapi.webhooks.patches import BUILTINS

RULE = "undefined-variable"
_BUILTIN = "builtin"
# Who defines variables, and what becomes of one that is not defined.
_OF_CLASS = ("the class", 'Cluster API takes "<no value>" for it, without an error')
_OF_EXTENSION = ("the TopologyExtension", "it has no value")


def undefined_in_class(cluster_class: Object, resource: Resource | None) -> Iterator[Finding]:
    """Warn of each variable or field that an inline patch reads and the class does not define.

    Inline patches see only spec.variables, not the variables of extensions.
    """
    spec = spec_of(cluster_class)
    known = _known(entries(spec.get("variables")))
    for number, patch in enumerate(entries(spec.get("patches"))):
        if patch.get("definitions"):
            for field, template in _templates(patch, f"spec.patches[{number}]"):
                yield from _undefined(template, known, _OF_CLASS, field, resource)


def undefined_in_extension(extension: Object, resource: Resource | None) -> Iterator[Finding]:
    """Warn of undefined variables in the patches of a TopologyExtension that defines variables.

    In a class, one handler may define variables and another may patch; so the variables of all handlers are
    known.
    """
    handlers = entries(mapping(extension, "spec").get("handlers"))
    variables = [one for handler in handlers for one in entries(handler.get("variables"))]
    if not variables:
        return
    known = {**_known(variables), "settings": None}
    for position, handler in enumerate(handlers):
        for number, patch in enumerate(entries(handler.get("patches"))):
            for field, template in _templates(patch, f"spec.handlers[{position}].patches[{number}]"):
                yield from _undefined(template, known, _OF_EXTENSION, field, resource)


def _templates(patch: Object, path: str) -> Iterator[tuple[str, str]]:
    """Yield field and text of each template of a patch."""
    yield f"{path}.enabledIf", text(patch.get("enabledIf"))
    for number, definition in enumerate(entries(patch.get("definitions"))):
        changes = [
            (f"jsonPatches[{index}]", one) for index, one in enumerate(entries(definition.get("jsonPatches")))
        ]
        changes.append(("jsonMergePatch", mapping(definition.get("jsonMergePatch"))))
        for name, change in changes:
            source = mapping(change.get("valueFrom"))
            yield f"{path}.definitions[{number}].{name}.valueFrom.template", text(source.get("template"))


def _undefined(
    template: str, known: FieldNames, words: tuple[str, str], field: str, resource: Resource | None
) -> Iterator[Finding]:
    try:
        for one in unknown_fields(template, known):
            lacks = f"{one.above} has no field" if one.above else f"{words[0]} defines no variable"
            hint = did_you_mean(one.name, one.known)
            message = f'the template reads {one.path}, and {lacks} "{one.name}", so {words[1]}' + hint
            yield Finding(RULE, message, resource, field, one.path)
    except TemplateError:
        return  # the webhook reports it


def _known(variables: list[Object]) -> dict[str, FieldNames | None]:
    schemas = {text(one.get("name")): mapping(one, "schema", "openAPIV3Schema") for one in variables}
    return {**{name: _fields(schema) for name, schema in schemas.items()}, _BUILTIN: _BUILTINS}


def _fields(schema: Object) -> FieldNames | None:
    """Return the field names that a value may have; None if it may have any."""
    properties = mapping(schema.get("properties"))
    if schema.get("additionalProperties") or schema.get("x-kubernetes-preserve-unknown-fields"):
        return None
    return {name: _fields(mapping(inner)) for name, inner in properties.items()} or None


def _builtins() -> FieldNames:
    """Return the field names below `builtin`: labels and annotations may have any."""
    tree: dict[str, Any] = {}
    for path in BUILTINS:
        names = tree
        for name in path.split(".")[1:]:
            names = names.setdefault(name, {})
    return _open_leaves(tree)


def _open_leaves(tree: dict[str, Any]) -> FieldNames:
    return {name: _open_leaves(inner) if inner else None for name, inner in tree.items()}


_BUILTINS = _builtins()
