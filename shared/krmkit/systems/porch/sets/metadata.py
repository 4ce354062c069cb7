"""The part of an item that a set uses, read from the plain lines of its metadata, else from the parsed item.

A set can have ten thousand repositories, and parsing would be most of the cost.
"""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.systems.porch.sets.targets import TargetObject

_NOT_PLAIN = frozenset("&*!|>{}[]@`%?#,-:'\"\t ")
_MAPS = ("labels", "annotations")
_NAMES = ("name", "namespace")


def target_object(resource: Resource) -> TargetObject:
    """Name, namespace, labels and annotations of an item. YamlError, Refused for another text."""
    if resource.line_safe:
        resource.refuse_unreadable()
        found = _scan(resource.text, resource.column)
        if found is not None:
            return found
    return TargetObject(resource.name, resource.namespace, resource.labels, resource.annotations)


def _scan(text: str, column: int) -> TargetObject | None:
    """The lines below `metadata:`, as long as each is `key: value` of one line; None where one is not.

    The item is line-safe: no quote and no flow collection is open at the end of any line, so text at a column is a key there.
    """
    head = "\n" + " " * column + "metadata:"
    start = text.find(head + "\n")
    if start < 0 or "\r" in text or text.find(head, start + 1) >= 0:
        return None
    child = -1
    section = ""
    inner = -1
    fields: dict[str, str] = {}
    maps: dict[str, dict[str, str]] = {"labels": {}, "annotations": {}}
    into = fields
    for line in text[start + len(head) + 1 :].split("\n"):
        content = line.lstrip(" ")
        indent = len(line) - len(content)
        if not content:
            continue
        if indent <= column:
            if content[0] == "#":
                return None  # a comment may be anywhere; the mapping can continue after it
            break
        if child < 0:
            child = indent
        if indent == child:
            into, section = fields, ""
        elif not section:
            return None
        elif section in _MAPS:
            if inner < 0:
                inner = indent
            if indent != inner:
                return None
        else:
            continue
        key, colon, rest = content.partition(":")
        if not colon or not key or key[0] in _NOT_PLAIN or " " in key or key in into:
            return None
        if not rest and into is fields:
            if key in _NAMES:
                return None  # the name is on the next line
            section, inner = key, -1
            into[key] = ""
            if key in _MAPS:
                into = maps[key]
            continue
        value = _plain(rest)
        if value is None:
            return None
        into[key] = value
    if not section and not fields:
        return None
    return TargetObject(
        fields.get("name", ""), fields.get("namespace", ""), maps["labels"], maps["annotations"]
    )


def _plain(rest: str) -> str | None:
    """The text of a scalar of one line, after its key's colon; None if a parse is needed."""
    if not rest.startswith(" "):
        return None
    value = rest.strip(" ")
    if not value:
        return None
    first = value[0]
    if first in "'\"":
        inner = value[1:-1]
        if len(value) < 2 or value[-1] != first or first in inner or "\\" in inner:
            return None
        return inner
    if first in _NOT_PLAIN or " #" in value or ": " in value or value[-1] == ":":
        return None
    return value
