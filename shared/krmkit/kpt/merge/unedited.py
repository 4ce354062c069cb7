"""Decide whether a resource or file is unedited since it was fetched.

kpt's marks and formatting are not edits, comments are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from krmkit.kpt.source import FileResource, SourceFile, split_documents, without
from krmkit.krm.annotations import BLUEPRINT, BLUEPRINT_OF_KPT, IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.libraries.schema.fields import mapping
from krmkit.libraries.yaml.data import same_data, walk
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.places import block_scalar_end
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Collection, Entry, Node, Scalar

SUFFIXES = (".yaml", ".yml")

# kpt writes its own comment after `metadata:`, replacing the old one.
_OF_KPT = "# kpt-merge:"
_BEHIND_METADATA = re.compile(r"^metadata:[ \t]*(#.*)$", re.MULTILINE)


def source(path: str, content: bytes) -> SourceFile:
    """Read a file of resources. Raises Refused if a document is not a resource."""
    file = SourceFile(path, content.decode("utf-8"), "", path)
    for item in file.items:
        if not item.kind or not item.api_version:
            raise Refused(f"{path}: document {item.index + 1} must have apiVersion and kind")
    return file


def marks_of(data: object) -> dict[str, str]:
    """Return the annotations that kpt and krmkit add to fetched resources."""
    annotations = mapping(data, "metadata", "annotations")
    marks = {IDENTIFIER: annotations[IDENTIFIER]} if IDENTIFIER in annotations else {}
    return marks | ({BLUEPRINT: BLUEPRINT_OF_KPT} if annotations.get(BLUEPRINT) == BLUEPRINT_OF_KPT else {})


def data_of(item: FileResource) -> dict[str, Any]:
    """Return a resource's data without kpt's and krmkit's marks."""
    found = item.get()
    data = without(found, tuple(marks_of(found)))
    assert isinstance(data, dict)
    return data


def is_same_resource(base: FileResource, local: FileResource) -> bool:
    """Return True if a local resource has the base's values, and no added comments."""
    if base.original == local.original:
        return True
    if not same_data(data_of(base), data_of(local)):
        return False
    if "#" not in local.original:
        return True
    return not Counter(comments_of(local.original)) - Counter(comments_of(base.original))


def is_unedited(path: str, base: bytes | None, local: bytes | None) -> bool:
    """Return True for a local file with the base's bytes, or with its resources and comments.

    Kpt's marks are ignored: `kpt pkg get` marks each resource, and rewrites its file.
    """
    if base == local:
        return True
    if base is None or local is None or not (path.endswith(SUFFIXES) or path.rpartition("/")[2] == "Kptfile"):
        return False
    try:
        before, after = source(path, base), source(path, local)
        old, here = ([data_of(item) for item in file.items] for file in (before, after))
    except (Refused, YamlError, UnicodeDecodeError):
        return False
    if not same_data(old, here):
        return False
    replaced = _OF_KPT in after.text
    left, right = (Counter(_all_comments(file, replaced)) for file in (before, after))
    return left == right


def _all_comments(file: SourceFile, replaced: bool) -> Iterator[str]:
    """Yield the comments of a file; without those after `metadata:` if kpt `replaced` them."""
    gone: Counter[str] = Counter()
    bodies = [item.original for item in file.items]
    around = file.joined([]) if not bodies else file.text
    for body in bodies:
        around = around.replace(body, "\n", 1)
        if replaced:
            gone += Counter(comment.strip() for comment in _BEHIND_METADATA.findall(body))
    for text in (*bodies, around):
        for comment in comments_of(text):
            if gone[comment]:
                gone[comment] -= 1
            else:
                yield comment


def comments_in(text: str) -> Iterator[str]:
    """Yield the comments of all documents of a file, and those in the texts of its fields."""
    try:
        documents = split_documents(text, "")
    except Refused:
        documents = [("", text)]
    for separator, body in documents:
        if "#" in separator:
            yield separator[separator.index("#") :].strip()
        yield from comments_of(body, inside=True)


def comments_of(text: str, inside: bool = False) -> list[str]:
    """Return the comments of a document without kpt's own; a `#` in a scalar does not begin one.

    `inside`: also comments in texts of fields. Example: `a: "# no" # yes` has ["# yes"].
    """
    if "#" not in text:
        return []
    try:
        document = parse(text)
    except YamlError:
        return [line.strip() for line in text.splitlines() if line.lstrip().startswith("#")]
    comments: list[str] = []
    view = document.text
    position = 0
    for start, end in [*sorted(_scalars(document.root, view)), (len(view), len(view))]:
        while position < start:
            sign = view.find("#", position, start)
            if sign < 0:
                break
            stop = view.find("\n", sign)
            stop = len(view) if stop < 0 else stop
            if sign == 0 or view[sign - 1] in " \t\n":
                comment = view[sign:stop].strip()
                if not comment.startswith(_OF_KPT):
                    comments.append(comment)
                position = stop
            else:
                position = sign + 1
        position = max(position, end)
    for node in walk(document.root) if inside else ():
        if isinstance(node, Scalar) and "\n" in node.text:
            comments += comments_of(node.text)
    return comments


def _scalars(root: Node | None, view: str) -> Iterator[tuple[int, int]]:
    """Yield the places of scalars, also of keys; a block scalar's place is the text below its header."""
    waiting: list[Node] = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Collection):
            for child in node.in_text():
                waiting += [child.first_key, child.first_value] if isinstance(child, Entry) else [child]
        elif isinstance(node, Scalar) and node.end > node.start >= 0:
            if node.style in ("|", ">"):
                below = view.find("\n", node.start, node.end)
                end = block_scalar_end(view, node.start, node.end, node.text)
                yield (below if below >= 0 else node.end), end
            else:
                yield node.start, node.end
