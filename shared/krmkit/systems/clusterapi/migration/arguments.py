"""Convert patches of kubeadm's arguments, which are a map in v1beta1 and a list in v1beta2.

The webhook lets no patch replace or remove one item of a list. So a patch of an argument that the template
has replaces the whole list, as far as the list's content is known at that patch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import entries, find, mapping

Path = tuple[str, ...]
_LINE = re.compile(r"^([A-Za-z0-9][\w.-]*):[ \t]+(\S.*)$")
_VARIABLE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_CONTROL = re.compile(r"\{\{-?\s*(if|else|range|end|with|define)\b")


class KnownArguments:
    """The arguments of the templates of a definition, updated by its JSON patches one after the other.

    An argument is an item of the list: {name, value}, or {name, template} for a value from a template.
    """

    def __init__(self, templates: Sequence[Object], place: Path, before: Collection[Path]) -> None:
        """Read the templates. place: the path of the KubeadmConfigSpec. before: paths patched already."""
        self.before = list(before)
        self._place = place
        self._templates = templates
        self._lists: dict[Path, list[Object] | None] = {}

    def all(self, patch: Object, arguments: Path) -> Object:
        """Convert a patch of all arguments. Raises Refused."""
        self._lists[arguments] = None
        if patch.get("op") == "remove":
            return patch
        if "value" in patch:
            value = patch["value"]
            self._lists[arguments] = _items(value)
            return {**patch, "value": _items(value) if isinstance(value, dict) else value}
        template = find(patch, ("valueFrom", "template"))
        if not isinstance(template, str):
            raise Refused("arguments are a list in v1beta2: the variable must be a list of names and values")
        return {**patch, "valueFrom": {"template": _lines(template)}}

    def one(self, patch: Object, arguments: Path, name: str) -> Object:
        """Convert a patch of one argument. Raises Refused."""
        there = self._known(arguments, name)
        position = next((number for number, item in enumerate(there or ()) if item["name"] == name), None)
        path = "/" + "/".join((*self._place, *arguments))
        if there is None or position is None:
            if patch.get("op") != "add":
                raise Refused(
                    "arguments are a list in v1beta2, of which a patch cannot"
                    f" {patch.get('op')} {name} alone: replace the whole list"
                )
            item = _item(patch, name)
            if there is not None:
                self._lists[arguments] = [*there, item]
            if "value" in item:
                return {**patch, "path": f"{path}/-", "value": item}
            template = f"name: {name}\nvalue: {item['template']}\n"
            return {**patch, "path": f"{path}/-", "valueFrom": {"template": template}}
        changed = [] if patch.get("op") == "remove" else [_item(patch, name)]
        whole = [*there[:position], *changed, *there[position + 1 :]]
        self._lists[arguments] = whole
        if not whole:
            return {"op": "remove", "path": path}
        if all("value" in item for item in whole):
            return {"op": "replace", "path": path, "value": whole}
        template = "".join(
            f"- name: {item['name']}\n  value: {item.get('template', json.dumps(item.get('value')))}\n"
            for item in whole
        )
        return {"op": "replace", "path": path, "valueFrom": {"template": template}}

    def _known(self, arguments: Path, name: str) -> list[Object] | None:
        """Return the current arguments, None if unknown. Raises Refused if only some are known."""
        if arguments in self._lists:
            return self._lists[arguments]
        path = (*self._place, *arguments)
        lists = [_items(find(one, path)) for one in self._templates]
        if not any(item["name"] == name for items in lists for item in items):
            return None
        why = ""
        if any(items != lists[0] for items in lists):
            why = "the templates that the patch selects have other arguments"
        if any(path[: len(one)] == one[: len(path)] for one in self.before):
            why = "another patch changes the arguments before this one"
        if why:
            raise Refused(
                f"arguments are a list in v1beta2, which a patch replaces as a whole, and {why}:"
                f" take {name} out of the templates, and let patches append it"
            )
        return lists[0]


def _items(arguments: Any) -> list[Object]:
    if isinstance(arguments, dict):
        return [{"name": name, "value": value} for name, value in arguments.items()]
    return [one for one in entries(arguments) if "name" in one]


def _item(patch: Object, name: str) -> Object:
    """Return the list item for a patch of an argument. Raises Refused."""
    if "value" in patch:
        return {"name": name, "value": patch["value"]}
    source = mapping(patch, "valueFrom")
    text = source.get("template")
    if isinstance(text, str):
        if "\n" in text.strip():
            raise Refused("arguments are a list in v1beta2: the template must make a name and a value")
        return {"name": name, "template": text.strip()}
    variable = str(source.get("variable", ""))
    if not _VARIABLE.fullmatch(variable):
        raise Refused(
            f"arguments are a list in v1beta2, whose items a template makes: write one that reads {variable}"
        )
    return {"name": name, "template": f"{{{{ .{variable} | toJson }}}}"}


def _lines(template: str) -> str:
    """Convert a template of lines `name: value` to a template of a list of names and values.

    Raises Refused.
    """
    made = []
    for line in template.splitlines():
        match = _LINE.match(line.rstrip())
        if match is None or match[2][0] in "|>&*!" or _CONTROL.search(line):
            raise Refused(
                "arguments are a list in v1beta2, and the template builds a map: let it build items `- name: ...` with `value: ...`"
            )
        made.append(f"- name: {match[1]}\n  value: {match[2]}")
    return "\n".join(made) + ("\n" if template.endswith("\n") or len(made) > 1 else "")
