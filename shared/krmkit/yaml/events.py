"""The trees of any YAML text, from libyaml's events; and libyaml's errors in words that help."""

from __future__ import annotations

from krmkit.yaml import _libyaml
from krmkit.yaml.errors import LimitError, YamlError, line_column
from krmkit.yaml.tree import Alias, Document, Entry, Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from krmkit.yaml.limits import Limits

    class Anchors(Protocol):
        """Anchors that other texts give, by name: a dict, or what finds them when asked."""

        def get(self, name: str, /) -> Node | None: ...


_TAG_PREFIX = "tag:yaml.org,2002:"


def read_events(
    text: str, limits: Limits, unique: bool = True, anchors: Anchors | None = None, most: int = 0
) -> list[Document]:
    """The documents of `text`, at most `most` where that is not 0. `unique`: no mapping may have a key twice. Raises
    YamlError, LimitError."""
    yaml = _libyaml.backend()
    try:
        return yaml.read(
            text, lambda get_event: _build(yaml, get_event, _Builder(text, limits, unique, anchors), most)
        )
    except yaml.error as error:
        raise translate(error, text) from None
    except UnicodeEncodeError as error:
        raise YamlError(
            "the text holds a lone surrogate, which UTF-8 cannot carry", *line_column(text, error.start)
        ) from None


def _build(
    yaml: _libyaml.Backend, get_event: Callable[[], Any], builder: _Builder, most: int
) -> list[Document]:
    scalar_event, alias_event = yaml.scalar, yaml.alias
    map_start, seq_start = yaml.mapping_start, yaml.sequence_start
    map_end, seq_end = yaml.mapping_end, yaml.sequence_end
    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is scalar_event:
            node: Node = builder.scalar(event)
        elif kind is map_start or kind is seq_start:
            builder.open(event, kind is map_start)
            continue
        elif kind is map_end or kind is seq_end:
            node = builder.close(event)
        elif kind is alias_event:
            node = builder.alias(event)
        elif kind is yaml.document_start:
            if most and len(builder.documents) == most:
                raise _at(event, "a second document starts here, where only one is expected")
            builder.start(event)
            continue
        elif kind is yaml.stream_end:
            break
        else:
            continue
        builder.put(node)
    for document in builder.documents:
        root = document.root
        if isinstance(root, Scalar) and not root.style and not root.text and root.tag is None:
            document.root = None
        document.origin = document.root
    return builder.documents


class _Builder:
    """The documents read so far, the collection being filled, the key waiting for its value, and those around it."""

    __slots__ = (
        "_anchors", "_base", "_container", "_document", "_is_style_known", "_key", "_known", "_limits", "_stack", "_text",
        "_unique", "documents",
    )  # fmt: skip

    def __init__(self, text: str, limits: Limits, unique: bool, known: Anchors | None) -> None:
        self.documents: list[Document] = []
        self._text = text
        self._limits = limits
        self._unique = unique
        self._known = known
        # libyaml does not count a leading byte order mark.
        self._base = 1 if text[:1] == "\ufeff" else 0
        self._document: Document | None = None
        self._anchors: dict[str, Node] = {}
        self._container: Map | Seq | None = None
        self._key: Node | None = None
        self._stack: list[tuple[Map | Seq | None, Node | None]] = []
        self._is_style_known = False

    def start(self, event: Any) -> None:
        if event.version not in (None, (1, 1)):
            raise _at(event, "the text says %YAML, and Go reads no version but 1.1")
        self._document = Document(self._text, self._limits)
        self.documents.append(self._document)
        self._anchors = {}
        self._is_style_known = False

    def scalar(self, event: Any) -> Scalar:
        node = Scalar(event.value, event.style, self._document, event.start_mark.index + self._base)
        node.end = event.end_mark.index + self._base
        if event.tag is not None:
            node.tag = _short(event.tag)
        if event.anchor is not None:
            node.anchor = event.anchor
            self._anchors[event.anchor] = node
        return node

    def open(self, event: Any, is_map: bool) -> None:
        start = event.start_mark.index + self._base
        opened: Map | Seq = (Map if is_map else Seq)(self._document, start, event.flow_style)
        if event.tag is not None:
            opened.tag = _short(event.tag)
        if event.anchor is not None:
            opened.anchor = event.anchor
            self._anchors[event.anchor] = opened
        if not is_map and not self._is_style_known and self._key is not None and not event.flow_style:
            self._is_style_known = True
            assert self._document is not None
            self._document.wide = _dash_column(self._text, opened) > _column(self._text, self._key.start)
        self._stack.append((self._container, self._key))
        if len(self._stack) > self._limits.depth:
            place = event.start_mark.line + 1, event.start_mark.column + 1
            raise LimitError.of("depth", self._limits.depth, "the nesting", *place)
        self._container, self._key = opened, None

    def close(self, event: Any) -> Map | Seq:
        node = self._container
        assert node is not None
        if node.flow:
            end = event.end_mark.index
            if end > event.start_mark.index:  # `a: b` in `[a: b]` has no bracket of its own
                node.end = end + self._base
        if self._unique and isinstance(node, Map) and len(node.entries) > 1:
            _refuse_duplicates(node.entries, self._text)
        self._container, self._key = self._stack.pop()
        return node

    def alias(self, event: Any) -> Alias:
        name = event.anchor
        target = self._anchors.get(name)
        if target is None and self._known is not None:
            target = self._known.get(name)
        if target is None:
            # The name is not said: it may be a password that somebody forgot to quote.
            raise _at(
                event, "an alias without its anchor before it (a text that begins with `*` goes in quotes)"
            )
        assert self._document is not None
        alias = Alias(name, target, self._document, event.start_mark.index + self._base)
        alias.end = event.end_mark.index + self._base
        self._document.aliases.append(alias)
        return alias

    def put(self, node: Node) -> None:
        container = self._container
        if container is None:
            assert self._document is not None
            self._document.root = node
        elif isinstance(container, Seq):
            container.items.append(node)
        elif self._key is None:
            self._key = node
        else:
            container.entries.append(Entry(self._key, node))
            self._key = None


def _at(event: Any, message: str) -> YamlError:
    return YamlError(message, event.start_mark.line + 1, event.start_mark.column + 1)


def _dash_column(text: str, sequence: Node) -> int:
    """Column of the first dash of a block sequence; an anchor or tag stands before it, and a line above."""
    if sequence.anchor is None and sequence.tag is None:
        return _column(text, sequence.start)
    for line in text[sequence.start :].split("\n")[1:]:
        content = line.lstrip(" ")
        if content.startswith("-"):
            return len(line) - len(content)
    return 0


def _column(text: str, offset: int) -> int:
    return offset - (text.rfind("\n", 0, offset) + 1)


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


def translate(error: Any, text: str) -> YamlError:
    """A libyaml error as ours, in words that help."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return YamlError(_explain(str(error.problem)), mark.line + 1, mark.column + 1)
    reason = getattr(error, "reason", None)
    if reason is not None:
        character = error.character
        shown = f"U+{character:04X}" if isinstance(character, int) else repr(character)
        # The position counts bytes.
        prefix = text.encode("utf-8", "replace")[: error.position].decode("utf-8", "replace")
        return YamlError(f"{reason} ({shown})", *line_column(prefix, len(prefix)))
    return YamlError(str(error) or "the text is not YAML")


_HINTS = {
    "found character that cannot start any token": "a tab, `@`, `` ` `` or `%` cannot start a value; quote it, and indent with blanks",
    "mapping values are not allowed in this context": "a `: ` stands where no key can; check the indentation, or quote the text",
    "did not find expected key": "check the indentation of this line against its siblings",
    "could not find expected ':'": "a key needs a colon and a blank after it",
    "did not find expected ',' or '}'": "a flow mapping is not closed",
    "did not find expected ',' or ']'": "a flow sequence is not closed",
    "found unexpected end of stream": "a quote is not closed",
}


def _explain(problem: str) -> str:
    hint = _HINTS.get(problem)
    return f"{problem} ({hint})" if hint else problem
