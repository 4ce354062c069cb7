"""Variables that templates of patches read and nobody defines. Cluster API takes `<no value>` for them, and reports no error.

The webhook checks `valueFrom.variable` only. In a template, Go reads a missing key of a map as nil: `{{ .regoin }}` becomes
`<no value>`, and `{{ if .regoin }}` is false.
"""

from __future__ import annotations

from krmkit.clusterapi.webhooks.compatibility import spec_of
from krmkit.clusterapi.webhooks.patches import BUILTINS
from krmkit.gotemplate.errors import TemplateError
from krmkit.gotemplate.rootfields import root_fields
from krmkit.krm.finding import WARNING, Finding
from krmkit.messages.nearest import did_you_mean
from krmkit.schema.fields import entries, mapping, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krmkit.json import Object
    from krmkit.krm.resource import Resource

    Names = dict[str, Any]
    """Known fields, each with those below it. `{}` means that any field may be below."""

RULE = "undefined-variable"
_BUILTIN = "builtin"
# Who defines variables, and what becomes of one that is not defined.
_OF_CLASS = ("the class", 'Cluster API takes "<no value>" for it, without an error')
_OF_EXTENSION = ("the TopologyExtension", "it has no value")


def undefined_in_class(cluster_class: Object, resource: Resource | None) -> Iterator[Finding]:
    """Yield a warning for each variable, or field of one, that an inline patch reads and the class does not define.

    Inline patches see the variables in spec.variables only, not those that extensions add.
    """
    spec = spec_of(cluster_class)
    known = _known(entries(spec.get("variables")))
    for number, patch in enumerate(entries(spec.get("patches"))):
        if patch.get("definitions"):
            for field, template in _templates(patch, f"spec.patches[{number}]"):
                yield from _undefined(template, known, _OF_CLASS, field, resource)


def undefined_in_extension(extension: Object, resource: Resource | None) -> Iterator[Finding]:
    """Yield the same for the patches of a TopologyExtension, if it defines variables.

    A class may name the handler that defines variables beside the one that patches, so those of all handlers are known.
    """
    handlers = entries(mapping(extension, "spec").get("handlers"))
    variables = [one for handler in handlers for one in entries(handler.get("variables"))]
    if not variables:
        return
    known = {**_known(variables), "settings": {}}
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
    template: str, known: Names, words: tuple[str, str], field: str, resource: Resource | None
) -> Iterator[Finding]:
    try:
        chains = root_fields(template, called=False) if "{{" in template else ()
    except TemplateError:
        return  # the webhook reports it
    for chain in chains:
        names = known
        for position, name in enumerate(chain):
            if name not in names:
                read = "." + ".".join(chain[: position + 1])
                above = "." + ".".join(chain[:position])
                lacks = f"{above} has no field" if position else f"{words[0]} defines no variable"
                message = f'the template reads {read}, and {lacks} "{name}", so {words[1]}{did_you_mean(name, names)}'
                yield Finding(RULE, message, WARNING, resource, field, read)
                break
            names = names[name]
            if not names:
                break


def _known(variables: list[Object]) -> Names:
    found: Names = {}
    for variable in variables:
        found[text(variable.get("name"))] = _fields(
            mapping(mapping(variable.get("schema")).get("openAPIV3Schema"))
        )
    return {**found, _BUILTIN: _BUILTINS}


def _fields(schema: Object) -> Names:
    """Return the fields that a value may have. The webhook refuses a value with other fields."""
    if schema.get("additionalProperties") or schema.get("x-kubernetes-preserve-unknown-fields"):
        return {}
    return {name: _fields(mapping(inner)) for name, inner in mapping(schema.get("properties")).items()}


def _builtins() -> Names:
    """Return the fields below `builtin`: labels and annotations may have any."""
    found: Names = {}
    for path in BUILTINS:
        names = found
        for name in path.split(".")[1:]:
            names = names.setdefault(name, {})
    return found


_BUILTINS = _builtins()
