"""A file of a package as text, split into documents, and joined again with the changed ones.

Unchanged documents join to exactly the file's bytes. The text between documents (separators, comments, line
ends) belongs to the document that follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.krm import annotations as names
from krmkit.krm.annotations import Location
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource, ended_text
from krmkit.libraries.yaml.errors import LimitError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.lines import may_hide

# The annotations that kpt adds to items on reading, and removes on writing.
ORCHESTRATION = (
    names.LEGACY_INDEX,
    names.LEGACY_PATH,
    names.INDEX,
    names.PACKAGE_PATH,
    names.PATH,
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "internal.config.kubernetes.io/id",
    "config.k8s.io/id",
    "internal.config.k8s.io/kpt-resource-id",
)


class FileResource(Resource):
    """A resource of a file. Its annotations include those that kpt would add; its text does not."""

    __slots__ = ("original",)
    location: Location

    def __init__(self, text: str, location: Location, label: str, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(text, lazy=True, limits=limits, label=label, location=location)
        self.original = text

    @property
    def annotations(self) -> dict[str, str]:
        """Return metadata.annotations as texts, with the path, index and package that kpt adds."""
        return {**self.location.annotations, **super().annotations}

    @classmethod
    def made(cls, resource: Resource, location: Location) -> FileResource:
        """Return the item for a resource that a function created."""
        item = cls(standalone(resource), location, location.path, resource.limits)
        item.changed = True
        return item

    def revert(self, text: str, changed: bool) -> None:
        """Restore an earlier text, because a validator must not change anything."""
        self._replace(text)
        self.changed = changed


class SourceFile:
    """One file: its `path` relative to its package, its text and the resources in it, in order."""

    __slots__ = ("_leads", "_tail", "items", "path", "text")

    def __init__(
        self, path: str, text: str, package: str, label: str, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.path = path
        self.text = text
        self.items: list[FileResource] = []
        self._leads: list[str] = []
        lead = ""
        line = 1
        for separator, body in split_documents(text, label):
            first = line + separator.count("\n")
            line = first + body.count("\n")
            if not has_content(body):
                lead += separator + body
                continue
            index = len(self.items)
            name = f"{label} (document {index + 1})" if index else label
            if len(body) > limits.item_size:
                raise LimitError.of("item_size", limits.item_size, f"the size of {name} in characters")
            self.items.append(FileResource(body, Location(path, index, package, line=first), name, limits))
            self._leads.append(lead + separator)
            lead = ""
        self._tail = lead

    def joined(self, items: Sequence[Resource]) -> str:
        """Return the file's text with these resources, in this order.

        Each of the file's own resources keeps the text before it.
        """
        own = {id(item): position for position, item in enumerate(self.items)}
        parts: list[str] = []
        for number, item in enumerate(items):
            position = own.get(id(item))
            if position is not None and (number > 0) == (position > 0):
                lead = self._leads[position]
            else:
                lead = "---\n" if number else ""
            if parts and lead:
                parts[-1] = ended_text(items[number - 1])
            parts.append(lead)
            parts.append(item.text)
        if self._tail and items:
            parts[-1] = ended_text(items[-1])
        text = "".join(parts)
        if not self.items:
            # Only comments, and perhaps null, which cannot be in a file with resources.
            comments = [line for line in self._tail.split("\n") if line.startswith("#")]
            return "".join(f"{line}\n" for line in comments) + text
        return text + self._tail


def joined(items: Sequence[Resource]) -> str:
    """Return the text of a new file."""
    return "---\n".join([ended_text(item) for item in items])


def split_documents(text: str, label: str) -> list[tuple[str, str]]:
    """Return (separator, body) of each document, as kpt splits them; joined they are the text.

    A separator is a line that starts with three dashes, except the first line. Raises Refused if more than a
    comment follows the dashes.
    """
    documents: list[tuple[str, str]] = []
    separator = ""
    start = position = 0
    while True:
        position = text.find("\n---", position)
        if position < 0:
            break
        stop = text.find("\n", position + 1)
        rest = text[position + 4 : stop if stop >= 0 else len(text)].strip()
        if rest and not rest.startswith("#"):
            line = text.count("\n", 0, position) + 2
            raise Refused(
                f'{label}: line {line}: "---{rest[:40]}" separates documents, and only a comment may follow the dashes'
            )
        documents.append((separator, text[start : position + 1]))
        start = stop + 1 if stop >= 0 else len(text)
        separator = text[position + 1 : start]
        position = start
    documents.append((separator, text[start:]))
    return documents


def first_document(text: str, label: str) -> str:
    """Return the first document with content, which kpt reads as the Kptfile. Raises Refused."""
    return next((body for _, body in split_documents(text, label) if has_content(body)), text)


def has_content(body: str) -> bool:
    """Return True if a document has more than comments, markers, directives and null."""
    if len(body) > 2 and body[0].isalpha() and ":" in body[: body.find("\n") + 1]:
        return True  # a key on the first line, the usual case
    for line in body.split("\n"):
        line = line.strip("\ufeff \t\r")
        for marker in ("---", "..."):
            if line.startswith(marker):
                line = line[3:].strip()
        if line and not line.startswith("#") and line.partition(" #")[0].strip() not in {"null", "~"}:
            return True
    return False


def strip_orchestration(resource: Resource) -> None:
    """Remove the annotations that kpt removes, and then an empty annotations map."""
    removed = False
    for name in ORCHESTRATION:
        removed = resource.remove(("metadata", "annotations", name)) or removed
    if removed and resource.get("metadata", "annotations") == {}:
        resource.remove(("metadata", "annotations"))


def standalone(resource: Resource) -> str:
    """Return the text of a resource as a document of its own."""
    if not resource.column:
        return resource.text
    from krmkit.libraries.yaml.lines import shift

    return shift(" " * resource.column + resource.text, resource.column, 0)


def package_file(path: str, text: str, package: str, label: str, limits: Limits) -> SourceFile:
    """Read a file of a package, and remove the annotations that kpt removes."""
    file = SourceFile(path, text, package, label, limits)
    for item in file.items:
        if may_hold_orchestration(item.original):
            strip_orchestration(item)
    return file


def without(data: object, annotations: tuple[str, ...]) -> object:
    """Return a resource's data without these annotations, and without an `annotations` map left empty."""
    if not isinstance(data, dict) or not isinstance(data.get("metadata"), dict):
        return data
    found = data["metadata"].get("annotations")
    if not isinstance(found, dict) or found.keys().isdisjoint(annotations):
        return data
    kept = {key: value for key, value in found.items() if key not in annotations}
    metadata = {key: value for key, value in data["metadata"].items() if key != "annotations"}
    if kept:
        metadata = {key: kept if key == "annotations" else value for key, value in data["metadata"].items()}
    return {key: metadata if key == "metadata" else value for key, value in data.items()}


def may_hold_orchestration(text: str) -> bool:
    """Return True if the text may have an annotation that kpt removes; false positives occur.

    `config.kubernetes.io/local-config`, which many resources have, gives no false positive.
    """
    if "config.kubernetes.io/" not in text and "config.k8s.io/" not in text:
        return False
    return any(name in text for name in ORCHESTRATION) or "*" in text or may_hide(text)
