"""Read a YAML text as nodes, from libyaml's events.

`krmkit.libraries.yaml.editing.edit` writes them back with every untouched byte in place.
"""

from __future__ import annotations

from krmkit.libraries.yaml import _libyaml
from krmkit.libraries.yaml.errors import LimitError, YamlError, line_column, translate
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.libraries.yaml.lines import line_fed
from krmkit.libraries.yaml.tree import Alias, Document, Entry, Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from krmkit.libraries.yaml.limits import Limits

    class Anchors(Protocol):
        """Anchors of other texts by name: a dict, or an object that finds them on demand."""

        def get(self, name: str, /) -> Node | None: ...


_TAG_PREFIX = "tag:yaml.org,2002:"
_SHALLOW = 2  # collections in each other that keep their children


class AnyAnchor:
    """Anchors that accept any alias, to look only at the form of a text."""

    def get(self, name: str, /) -> Node:
        return Scalar(name)


def parse(
    text: str,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: str = "error",
    anchors: Anchors | None = None,
    alone: bool = True,
) -> Document:
    """Read the one document of `text`. A text without content gives a document without root.

    - `duplicates="keep"` accepts a repeated key, as Go does where it decodes into nodes.
    - `anchors` are known from elsewhere: a list's item may refer to an anchor of an earlier one.
    - `alone=False` reads only the first document, as Go's yaml.Unmarshal.

    Raises YamlError, LimitError.
    """
    try:
        documents = parse_all(text, limits, duplicates, anchors, most=1, alone=alone)
    except YamlError:
        from krmkit.libraries.yaml.surrogates import joined

        as_yaml = joined(text)
        if as_yaml == text:
            raise
        documents = parse_all(as_yaml, limits, duplicates, anchors, most=1, alone=alone)
    return documents[0] if documents else Document(text, limits)


def parse_all(
    text: str,
    limits: Limits = DEFAULT_LIMITS,
    duplicates: str = "error",
    anchors: Anchors | None = None,
    most: int = 0,
    shallow: bool = False,
    alone: bool = True,
) -> list[Document]:
    """Read every document of `text`; each keeps the whole text.

    `most=1` makes a second document an error, or ends the list (`alone=False`). `shallow` drops the content
    of a root's grandchildren; their `end` is their last scalar's.
    """
    view = line_fed(text)

    def build(get_event: Callable[[], Any]) -> list[Document]:
        return _documents(get_event, text, view, limits, duplicates == "error", anchors, most, shallow, alone)

    try:
        return _libyaml.read(view, build)
    except _libyaml.backend().YAMLError as error:
        raise translate(error, text, limits.depth) from None
    except UnicodeEncodeError as error:
        place = line_column(text, error.start)
        raise YamlError("the text holds a lone surrogate, which UTF-8 cannot carry", *place) from None


def _documents(
    get_event: Callable[[], Any],
    given: str,
    text: str,
    limits: Limits,
    unique: bool,
    known: Anchors | None,
    most: int,
    shallow: bool,
    alone: bool,
) -> list[Document]:
    yaml = _libyaml.backend()
    scalar, alias, map_start, seq_start, map_end, seq_end = (
        yaml.ScalarEvent, yaml.AliasEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent, yaml.MappingEndEvent,
        yaml.SequenceEndEvent,
    )  # fmt: skip
    found: list[Document] = []
    document = Document("", limits)
    anchors: dict[str, Node] = {}
    # The collection that is being filled, its key that waits for a value, and those around it.
    container: Map | Seq | None = None
    key: Node | None = None
    around: list[tuple[Map | Seq | None, Node | None]] = []
    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is scalar:
            tag, anchor = event.tag, event.anchor
            start, end = event.start_mark.index, event.end_mark.index
            node: Node = Scalar(event.value, event.style, document, start, end, anchor, tag and _short(tag))
            if anchor is not None:
                anchors[anchor] = node
        elif kind is map_start or kind is seq_start:
            tag, anchor = event.tag, event.anchor
            opened = (Map if kind is map_start else Seq)(
                document, event.start_mark.index, event.flow_style, anchor, tag and _short(tag)
            )
            if anchor is not None:
                anchors[anchor] = opened
            around.append((container, key))
            if len(around) > limits.depth:
                raise LimitError.of("depth", limits.depth, "the nesting", *_place(event))
            container, key = opened, None
            continue
        elif kind is map_end or kind is seq_end:
            assert container is not None
            node = container
            _close(container, event, text if unique else None, shallow and len(around) > _SHALLOW)
            container, key = around.pop()
        elif kind is alias:
            node = _alias(event, document, anchors, known)
        elif kind is yaml.DocumentStartEvent:
            if most and len(found) == most and not alone:
                return found
            _check_start(event, is_extra=most > 0 and len(found) == most)
            document, anchors = Document(given, limits, text), {}
            found.append(document)
            continue
        elif kind is yaml.StreamEndEvent:
            return found
        else:
            continue
        if type(container) is Map:
            if key is None:
                key = node
            else:
                container.entries.append(Entry(key, node))
                key = None
        elif isinstance(container, Seq):
            container.items.append(node)
        else:
            document.root = None if _is_nothing(node) else node


def _check_start(event: Any, is_extra: bool) -> None:
    """Raise YamlError for an extra document, or one of a YAML version that Go does not read."""
    if is_extra:
        raise _at(event, "a second document starts here, where only one is expected")
    if event.version not in (None, (1, 1)):
        raise _at(event, "the text says %YAML, and Go reads no version but 1.1")


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.style and not node.text and node.tag is None


def _close(node: Map | Seq, event: Any, text: str | None, forget: bool) -> None:
    """Set the end of a collection. `text`: refuse duplicate keys in it. `forget`: drop its children."""
    if node.flow:
        end = event.end_mark.index
        if end > event.start_mark.index:  # `a: b` in `[a: b]` has no bracket of its own
            node.end = end
    if (
        text is not None
        and type(node) is Map
        and len({entry.name for entry in node.entries}) < len(node.entries)
    ):
        _refuse_duplicates(node.entries, text)
    if forget:
        if node.end < 0:
            node.end = (node.entries[-1].value if isinstance(node, Map) else node.items[-1]).end
        node.children().clear()


def _alias(event: Any, document: Document, anchors: dict[str, Node], known: Anchors | None) -> Alias:
    name = event.anchor
    target = anchors.get(name)
    if target is None and known is not None:
        target = known.get(name)
    if target is None:
        # The message leaves the name out: it may be a password with missing quotes.
        raise _at(event, "an alias without its anchor before it (a text that begins with `*` goes in quotes)")
    alias = Alias(name, target, document, event.start_mark.index, event.end_mark.index)
    document.aliases.append(alias)
    return alias


def _at(event: Any, message: str) -> YamlError:
    return YamlError(message, *_place(event))


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _short(tag: str) -> str:
    return "!!" + tag[len(_TAG_PREFIX) :] if tag.startswith(_TAG_PREFIX) else tag


def _refuse_duplicates(entries: list[Entry], text: str) -> None:
    """Raise YamlError for two equal keys. Go compares texts: `1` and `"1"` are equal, `1` and `true` not."""
    seen: dict[str, Node] = {}
    for entry in entries:
        name = entry.name
        if name is None:
            continue
        if name in seen:
            line = line_column(text, seen[name].start)[0]
            raise YamlError(
                f'the key "{name}" occurs twice in one mapping (first on line {line})',
                *line_column(text, entry.key.start),
            )
        seen[name] = entry.key
