"""A KRM resource: text until the first access, then a tree with positions, then edited text."""

from __future__ import annotations

from krmkit.krm import annotations as names
from krmkit.krm.annotations import Location
from krmkit.krm.errors import Refused
from krmkit.krm.plaintext import is_line_safe
from krmkit.krm.plainview import PlainView
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.data import go_data, is_core_null
from krmkit.libraries.yaml.effort import charge
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.libraries.yaml.lines import may_hide
from krmkit.libraries.yaml.tree import Document, Entry, Map, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.fieldpath import Path
    from krmkit.libraries.yaml.limits import Limits


_FREE = 32  # values, or characters / 32, of one edit that cost nothing
_NODE = 8  # steps of effort for a value written


def _growth(value: object) -> int:
    """Return the effort of writing a value, because edits that copy a copy can grow without end.

    A value of ordinary size costs nothing, however many edits there are.
    """
    if isinstance(value, str):
        return max(0, (len(value) >> 5) - _FREE)
    if not isinstance(value, (dict, list)):
        return 0
    count, characters, pending = 0, 0, [value]
    while pending:
        one = pending.pop()
        inner = one.values() if isinstance(one, dict) else one
        count += len(inner)
        for child in inner:
            if isinstance(child, str):
                characters += len(child)
            elif isinstance(child, (dict, list)):
                pending.append(child)
    return max(0, count * _NODE + (characters >> 5) - _FREE * _NODE)


class Resource(PlainView):
    """A resource, read lazily and edited in place.

    `text` is the resource after its dash (first line unindented, the others at `column`) or, with a `column`
    of 0, a document of its own. Paths are tuples of keys and list positions. `lazy`: simple fields are read
    and edited before the whole text is known to be valid (`refuse_unreadable`).
    """

    __slots__ = ("location",)

    def __init__(
        self,
        text: str,
        column: int = 0,
        lazy: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        label: str = "the resource",
        location: Location | None = None,
    ) -> None:
        self._given = text
        self._lines = None
        self._seen = {}
        self._document = None
        self._root = None
        self._anchors = None
        self.column = column
        self._is_safe = lazy and is_line_safe(text)
        self.limits = limits
        self._label = label
        self.location = location
        self.changed = False

    @classmethod
    def from_data(cls, data: object, label: str = "the new resource") -> Resource:
        """Make a resource from data: a document of its own, in Go's layout."""
        resource = cls(emit.document(data), label=label)
        resource.changed = True
        return resource

    @classmethod
    def from_node(cls, document: Document, root: Map, label: str) -> Resource:
        """Make a read-only resource from a part of a larger document (the functionConfig)."""
        resource = cls("", label=label)
        resource._document = document
        resource._root = root
        return resource

    # Reading

    def forget_tree(self) -> None:
        """Drop the tree of an unedited resource: it takes forty times the memory of the text.

        The next access parses again; nodes of the dropped tree must not be used. A resource with anchors or
        aliases keeps its tree, because other trees may refer to it.
        """
        if self.changed or self._document is None or "&" in self._text or "*" in self._text or not self._text:
            return
        # The nodes refer to their document: without this they would stay until garbage is collected.
        self._document.root = None
        self._document = self._root = None

    def may_hold(self, word: str) -> bool:
        """Return True if a word may occur in the resource, without a parse.

        Only escapes and aliases can hide a word. True also for a resource that was edited as a tree or is
        part of a larger document, because it has no text of its own yet.
        """
        if self._is_ahead():
            return True
        text = self._text
        return not text or word in text or "*" in text or may_hide(text)

    def get(self, *path: str | int, default: object = None) -> object:
        """Return Python data at a path, typed by Go's rules; `default` if the path is absent."""
        node = self.read(*path)
        return default if node is None else go_data(node, self.limits)

    def string(self, *path: str | int) -> str:
        """Return the text of the scalar at a path; "" if it is absent or null."""
        node = self.read(*path)
        return node.text if isinstance(node, Scalar) and not is_core_null(node) else ""

    @property
    def api_version(self) -> str:
        """apiVersion, "" if absent."""
        return self.string("apiVersion")

    @property
    def kind(self) -> str:
        """kind, "" if absent."""
        return self.string("kind")

    @property
    def name(self) -> str:
        """metadata.name, "" if absent."""
        return self.string("metadata", "name")

    @property
    def namespace(self) -> str:
        """metadata.namespace, "" if absent."""
        return self.string("metadata", "namespace")

    @property
    def annotations(self) -> dict[str, str]:
        """metadata.annotations as texts; {} if absent."""
        return self._strings("annotations")

    def annotation(self, name: str) -> str:
        """Return one annotation, "" if absent."""
        path = ("metadata", "annotations", name)
        node = self.read(*path) if path in self._seen or self.may_hold(name) else None
        return node.text if isinstance(node, Scalar) else ""

    @property
    def labels(self) -> dict[str, str]:
        """metadata.labels as texts; {} if absent."""
        return self._strings("labels")

    def _strings(self, name: str) -> dict[str, str]:
        found = {key: self.read("metadata", name, key) for key in self.keys("metadata", name)}
        return {key: value.text for key, value in found.items() if isinstance(value, Scalar)}

    @property
    def path(self) -> str | None:
        """Return the file the resource comes from, relative to its package; None if that is unknown."""
        if self.location is not None:
            return self.location.path
        return self.annotation(names.PATH) or self.annotation(names.LEGACY_PATH) or None

    @property
    def index(self) -> int:
        """Return the resource's position in its file, from 0."""
        if self.location is not None:
            return self.location.index
        return names.number(self.annotation(names.INDEX) or self.annotation(names.LEGACY_INDEX)) or 0

    @property
    def package_path(self) -> str:
        """Return the folder of the resource's package, "" if unknown (`kpt fn eval`, kustomize)."""
        if self.location is not None:
            return self.location.package
        return self.annotation(names.PACKAGE_PATH)

    @property
    def is_local_config(self) -> bool:
        """Return True if kpt does not apply the resource: it has the annotation, and not "false"."""
        if not self.may_hold(names.LOCAL_CONFIG):
            return False
        mark = self.annotation(names.LOCAL_CONFIG)
        return mark != "false" if mark else names.LOCAL_CONFIG in self.annotations

    def ref(self) -> dict[str, str]:
        """Return the resourceRef of results: apiVersion, kind, name and, if present, namespace."""
        ref = {"apiVersion": self.api_version, "kind": self.kind, "name": self.name}
        namespace = self.namespace
        if namespace:
            ref["namespace"] = namespace
        return ref

    def file(self) -> dict[str, object] | None:
        """Return the file of results: path and index; None if they are unknown."""
        path = self.path
        return {"path": path, "index": self.index} if path else None

    # Editing

    def rewrite(self, text: str, is_safe: bool = False) -> None:
        """Replace the text, in the form of `text`. `is_safe`: the new text is line-safe."""
        if text != self.text:
            self._replace(text)
            self._is_safe, self.changed = is_safe, True

    def set(self, path: Path, value: object) -> None:
        """Set a value (data or a node) at a path. Parent maps are created; aliases are not written through.

        A list position may be one past the end, which appends.
        """
        charge(_growth(value))
        if self._set_plainly(path, value):
            return
        if isinstance(value, str) and "\n" in value and self._document is not None and not self.changed:
            from krmkit.libraries.yaml.editing.edit import with_literal

            text = with_literal(self.node(*path), value)
            if text is not None:
                self._replace(text[self.column :])
                self._is_safe, self.changed = False, True
                return
        parent = self._collection(path[:-1], path[-1])
        last = path[-1]
        if isinstance(parent, Map) and isinstance(last, str):
            entry = parent.entry(last)
            before = entry.value if entry is not None else None
            node = parent.set(last, value)
            if entry is not None and before is not None and before.source is None:
                from krmkit.libraries.yaml.quotes import keep_style  # few fields are edited twice

                keep_style(node, before, entry.first_value)
        elif isinstance(parent, Seq) and isinstance(last, int):
            if last == len(parent.items):
                parent.append(value)
            else:
                parent.replace(last, value)
        else:
            raise Refused(
                f"{self.label}: {dotted(path)} does not fit: {dotted(path[:-1])} is a {parent.kind}"
            )
        self.changed = True

    def add_texts(self, path: Path, texts: dict[str, str]) -> int:
        """Add texts under new keys of the map at a path; return how many."""
        if texts and not any("\n" in text for text in texts.values()):
            self.refuse_unreadable()
            lines = self._by_lines()
            if lines is not None and self._add_lines(lines, path, texts):
                charge(sum(map(_growth, texts.values())))
                return len(texts)
        for key, text in texts.items():
            self.set((*path, key), text)
        return len(texts)

    def _collection(self, path: Path, child: str | int) -> Map | Seq:
        from krmkit.krm.fieldpath import container  # most runs edit lines, and no tree

        return container(self.root, path, child, self.label)

    def adopt(self, path: Path, entry: Entry) -> None:
        """Append an entry of another text, with its comments, to the mapping at a path."""
        parent = self._collection(path, entry.name or "")
        if not isinstance(parent, Map):
            raise Refused(f"{self.label}: {dotted(path)} is a list, and cannot have the key {entry.name}")
        parent.append_entry(entry)
        self.changed = True

    def remove(self, path: Path) -> bool:
        """Remove the field at a path; return False if it is absent."""
        if self.node(*path) is None:
            return False
        parent = self._collection(path[:-1], path[-1])
        last = path[-1]
        done = isinstance(parent, Map) and isinstance(last, str) and parent.remove(last)
        if isinstance(parent, Seq) and isinstance(last, int):
            parent.remove(last)
            done = True
        self.changed = self.changed or done
        return done

    def __repr__(self) -> str:
        return f"Resource({self.label})"


def ended_text(item: Resource) -> str:
    """Return a resource's text with a final line break that does not change its data."""
    text = item.text
    if text.endswith("\n"):
        return text
    from krmkit.libraries.yaml.editing.finalbreak import with_final_break

    return with_final_break(text, lambda: item.document)
