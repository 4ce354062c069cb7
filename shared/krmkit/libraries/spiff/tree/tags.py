"""Tags: names of published values in all documents of a stream."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from krmkit.libraries.spiff.tree.errors import Failure, Path, fail_if
from krmkit.libraries.spiff.tree.nodes import Node, find

_NUMBER = re.compile("-?[0-9]{1,9}")


@dataclass(slots=True, eq=False)
class _Tag:
    """A published value; with `stays` also for the following documents."""

    name: str
    node: Node
    path: Path
    document: int
    stays: bool


def normal(name: str) -> str:
    """Return a tag's name with one kind of separator: `a.b` becomes `a:b`."""
    return name.replace(".", ":")


@dataclass(slots=True)
class Tags:
    """The tags of a run. `document` is the current document's number, `results` are the earlier ones."""

    document: int = field(init=False, default=0)
    known: dict[str, _Tag] = field(init=False, default_factory=dict)
    results: list[Node] = field(init=False, default_factory=list)

    def set(self, name: str, node: Node, path: Path) -> None:
        """Publish a value; `*name` stays for the following documents. Raises Failure for a taken name."""
        stays = name.startswith("*")
        shown = name.lstrip("*")
        name = normal(shown)
        old = self.known.get(name)
        if old is not None:
            where = ".".join(path)
            fail_if(old.document != self.document, f'duplicate tag "{name}": {where} in foreign document')
            fail_if(old.path != path, f'duplicate tag "{name}": {where} <-> {".".join(old.path)}')
        self.known[name] = _Tag(shown, node, path, self.document, stays)

    def find(self, name: str, path: Path, control: bool) -> Node:
        """Return the value of the tag, or of the only tag below it with the path, level by level.

        `doc:N` is a document.
        """
        wanted = normal(name)
        if wanted.startswith("doc:") and _NUMBER.fullmatch(wanted, 4):
            return self._document(int(wanted[4:]), name)
        tags = [tag for key, tag in self.known.items() if key == wanted or key.startswith(wanted + ":")]
        fail_if(not tags, f"tag '{name}' not found")
        for level in sorted({normal(tag.name).count(":") for tag in tags}):
            here = [tag for tag in tags if normal(tag.name).count(":") == level]
            hits = sorted(
                (tag for tag in here if find(tag.node, path, True, control)), key=lambda tag: tag.name
            )
            if len(hits) > 1:
                what = f"{name}::{'.'.join(path) or '.'}"
                raise Failure(
                    f"ambigious tag resolution for {what}: {' <-> '.join(tag.name for tag in hits)}"
                )
            if hits:
                return hits[0].node
        return tags[0].node

    def _document(self, number: int, name: str) -> Node:
        index = number - 1 if number > 0 else len(self.results) + number
        fail_if(number == 0 or not 0 <= index < len(self.results), f"tag '{name}' not found")
        return self.results[index]

    def forget_stub(self) -> None:
        """Drop this document's tags, because stubs leave none."""
        self.known = {key: tag for key, tag in self.known.items() if tag.document != self.document}

    def next_document(self, result: Node) -> None:
        """Store a document's result, and keep the tags that stay."""
        self.results.append(result)
        self.document += 1
        self.known = {key: tag for key, tag in self.known.items() if tag.stays}
