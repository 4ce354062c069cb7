"""The ResourceList: what a KRM function reads and writes (KRM Functions Specification v1).

Items stay text until a function needs one. Writing joins untouched and edited texts between the original
head and tail, so that untouched text stays byte for byte.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.listitem import AnchorsBefore, Companions, ListAnchors, ListItem, refuse_lost
from krmkit.krm.resource import Resource, ended_text
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.chunks import Chunks
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.libraries.yaml.lines import may_hide, shift
from krmkit.libraries.yaml.split import split
from krmkit.libraries.yaml.tree import Document, Map, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.krm.cause import CauseLog
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.libraries.yaml.tree import Entry

_VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1")
_IN_MEMORY = Chunks("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n", [], "")
"""The envelope of items that did not come in the text of a list."""


class ResourceList:
    """Items in order, the functionConfig, and the results to write.

    `results` holds mappings in the specification's shape; results of the input are dropped, because every
    function reports its own. Resources made from data go to the end. `envelope` is the text around the items.
    """

    __slots__ = (
        "_anchored", "_chunks", "_companions", "_given", "_items", "_returns",
        "causes", "envelope", "function_config", "jobs", "limits", "results", "secrets",
    )  # fmt: skip

    def __init__(self, chunks: Chunks | None, envelope: Document, limits: Limits) -> None:
        self._chunks = chunks
        self.envelope = envelope
        self.limits = limits
        self.secrets: set[str] = set()  # texts that no diff may show
        self.causes: CauseLog | None = None  # the causes of paths; None unless the run explains
        self.jobs = 1  # the processes that may work on the items; 0 for one for each core
        self.results: list[dict[str, object]] = []
        self.function_config: Resource | None = None
        self._items: list[Resource] | None = None
        self._given: ListAnchors | None = None
        self._anchored: bool | None = None
        self._companions = Companions()
        self._returns = False  # whether the list came with CRLF throughout; in memory it has line feeds only

    @classmethod
    def parse(cls, text: str, limits: Limits = DEFAULT_LIMITS) -> ResourceList:
        """Read a list. Raises YamlError, LimitError, or Refused for another document."""
        if "\\ud" in text or "\\uD" in text:
            from krmkit.libraries.yaml.surrogates import joined

            text = joined(text)
        is_crlf = 0 < text.count("\r\n") == text.count("\n") == text.count("\r")
        if is_crlf:
            text = text.replace("\r\n", "\n")
        chunks = split(text, limits)
        envelope = _envelope(chunks, limits)
        root = envelope.root
        if not isinstance(root, Map):
            raise Refused("the input must be a ResourceList: a mapping with apiVersion, kind and items")
        _check_header(root)
        rl = cls(chunks, envelope, limits)
        rl._returns = is_crlf
        config = root.get("functionConfig")
        if isinstance(config, Map):
            rl.function_config = Resource.from_node(envelope, config, "the functionConfig")
        elif config is not None and not (isinstance(config, Scalar) and config.text in ("", "null", "~")):
            raise Refused("functionConfig must be a resource: a mapping with apiVersion and kind")
        return rl

    @classmethod
    def of(
        cls, items: list[Resource], config: Resource | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> ResourceList:
        """Make a list in memory, as a pipeline passes it from function to function."""
        rl = cls(None, Document(""), limits)
        rl._items = items
        rl.function_config = config
        return rl

    # Items

    @property
    def items(self) -> list[Resource]:
        """Return the resources, in order. Change the list through `add` and `remove`."""
        if self._items is None:
            chunks = self._chunks
            assert chunks is not None
            column, limits, flow, items = chunks.column, self.limits, chunks.flow, list[Resource]()
            for number, text in enumerate(chunks.items):
                is_safe = not flow and number not in chunks.unverified
                items.append(ListItem(self._companions, number, text, 0 if flow else column, is_safe, limits))
            self._items = items
        if self._given is None:
            self._given = self._companions.anchors = ListAnchors(list(self._items))
        return self._items

    @property
    def anchors(self) -> ListAnchors:
        """Return the anchors of the items that came with the list."""
        _ = self.items
        assert self._given is not None
        return self._given

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.items)

    def containing(self, *needles: str, alternative: tuple[str, ...] = ()) -> Iterator[Resource]:
        """Yield at least the resources that hold all needles, or all of `alternative`, as text.

        Needles are words that YAML can hide only by escapes or aliases. Some resources without them are
        yielded too.
        """
        for item in self.items:
            text = item.text
            if (
                all(needle in text for needle in needles)
                or (alternative and all(needle in text for needle in alternative))
                or may_hide(text)
                or ("*" in text and self._has_anchors())
            ):
                yield item

    def _has_anchors(self) -> bool:
        if self._anchored is None:
            self._anchored = any("&" in item._text for item in self.items)
        return self._anchored

    def add(self, item: Resource | dict[str, object]) -> Resource:
        """Append a resource; data are written in Go's layout."""
        resource = item if isinstance(item, Resource) else Resource.from_data(item)
        self.items.append(resource)
        return resource

    def remove(self, *gone: Resource) -> None:
        """Remove resources in one pass: `resources.remove(*stale)`.

        Raises Refused if remaining items refer to an anchor in one of them.
        """
        wanted = {id(item) for item in gone}
        kept = [item for item in self.items if id(item) not in wanted]
        holders = {id(item.document): item for item in gone if "&" in item._text}
        for other in kept if holders else ():
            aliases = other.document.aliases if "*" in other._text else ()
            for alias in aliases:
                item = holders.get(id(alias.target.source))
                if item is not None:
                    raise Refused(
                        f"{item.label} holds an anchor that {other.label} refers to, so it cannot be removed"
                    )
        self.items[:] = kept

    # Writing

    def render(self) -> str:
        """Return the whole list as text, results included."""
        text = self._render()
        return text.replace("\r\n", "\n").replace("\n", "\r\n") if self._returns else text

    def _render(self) -> str:
        chunks = self._chunks
        if chunks is None:
            chunks = _IN_MEMORY
            head, tail = chunks.head, self._fresh_tail()
        elif chunks.items:
            head, tail = self._render_envelope()
        else:
            return self._render_without_items()
        if chunks.flow:
            from krmkit.krm.flowlist import flow_body  # few lists are in brackets

            return head + flow_body(self.items, chunks) + tail
        if self._items is None:
            texts = chunks.items
        else:
            texts = [self._placed(item, chunks) for item in self._items]
            came = [item for item in self._items if isinstance(item, ListItem)]
            refuse_lost(self._items, ((chunks.items[one.number], one.text) for one in came), self.envelope)
            if not texts:
                from krmkit.krm.emptylist import emptied  # few runs remove all

                return emptied(head) + tail
            for index, text in enumerate(texts[:-1]):
                if text[-1:] != "\n":
                    texts[index] = self._ended(index, text)
        return self._joined(head, texts, tail, chunks.dash)

    def _joined(self, head: str, texts: list[str], tail: str, dash: str) -> str:
        """Join head, items and tail; the last item gets a line break if text follows."""
        # One join, because each copy of a large list is as large as the list.
        parts = [head]
        for text in texts:
            parts += (dash, text)
        if tail and texts[-1][-1:] != "\n":
            parts[-1] = self._ended(len(texts) - 1, texts[-1])
        parts.append(tail)
        return "".join(parts)

    def _ended(self, position: int, text: str) -> str:
        """Return an item's text with a final line break that does not change its value."""

        item = self.items[position]
        return ended_text(item) if item.text == text else text + "\n"

    def _placed(self, item: Resource, chunks: Chunks) -> str:
        """Return an item's text as written after a dash of this list."""
        column = chunks.column
        # Behind a bare dash (items that begin on the line below theirs) a blank has to come first.
        blank = "" if chunks.dash.endswith(" ") else " "
        if type(item) is ListItem and item.column == column and (not blank or item.text[:1] in " \n"):
            return item.text

        column += len(blank)
        return blank + shift(" " * item.column + ended_text(item), item.column, column)[column:]

    def _render_without_items(self) -> str:
        """Edit the text of a list that came without items as a document, and insert items."""
        root, items = self.envelope.root, self._items
        assert isinstance(root, Map)
        known = root.entry("results")
        if self.results or (known is not None and not _is_empty_entry(known)):
            root.set("results", self.results)
        if not items:
            return _rendered(self.envelope)
        if not isinstance(root.get("items"), Seq):
            root.set("items", [])
        from krmkit.krm.emptylist import opened  # for lists in which all is new

        chunks = opened(_rendered(self.envelope), self.limits)
        if chunks is not None:
            return self._joined(
                chunks.head, [self._placed(item, chunks) for item in items], chunks.tail, chunks.dash
            )
        root.set("items", [item.get() for item in items])
        return _rendered(self.envelope)

    def _render_envelope(self) -> tuple[str, str]:
        chunks, envelope = self._chunks, self.envelope
        assert chunks is not None
        root = envelope.root
        assert isinstance(root, Map)
        head, tail = chunks.head, chunks.tail
        known = root.entry("results")
        if not self.results and (known is None or _is_empty_entry(known)):
            return head, tail
        if known is not None or root.flow:
            return self._with_results(head, tail)
        start = root.entries[0].key.start
        # The key may follow a question mark of its own.
        lead = envelope.text[envelope.text.rfind("\n", 0, start) + 1 : start].removeprefix("\ufeff")
        at = len(lead) - len(lead.lstrip(" "))
        fresh = f"{' ' * at}results:{emit.after_key(self.results, at)}\n"
        if "\r\n" in head:
            fresh = fresh.replace("\n", "\r\n")
        # In front of what ends the document, if anything does.
        ends = [at for at in (("\n" + tail).find("\n---"), ("\n" + tail).find("\n...")) if at >= 0]
        rest = tail[min(ends) :] if ends else ""
        tail = tail[: len(tail) - len(rest)]
        return head, tail + ("\n" if tail and not tail.endswith("\n") else "") + fresh + rest

    def _with_results(self, head: str, tail: str) -> tuple[str, str]:
        """Return head and tail; the results replace those in either."""
        root = self.envelope.root
        assert isinstance(root, Map)
        root.set("results", self.results)
        text = _rendered(self.envelope)
        if text.startswith(head):
            return head, text[len(head) :]
        return text[: len(text) - len(tail)], tail

    def _fresh_tail(self) -> str:
        tail = ""
        if self.function_config is not None:
            tail += "functionConfig:\n  " + self._placed(self.function_config, _IN_MEMORY)
        if self.results:
            tail += "results:" + emit.after_key(self.results, 0) + "\n"
        return tail


def _envelope(chunks: Chunks, limits: Limits) -> Document:
    """Parse the text around the items, which may refer to their anchors; empty documents may follow."""
    if chunks.envelope:
        return chunks.envelope[0]
    text = chunks.head + chunks.tail
    anchors = None
    if "*" in chunks.tail:
        anchors = AnchorsBefore(ResourceList(chunks, Document(""), limits).anchors, len(chunks.items))
    try:
        documents = parse_all(text, limits, anchors=anchors)
    except YamlError:
        # Again with blank lines in the place of the items, for an error with the lines of the whole text.
        lines = sum(part.count("\n") for part in (*chunks.items, *(chunks.joints or ())))
        parse_all(chunks.head + "\n" * lines + chunks.tail, limits, anchors=anchors)
        raise
    if any(document.root is not None for document in documents[1:]):
        raise Refused("the input holds more than one document, where one ResourceList is expected")
    return documents[0] if documents else Document(text, limits)


def _rendered(document: Document) -> str:
    # The editor is loaded with the first edit.
    from krmkit.libraries.yaml.editing.edit import render

    return render(document)


def _check_header(root: Map) -> None:
    """Raise Refused unless a mapping is a ResourceList of a known version."""
    kind, version = _text(root, "kind"), _text(root, "apiVersion")
    if kind != "ResourceList":
        raise Refused(f"the input's kind is {kind or 'absent'}, expected ResourceList")
    if version not in _VERSIONS:
        raise Refused(f"the ResourceList's apiVersion is {version or 'absent'}, expected {_VERSIONS[0]}")


def _is_empty_entry(entry: Entry) -> bool:
    """Return True if a field has no value: `results:`, `results: []`."""
    value = entry.first_value
    return (isinstance(value, Seq) and not value.items) or (isinstance(value, Scalar) and not value.text)


def _text(root: Map, name: str) -> str:
    node = root.get(name)
    return node.text if isinstance(node, Scalar) else ""
