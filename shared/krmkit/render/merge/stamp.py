"""kpt's mark on resources that come from upstream: `internal.kpt.dev/upstream-identifier`, by which a renamed one is found again."""

from __future__ import annotations

from krmkit.krm.annotations import GENERATED_BY, IDENTIFIER
from krmkit.krm.errors import ListError
from krmkit.render.merge.mergeunits import identifier
from krmkit.render.source import FileResource, SourceError, SourceFile
from krmkit.yaml.errors import YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS, Limits

_KPTFILE = "Kptfile"


def stamped(item: FileResource) -> FileResource:
    """Mark a resource with its own identifier: whatever it carries from upstream is about another clone.

    Without a mark stay what functions generate, and what has no name.
    """
    if item.name and item.kind != _KPTFILE and not item.annotation(GENERATED_BY):
        name = identifier(item)
        if item.annotation(IDENTIFIER) != name:
            item.set(("metadata", "annotations", IDENTIFIER), name)
    return item


def stamped_file(path: str, text: str, limits: Limits = DEFAULT_LIMITS) -> str:
    """The text of a file with all of its resources marked. One that cannot be edited stays as it is, and goes by its name."""
    if path.rpartition("/")[2] == _KPTFILE:
        return text
    try:
        file = SourceFile(path, text, "", path, limits)
    except (SourceError, YamlError):
        return text
    for item in file.items:
        before = item.original
        try:
            _ = stamped(item).text
        except (YamlError, ListError):
            item.revert(before, changed=False)
    return file.joined(file.items)
