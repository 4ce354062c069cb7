"""Items of a list in brackets: `items: [{...}, {...}]`."""

from __future__ import annotations

from itertools import zip_longest

from krmkit.krm.listitem import ListItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.chunks import Chunks


def flow_body(items: list[Resource], chunks: Chunks) -> str:
    """Return the text inside the brackets: items and the texts between them."""
    joints = chunks.joints or []
    texts = [_in_flow(item) for item in items]
    if len(texts) != len(chunks.items) or type(items[-1]) is not ListItem:
        return (joints[0] if joints else ", ").join(texts)
    # A comma behind the last item is a joint as well.
    return "".join(text + joint for text, joint in zip_longest(texts, joints, fillvalue=""))


def _in_flow(item: Resource) -> str:
    text = item.text
    # `{}` becomes a block when something is put into it.
    if type(item) is ListItem and (not item.changed or item.root.flow):
        return text
    import json  # of few items

    return json.dumps(item.get(), ensure_ascii=False)
