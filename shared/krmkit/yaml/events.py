"""The trees of any YAML text, from libyaml's events; and libyaml's errors in words that help."""

from __future__ import annotations

from krmkit.yaml import _libyaml
from krmkit.yaml.errors import LimitError, YamlError, line_column
from krmkit.yaml.literal import block_scalar_end
from krmkit.yaml.tree import Alias, Entry, Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from krmkit.yaml.document import Document
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
        return _build(yaml, text, limits, unique, anchors, most)
    except yaml.error as error:
        raise translate(error, text) from None
    except UnicodeEncodeError as error:
        raise YamlError(
            "the text holds a lone surrogate, which UTF-8 cannot carry", *line_column(text, error.start)
        ) from None


def _build(
    yaml: _libyaml.Backend,
    text: str,
    limits: Limits,
    unique: bool,
    known: Anchors | None,
    most: int,
) -> list[Document]:
    from krmkit.yaml.document import Document

    scalar_event, alias_event = yaml.scalar, yaml.alias
    map_start, map_end = yaml.mapping_start, yaml.mapping_end
    seq_start, seq_end = yaml.sequence_start, yaml.sequence_end
    # libyaml does not count a leading byte order mark.
    base = 1 if text[:1] == "\ufeff" else 0
    get_event = yaml.events(text)
    depth_limit = limits.depth
    documents: list[Document] = []
    document: Document | None = None
    anchors: dict[str, Node] = {}
    # The container being filled, the key waiting for its value, and the same for all outer containers.
    container: Map | Seq | None = None
    key: Node | None = None
    stack: list[tuple[Map | Seq | None, Node | None]] = []
    style_known = False

    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is scalar_event:
            start, end = event.start_mark.index + base, event.end_mark.index + base
            style = event.style
            node: Node = Scalar(event.value, style, document, start, end)
            if style == "|" or style == ">":
                node.end = block_scalar_end(text, start, end, event.value)
            tag = event.tag
            if tag is not None:
                node.tag = _short(tag)
            if event.anchor is not None:
                node.anchor = event.anchor
                anchors[event.anchor] = node
        elif kind is map_start or kind is seq_start:
            mark = event.start_mark
            start = mark.index + base
            opened: Map | Seq
            if kind is map_start:
                opened = Map(document, start, event.flow_style)
            else:
                opened = Seq(document, start, event.flow_style)
            tag = event.tag
            if tag is not None and tag != "!":
                opened.tag = _short(tag)
            if event.anchor is not None:
                opened.anchor = event.anchor
                anchors[event.anchor] = opened
            if not style_known and kind is seq_start and key is not None and not event.flow_style:
                style_known = True
                assert document is not None and isinstance(opened, Seq)
                at = mark.column
                if event.anchor is not None or tag is not None:
                    # The mark is where the anchor or tag stands, behind the key.
                    from krmkit.yaml.layout import dash_of

                    at = _column(text, dash_of(text, opened, 0, []))
                document.wide = at > _column(text, key.start)
            stack.append((container, key))
            if len(stack) > depth_limit:
                raise LimitError.of("depth", depth_limit, "the nesting", mark.line + 1, mark.column + 1)
            container, key = opened, None
            continue
        elif kind is map_end:
            assert isinstance(container, Map)
            entries = container.entries
            if container.flow:
                container.end = event.end_mark.index + base
            elif entries:
                container.end = max(entries[-1].value.end, entries[-1].key.end)
            if unique and len(entries) > 1:
                _refuse_duplicates(entries, text)
            node = container
            container, key = stack.pop()
        elif kind is seq_end:
            assert isinstance(container, Seq)
            if container.flow:
                container.end = event.end_mark.index + base
            elif container.items:
                container.end = container.items[-1].end
            node = container
            container, key = stack.pop()
        elif kind is alias_event:
            mark = event.start_mark
            name = event.anchor
            target = anchors.get(name)
            if target is None and known is not None:
                target = known.get(name)
            if target is None:
                # The name is not said: it may be a password that somebody forgot to quote.
                raise YamlError(
                    "an alias without its anchor before it (a text that begins with `*` goes in quotes)",
                    mark.line + 1,
                    mark.column + 1,
                )
            alias = Alias(name, target, document, mark.index + base, event.end_mark.index + base)
            assert document is not None
            document.aliases.append(alias)
            node = alias
        elif kind is yaml.document_start:
            if most and len(documents) == most:
                mark = event.start_mark
                raise YamlError(
                    "a second document starts here, where only one is expected",
                    mark.line + 1,
                    mark.column + 1,
                )
            if event.version not in (None, (1, 1)):
                line = event.start_mark.line + 1
                raise YamlError("the text says %YAML, and Go reads no version but 1.1", line, 1)
            document = Document(text, limits)
            documents.append(document)
            anchors = {}
            style_known = False
            continue
        elif kind is yaml.stream_end:
            break
        else:
            continue

        if container is None:
            assert document is not None
            document.root = node
        elif isinstance(container, Seq):
            container.items.append(node)
        elif key is None:
            key = node
        else:
            container.entries.append(Entry(key, node))
            key = None

    for document in documents:
        root = document.root
        if isinstance(root, Scalar) and not root.style and not root.text and root.tag is None:
            document.root = None
    return documents


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
