"""Kpt's mark on resources, `internal.kpt.dev/upstream-identifier`, by which renamed ones are found."""

from __future__ import annotations

import re

from krmkit.kpt.merge.tree import KPTFILE, is_kptfile
from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm.annotations import GENERATED_BY, IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits

# What kpt writes into the text of a fetched resource: its namespace and name in upstream.
_COMMENT = re.compile(r"^metadata:[ \t]*# kpt-merge: ([^\s/]*)/(\S+)", re.MULTILINE)


def identifier(item: Resource) -> str:
    """Return the identity of a resource, in kpt's form: `apps|Deployment|default|web`."""
    group, slash, _ = item.api_version.rpartition("/")
    return f"{group if slash else ''}|{item.kind}|{item.namespace or 'default'}|{item.name}"


def mark_of(item: Resource) -> str:
    """Return the identity that a resource had when it was fetched, or "".

    Kpt's comment takes precedence over its annotation.
    """
    if "# kpt-merge:" in item.text:
        found = _COMMENT.search(item.text)
        if found:
            group, slash, _ = item.api_version.rpartition("/")
            return f"{group if slash else ''}|{item.kind}|{found[1] or 'default'}|{found[2]}"
    return item.annotation(IDENTIFIER)


def who(item: Resource) -> str:
    """Return `ConfigMap app`, for messages."""
    return f"{item.kind} {item.name}"


def stamped(item: FileResource) -> FileResource:
    """Mark a resource with its own identifier, because upstream's mark belongs to another clone.

    Generated resources, and those without a name, get no mark.
    """
    if item.name and item.kind != KPTFILE and not item.annotation(GENERATED_BY):
        name = identifier(item)
        if item.annotation(IDENTIFIER) != name:
            item.set(("metadata", "annotations", IDENTIFIER), name)
    return item


def stamped_file(path: str, text: str, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the text of a file with all of its resources marked.

    A resource that cannot be edited stays unmarked, and is matched by its name.
    """
    if is_kptfile(path):
        return text
    try:
        file = SourceFile(path, text, "", path, limits)
    except (Refused, YamlError):
        return text
    for item in file.items:
        before = item.original
        try:
            _ = stamped(item).text
        except (YamlError, Refused):
            item.revert(before, changed=False)
    return file.joined(file.items)
