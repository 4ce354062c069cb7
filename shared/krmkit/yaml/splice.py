"""From an edited span tree to text edits: what changed becomes (start, end, replacement), nothing else is touched.

The tree is walked once. A container whose children are as the text has them is only walked through. In an edited one
children that stay keep their lines, removed ones take their lines and comments along, new ones are put behind the
sibling before them, and children that changed their order move with their comments.
"""

from __future__ import annotations

from krmkit.yaml import compose
from krmkit.yaml.errors import LimitError, YamlError
from krmkit.yaml.flow import apply
from krmkit.yaml.layout import (
    current_children,
    first_children,
    is_block_scalar,
    last_node,
    line_end,
    next_line,
)
from krmkit.yaml.lines import ODD_BREAKS
from krmkit.yaml.plain import UnreadMap
from krmkit.yaml.tree import Alias, Entry, Map, Node, Seq, detached
from krmkit.yaml.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.document import Document

    Splice = tuple[int, int, str]


def splices(document: Document) -> list[Splice]:
    """All edits of a document, sorted and free of overlap.

    Edits of whole lines next to a block scalar are proven: the new text is parsed and must say what the edited tree
    says. What can come between the two is a block scalar that takes in a comment or loses its last line break; then
    new text is quoted instead of written as a block, or the text gets a final line break.
    """
    root = document.root
    if root is None:
        return []
    if document.aliases:
        _keep_aliases_whole(document, root)
    if root.source is not document:
        return [(0, len(document.text), compose.block(root, 0, compose.Style(document.wide)) + "\n")]
    for literals, final_break in ((True, False), (False, False), (False, True)):
        writer = Writer(document, compose.Style(document.wide, literals))
        writer.node(root)
        edits = _closed(document, writer.edits, root)
        if final_break:
            edits.append((len(document.text), len(document.text), "\n"))
        if document.newline == "\r\n":
            edits = [(start, end, new.replace("\n", "\r\n")) for start, end, new in edits]
        if _is_safe(document, root, edits) or _says_the_same(document, root, edits):
            return edits
    if "?" in document.text and _begins_a_line("?", document.text):
        raise YamlError(
            "an edit does not fit next to a key behind `? `; write the key plainly, as `key: value`"
        )
    raise YamlError(
        "an edit next to a block scalar (| or >) would change what that scalar says; write the scalar in quotes"
    )


def _is_safe(document: Document, root: Node, edits: list[Splice]) -> bool:
    """Whether the edits need no proof: they stay within lines, give a block scalar other lines just as deep, or keep away
    from every block scalar."""
    text = document.text
    if any(after[0] < before[1] for before, after in zip(edits, edits[1:], strict=False)):
        return False
    # Behind `? ` keys stand deeper than their siblings; not all that is written next to them fits.
    if "?" in text and _begins_a_line("?", text):
        return False
    scalars: dict[int, Node] | None = None
    if any("\n" in new or "\n" in text[start:end] for start, end, new in edits):
        if document.aliases or isinstance(root, (Map, Seq)) and root.flow:
            return False
        if text[-1:] != "\n" and is_block_scalar(last_node(root)):
            return False
        scalars = _block_scalars(root)
        edits = [edit for edit in edits if not _is_exchange(text, scalars.get(edit[1]), edit)]
    if any(_begins_a_line("?:", new) or not _ends_its_block_scalars(new) for _, _, new in edits):
        return False
    if scalars is None:
        return True
    ends = sorted(scalars)
    return not any(_follows(text, ends, start) or _follows(text, ends, end) for start, end, _ in edits)


def _is_exchange(text: str, scalar: Node | None, edit: Splice) -> bool:
    """Whether the edit puts a literal, as deep as the lines of the block scalar that ends where it ends, in its place.

    What follows that one is not as deep, so it is no part of the new one, nor are blank lines between.
    """
    _, _, new = edit
    header, _, content = new.partition("\n")
    if scalar is None or header.lstrip(" ") not in ("|", "|-") or any(sign in new for sign in ODD_BREAKS):
        return False
    old = text[scalar.start : scalar.end].split("\n")
    first = next((line for line in old[1:] if line.strip(" ")), "")
    column = len(first) - len(first.lstrip(" "))
    pad = first[:column]
    lines = content.split("\n")
    return lines[0][column : column + 1].strip() != "" and all(line.startswith(pad) for line in lines if line)


def _begins_a_line(signs: str, text: str) -> bool:
    """Whether some line has one of the signs as its first, blanks and dashes aside."""
    text = "\n" + text
    for sign in signs:
        if sign in text:
            for before in text.split(sign)[:-1]:
                if before[-1:] in "\n -":
                    # Behind another sign of the same line there is no line break.
                    _, newline, line = before.rpartition("\n")
                    if newline and not line.strip(" -"):
                        return True
    return False


def _ends_its_block_scalars(new: str) -> bool:
    """Whether, in new lines, some content at most as deep follows every line that may be a block scalar's header.

    Then such a scalar ends as it did where the lines come from: they are moved as a whole, which leaves what they say,
    and nothing that stands behind them in their new place can become part of it.
    """
    if "|" not in new and ">" not in new:
        return True
    if "\t" in new:
        # One may stand behind the header; and no reader takes one where the depth of the text is looked for.
        return False
    size = len(new)
    steps = 1000 + size // 16  # to look for what ends the scalars; a text that takes more is proven
    for sign in "|>":
        position = new.find(sign)
        while position >= 0:
            start = new.rfind("\n", 0, position) + 1
            end = new.find("\n", position)
            whole = new[start : end if end >= 0 else size]
            position = new.find(sign, end) if end >= 0 else -1
            line = whole.strip(" \r")
            # What looks like a comment may be part of a quoted key.
            parts = [part.rstrip(" \r") for part in line.split(" #")]
            ends = [part[len(part.rstrip(" 0123456789+-")) - 1 :] for part in parts]
            headers = [end for end in ends if end[:1] in ("|", ">")]
            if not headers or line[0] == "#":
                continue
            # With `+`, the blank lines below are part of the scalar, and these do not move.
            if any("+" in header for header in headers):
                return False
            column = len(whole) - len(whole.lstrip(" "))
            while True:
                if end < 0:
                    return False
                start = end + 1
                end = new.find("\n", start)
                following = new[start : end if end >= 0 else size]
                steps -= 1
                content = following.lstrip(" \r")
                if content and content[0] != "#" and len(following) - len(content) <= column:
                    break
            if steps < 0:
                return False
    return True


def _block_scalars(root: Node) -> dict[int, Node]:
    """The block scalars of the text, by where they end."""
    found: dict[int, Node] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, UnreadMap):
            # Without making its entries.
            stack += [value for _, value, _, _ in node.rows.values() if not isinstance(value, str)]
        elif isinstance(node, (Map, Seq)):
            if not node.flow:
                stack += [
                    unit.first_value if isinstance(unit, Entry) else unit for unit in first_children(node)
                ]
        elif is_block_scalar(node):
            found[node.end] = node
    return found


def _follows(text: str, ends: list[int], position: int) -> bool:
    """Whether nothing but blank lines and comments stands between a block scalar and a position."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if ends[middle] <= position:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return False
    between = text[ends[low - 1] : position]
    return all(not line.strip() or line.lstrip().startswith("#") for line in between.split("\n"))


def _says_the_same(document: Document, root: Node, edits: list[Splice]) -> bool:
    from krmkit.yaml.data import comparable_data
    from krmkit.yaml.document import parse

    limits = document.limits
    try:
        written = parse(
            apply(document.text, 0, len(document.text), edits), limits, anchors=_foreign_anchors(document)
        )
    except LimitError:
        raise
    except YamlError:
        return False
    return same_data(comparable_data(written.root, limits), comparable_data(root, limits))


def _foreign_anchors(document: Document) -> dict[str, Node]:
    """Anchors of other texts that aliases of this one refer to (items of a list)."""
    return {a.name: a.target for a in document.aliases if a.target.source is not document}


def same_data(left: object, right: object) -> bool:
    """Equality that tells 1 from true and 1.0, and finds NaN equal to itself."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        assert isinstance(right, dict)
        return list(left) == list(right) and all(same_data(item, right[key]) for key, item in left.items())
    if isinstance(left, list):
        assert isinstance(right, list)
        return len(left) == len(right) and all(map(same_data, left, right))
    return left == right or (left != left and right != right)


def _closed(document: Document, made: list[Splice], root: Node) -> list[Splice]:
    # At one place an insertion comes before what is cut there; insertions keep the order of their making.
    edits = sorted(made, key=lambda edit: (edit[0], edit[1]))
    _close_start(document.text, edits)
    _close_end(document.text, edits, root)
    return edits


def _close_start(text: str, edits: list[Splice]) -> None:
    """Where the first lines are removed, what comes next must not begin with their line break."""
    if text[:1] in ("\r", "\n"):
        return
    for first, (start, end, new) in enumerate(edits):
        if start > 0:
            return
        if new or end == 0:
            continue
        last = first + 1
        while last < len(edits) and edits[last][0] <= end:
            if edits[last][2]:
                edits[last] = (edits[last][0], edits[last][1], edits[last][2].removeprefix("\n"))
                edits[first] = (0, end, "")
                return
            end = max(end, edits[last][1])
            del edits[last]
        edits[first] = (0, next_line(text, end), "")
        return


def _close_end(text: str, edits: list[Splice], root: Node) -> None:
    """Block scalars at the end of a text without final line break: their own one depends on it."""
    if text[-1:] in ("", "\n") or not edits or edits[-1][1] != len(text):
        return
    start, end, new = edits[-1]
    if any("|" in other or ">" in other for _, _, other in edits):
        edits[-1] = (start, end, new + "\n")
    last = last_node(root)
    if start == end and new.startswith("\n") and is_block_scalar(last) and last.end == end:
        # The old last line had no line break to keep; now that one follows, `|` has to become `|-`.
        header = text[last.start : line_end(text, last.start)].split("#", 1)[0].rstrip()
        at = last.start + len(header)
        if header[-1] != "-" and not any(begin < at <= stop for begin, stop, _ in edits):
            # First of its place: behind an empty scalar's header the new lines stand at the same one.
            edits.insert(0, (at - (header[-1] == "+"), at, "-"))
            edits.sort(key=lambda edit: (edit[0], edit[1]))


def _keep_aliases_whole(document: Document, root: Node) -> None:
    """An alias whose anchor was removed gets the value itself, so that what it means does not change."""
    anchored: set[int] = set()
    holders: list[tuple[Map | Seq, int, Alias]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.anchor is not None and node.source is document:
            anchored.add(id(node))
        if isinstance(node, (Map, Seq)):
            for index, unit in enumerate(current_children(node)):
                value = unit.value if isinstance(unit, Entry) else unit
                if isinstance(unit, Entry):
                    stack.append(unit.key)
                stack.append(value)
                if isinstance(value, Alias):
                    holders.append((node, index, value))
    known = {id(alias) for alias in document.aliases}
    for container, index, alias in holders:
        if id(alias) not in known or id(alias.target) in anchored or alias.target.source is not document:
            continue
        if isinstance(container, Map):
            container.replace(container.entries[index], detached(alias))
        else:
            container.replace(index, detached(alias))
