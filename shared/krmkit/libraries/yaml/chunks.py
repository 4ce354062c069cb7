"""The parts of a ResourceList's text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from krmkit.libraries.yaml.tree import Document


class Chunks:
    """The parts of a list's text.

    Block form (flow False): text == head + "".join(dash + item for item in items) + tail. An item begins
    after its dash and ends before the next item's line, so comments between two items belong to the first.
    `" " * column + item` is the item as a document with all columns in place. `dash` is `<pad>- `, or
    `<pad>-` if some item's content begins on the line below its dash; then items begin with the blank or line
    break.

    Flow form (flow True): items are the texts of the nodes, joints the texts between them: items[0] +
    joints[0] + items[1] + ...; a comma after the last item gives one more joint. JSON is flow form.

    head + tail is the list without items, and parses: `items:` is null or `[]` there. Without items, head is
    the whole text.

    - `unverified`: indexes of items of which only the boundaries are known. All others are line-safe: the
      first line that is no comment begins with a key, and no quote or flow collection is open at the end of
      any line.
    - `envelope`: the documents of head + tail, if the split has parsed them.
    """

    __slots__ = ("column", "dash", "envelope", "flow", "head", "items", "joints", "tail", "unverified")

    def __init__(
        self,
        head: str,
        items: list[str],
        tail: str,
        dash: str = "- ",
        unverified: AbstractSet[int] = frozenset(),
        joints: list[str] | None = None,
        envelope: Sequence[Document] = (),
    ) -> None:
        self.head = head
        self.items = items
        self.tail = tail
        self.dash = dash
        self.column = len(dash)
        self.unverified = unverified
        self.joints = joints
        self.flow = joints is not None
        self.envelope = envelope
