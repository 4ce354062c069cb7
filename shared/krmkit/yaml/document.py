"""Read a YAML text as nodes, from libyaml's events; `krmkit.yaml.edit` writes them back with every untouched byte in place."""

from __future__ import annotations

from krmkit.yaml import _libyaml
from krmkit.yaml.errors import LimitError, YamlError, line_column, translate
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.tree import Alias, Collection, Document, Entry, Map, Node, Scalar, Seq, line_fed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from krmkit.yaml.limits import Limits

    class Anchors(Protocol):
        """Anchors that other texts give, by name: a dict, or what finds them when asked."""

        def get(self, name: str, /) -> Node | None: ...


_TAG_PREFIX = "tag:yaml.org,2002:"
_SHALLOW = 2  # collections in each other that keep their children


class AnyAnchor:
    """Anchors for a look at the form of a text: any alias passes."""

    def get(self, name: str, /) -> Node:
        return Scalar(name)


def parse(
    text: str,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: str = "error",
    anchors: Anchors | None = None,
) -> Document:
    """The one document of `text`. An empty or comment-only text gives a document without root.

    `duplicates="keep"` lets a repeated key pass (Go does so where it decodes into nodes). `anchors` are known from
    elsewhere (an item of a list may refer to an anchor of an earlier one). Raises YamlError, LimitError.
    """
    documents = parse_all(text, limits, duplicates, anchors, most=1)
    return documents[0] if documents else Document(text, limits)


def parse_all(
    text: str,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: str = "error",
    anchors: Anchors | None = None,
    most: int = 0,
    shallow: bool = False,
) -> list[Document]:
    """Every document of `text` (each keeps the whole text). `most=1` makes a second one an error.

    `shallow` forgets what is inside of a root's grandchildren; these say in `end` where their last scalar ends.
    """
    view = line_fed(text)

    def build(get_event: Callable[[], Any]) -> list[Document]:
        return _Reader(text, view, limits, duplicates == "error", anchors, most, shallow).documents(get_event)

    try:
        return _libyaml.read(view, build)
    except _libyaml.backend().YAMLError as error:
        raise translate(error, text) from None
    except UnicodeEncodeError as error:
        place = line_column(text, error.start)
        raise YamlError("the text holds a lone surrogate, which UTF-8 cannot carry", *place) from None


class _Reader:
    """Makes documents of events: the one being read, the collection being filled, its key that waits for a value."""

    __slots__ = (
        "_anchors",
        "_around",
        "_container",
        "_document",
        "_given",
        "_key",
        "_known",
        "_limits",
        "_most",
        "_shallow",
        "_text",
        "_unique",
    )  # fmt: skip

    def __init__(
        self,
        given: str,
        text: str,
        limits: Limits,
        unique: bool,
        known: Anchors | None,
        most: int,
        shallow: bool,
    ) -> None:
        self._given = given
        self._text = text
        self._limits = limits
        self._unique = unique
        self._known = known
        self._most = most
        self._shallow = shallow
        self._document = Document("", limits)
        self._anchors: dict[str, Node] = {}
        self._container: Map | Seq | None = None
        self._key: Node | None = None
        self._around: list[tuple[Map | Seq | None, Node | None]] = []

    def documents(self, get_event: Callable[[], Any]) -> list[Document]:
        """All documents of the text. A plain empty scalar as root is no root."""
        yaml = _libyaml.backend()
        is_scalar, is_alias = yaml.ScalarEvent, yaml.AliasEvent
        is_map, is_seq, ends_map, ends_seq = (
            yaml.MappingStartEvent, yaml.SequenceStartEvent, yaml.MappingEndEvent, yaml.SequenceEndEvent
        )  # fmt: skip
        found: list[Document] = []
        while True:
            event: Any = get_event()
            kind = type(event)
            if kind is is_scalar:
                tag, anchor = event.tag, event.anchor
                node: Node = Scalar(
                    event.value, event.style, self._document, event.start_mark.index, event.end_mark.index,
                    anchor, tag and _short(tag),
                )  # fmt: skip
                if anchor is not None:
                    self._anchors[anchor] = node
            elif kind is is_map or kind is is_seq:
                self._open(event, Map if kind is is_map else Seq)
                continue
            elif kind is ends_map or kind is ends_seq:
                node = self._close(event)
            elif kind is is_alias:
                node = self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                if self._most and len(found) == self._most:
                    raise _at(event, "a second document starts here, where only one is expected")
                if event.version not in (None, (1, 1)):
                    raise _at(event, "the text says %YAML, and Go reads no version but 1.1")
                self._document = Document(self._given, self._limits, self._text)
                self._anchors = {}
                found.append(self._document)
                continue
            elif kind is yaml.StreamEndEvent:
                return found
            else:
                continue
            self._put(node)

    def _put(self, node: Node) -> None:
        container, key = self._container, self._key
        if container is None:
            is_empty = isinstance(node, Scalar) and not node.style and not node.text and node.tag is None
            self._document.root = None if is_empty else node
        elif isinstance(container, Seq):
            container.items.append(node)
        elif key is None:
            self._key = node
        else:
            container.entries.append(Entry(key, node))
            self._key = None

    def _open(self, event: Any, cls: type[Map] | type[Seq]) -> None:
        tag, anchor = event.tag, event.anchor
        opened = cls(self._document, event.start_mark.index, event.flow_style, anchor, tag and _short(tag))
        if anchor is not None:
            self._anchors[anchor] = opened
        self._around.append((self._container, self._key))
        if len(self._around) > self._limits.depth:
            place = event.start_mark.line + 1, event.start_mark.column + 1
            raise LimitError.of("depth", self._limits.depth, "the nesting", *place)
        self._container, self._key = opened, None

    def _close(self, event: Any) -> Collection:
        node = self._container
        assert node is not None
        if node.flow:
            end = event.end_mark.index
            if end > event.start_mark.index:  # `a: b` in `[a: b]` has no bracket of its own
                node.end = end
        if self._unique and isinstance(node, Map) and len(node.entries) > 1:
            _refuse_duplicates(node.entries, self._text)
        if self._shallow and len(self._around) > _SHALLOW:
            if node.end < 0:
                node.end = (node.entries[-1].value if isinstance(node, Map) else node.items[-1]).end
            node.children().clear()
        self._container, self._key = self._around.pop()
        return node

    def _alias(self, event: Any) -> Alias:
        name = event.anchor
        target = self._anchors.get(name)
        if target is None and self._known is not None:
            target = self._known.get(name)
        if target is None:
            # The name is not said: it may be a password that somebody forgot to quote.
            raise _at(
                event, "an alias without its anchor before it (a text that begins with `*` goes in quotes)"
            )
        alias = Alias(name, target, self._document, event.start_mark.index, event.end_mark.index)
        self._document.aliases.append(alias)
        return alias


def _at(event: Any, message: str) -> YamlError:
    return YamlError(message, event.start_mark.line + 1, event.start_mark.column + 1)


def _short(tag: str) -> str:
    return "!!" + tag[len(_TAG_PREFIX) :] if tag.startswith(_TAG_PREFIX) else tag


def _refuse_duplicates(entries: list[Entry], text: str) -> None:
    """Go compares the texts of two keys, so `1` and `"1"` are the same key and `1` and `true` are not."""
    seen: dict[str, Node] = {}
    for entry in entries:
        name = entry.name
        if name is None:
            continue
        if name in seen:
            line = line_column(text, seen[name].start)[0]
            raise YamlError(
                f'the key "{name}" stands twice in one mapping (first on line {line})',
                *line_column(text, entry.key.start),
            )
        seen[name] = entry.key
