"""Find errors in a TopologyExtension's patches without a request, and selectors without a match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate import TemplateError, parse
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import leaves, mapping
from krmkit.systems.clusterapi.hooks.inputvalidation import variables_in


def patch_problems(patch: Object, path: str, names: list[str]) -> list[tuple[str, str]]:
    """Return (path, message) of a patch's errors that need no request. names: the usable variables."""
    problems = _template_problems(patch.get("enabledIf"), f"{path}.enabledIf")
    for index, definition in enumerate(patch["definitions"]):
        place = f"{path}.definitions[{index}]"
        problems += _selector_problems(definition["selector"], f"{place}.selector")
        changes = [
            (f"{place}.jsonPatches[{number}]", change)
            for number, change in enumerate(definition.get("jsonPatches") or [])
        ]
        for where, change in changes:
            if not (change["path"] == "/spec" or change["path"].startswith("/spec/")):
                problems.append((f"{where}.path", f'must start with "/spec", got "{change["path"]}"'))
        if "jsonMergePatch" in definition:
            changes.append((f"{place}.jsonMergePatch", {"op": "add", **definition["jsonMergePatch"]}))
        if not changes:
            problems.append((place, "must have jsonPatches or jsonMergePatch"))
        for where, change in changes:
            if change["op"] in ("add", "replace"):
                problems += _value_problems(change, where) or _literal_problem(change, where, names)
    return problems


def _selector_problems(selector: Object, path: str) -> Iterator[tuple[str, str]]:
    versions = selector["apiVersion"]
    listed = versions if isinstance(versions, list) else [versions]
    if not listed or not all(isinstance(one, str) and one for one in listed):
        yield (f"{path}.apiVersion", "must be an apiVersion or a list of them")
    resources = mapping(selector, "matchResources")
    if not any(resources.values()):
        yield (f"{path}.matchResources", "must select at least one place, such as controlPlane: true")


def _literal_problem(change: Object, path: str, names: list[str]) -> list[tuple[str, str]]:
    """Report a plain `value` with template syntax: it would be written literally."""
    for text in leaves(change.get("value")):
        if isinstance(text, str) and any(name in names for name in variables_in(text)):
            message = f'the template "{text[:80]}" is written as it is; put it into valueFrom.template'
            return [(f"{path}.value", message)]
    return []


def _value_problems(change: Object, path: str) -> list[tuple[str, str]]:
    source = change.get("valueFrom")
    if (change.get("value") is None) is (source is None):
        return [(path, "must have exactly one of value and valueFrom")]
    if source is None:
        return []
    if bool(source.get("variable")) is bool(source.get("template")):
        return [(f"{path}.valueFrom", "must have exactly one of variable and template")]
    return _template_problems(source.get("template"), f"{path}.valueFrom.template")


def _template_problems(text: str | None, path: str) -> list[tuple[str, str]]:
    if text:
        try:
            parse(text, name="tpl", functions="hermetic")
        except TemplateError as error:
            return [(path, f"template can not be parsed: {error.message}")]
    return []


class Unmatched(NamedTuple):
    """A definition that selects no template. `whole`: neither does any other definition of its patch."""

    field: str
    message: str
    whole: bool


def unmatched_message(patch: str, selector: Object, seen: Iterable[tuple[str, str]]) -> str:
    """Return the message about a selector without a match, with the existing templates.

    `seen`: (kind, apiVersion) of the templates.

    >>> unmatched_message("p", {"kind": "T", "apiVersion": "i/v1"}, [("T", "i/v2")])
    'patch "p" selects no template, so it changes nothing: T is there in i/v2, not in i/v1'
    """
    kind, versions = str(selector.get("kind", "")), selector.get("apiVersion")
    wanted = [str(one) for one in versions] if isinstance(versions, list) else [str(versions)]
    present = sorted({version for other, version in seen if other == kind})
    start = f"patch {quote(patch)} selects no template, so it changes nothing:"
    if not present:
        kinds = sorted({other for other, _ in seen})
        return f"{start} no template is a {kind}" + did_you_mean(kind, kinds)
    if not set(present) & set(wanted):
        return f"{start} {kind} is there in {', '.join(present)}, not in {', '.join(wanted)}"
    places = sorted(mapping(selector, "matchResources").keys())
    return f"{start} {kind} is there, but not where matchResources looks ({', '.join(places)})"
