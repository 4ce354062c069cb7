"""Read a YAML text as nodes; `krmkit.yaml.edit` writes them back with every untouched byte in place."""

from __future__ import annotations

from krmkit.yaml.events import read_events
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.tree import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.events import Anchors
    from krmkit.yaml.limits import Limits


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
    return read_events(text, limits, duplicates == "error", anchors, most)
