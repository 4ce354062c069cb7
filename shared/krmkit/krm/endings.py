"""The text of a resource for a place before other text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource


def ended_text(item: Resource) -> str:
    """A resource's text with a final line break, which does not change its data (krmkit.libraries.yaml.editing.finalbreak)."""
    text = item.text
    if text.endswith("\n"):
        return text
    from krmkit.libraries.yaml.editing.finalbreak import with_final_break

    return with_final_break(text, lambda: item.document)
