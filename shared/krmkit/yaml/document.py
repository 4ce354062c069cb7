"""Parse a YAML text into a span tree, edit it, and write it back with every untouched byte in place."""

from __future__ import annotations

from krmkit.yaml.events import read_events
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.plain import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.events import Anchors
    from krmkit.yaml.limits import Limits
    from krmkit.yaml.tree import Alias, Node


class Document:
    """One YAML document inside `text`.

    `root` is None for an empty document. `wide` tells how the text indents lists under a key (dashes two deeper
    than the key, or at the key's column) and `newline` how it ends lines; new nodes follow both. `limits` are those
    that the text was read with; what is written keeps to them. `changed` says whether an edit has been recorded anywhere,
    and `plain` that there are neither anchors nor aliases nor tags.
    """

    __slots__ = ("aliases", "changed", "limits", "newline", "plain", "root", "text", "wide")

    def __init__(self, text: str, limits: Limits = DEFAULT_LIMITS) -> None:
        self.text = text
        self.limits = limits
        self.root: Node | None = None
        self.wide = False
        self.changed = False
        self.plain = False
        self.aliases: list[Alias] = []
        self.newline = "\r\n" if "\r" in text and "\r\n" in text else "\n"

    def splices(self) -> list[tuple[int, int, str]]:
        """The recorded edits as (start, end, replacement), in order and free of overlap."""
        from krmkit.yaml.splice import splices

        return splices(self)

    def render(self) -> str:
        """The text with all recorded edits applied."""
        text = self.text
        parts: list[str] = []
        position = 0
        for start, end, replacement in self.splices():
            parts.append(text[position:start])
            parts.append(replacement)
            position = end
        parts.append(text[position:])
        return "".join(parts)


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
) -> list[Document]:
    """Every document of `text` (each keeps the whole text). `most=1` makes a second one an error."""
    unique = duplicates == "error"
    document = Document(text, limits)
    return [document] if read(document) else read_events(text, limits, unique, anchors, most)
