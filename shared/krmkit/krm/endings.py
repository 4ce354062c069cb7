"""The text of a resource that other text follows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource


def ended_text(item: Resource) -> str:
    """Return a resource's text with a final line break that does not change its data."""
    text = item.text
    if text.endswith("\n"):
        return text
    from krmkit.libraries.yaml.editing.finalbreak import with_final_break

    return with_final_break(text, lambda: item.document)
