"""Macros in a text: where they are, in what kind of YAML scalar, and how a value is put in their place.

An action is `{{ ... }}`; it is a macro when a field in it begins with `.spectro.`, all others belong to other
template systems and stay as they are. Macros are replaced by inert marks first, so that the text can be read
as YAML; a mark in a comment holds no scalar, and comments are not resolved.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.document import parse, parse_all
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.tree import Document, Map, Node, Scalar, Seq
from krmkit.systems.palette.errors import MacroError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FIELD = ".spectro."
COMMENT = "#"
"""The context of a macro in a comment; all others are the styles of scalars."""
_BEFORE_FIELD = frozenset(" \t\r\n(|,")


class Macro:
    """One macro. `raw` is the text of the whole action; `start` its offset in the text.

    context: the style of the scalar that holds it ("" plain, ', ", | or >), or COMMENT. whole: it is the
    whole of a plain scalar. flow: that scalar is in a flow collection. path: the keys that lead to the
    scalar. unclosed: it does not end in `}}`, and `raw` is its beginning.
    """

    def __init__(self, raw: str, start: int, mark: str, unclosed: bool = False) -> None:
        self.unclosed = unclosed
        self.raw = raw
        self.start = start
        self.mark = mark
        self.context = COMMENT
        self.whole = False
        self.flow = False
        self.path = ""

    @property
    def body(self) -> str:
        """Return the text between the braces, without trim marks and escapes of the scalar."""
        body = self.raw[2:-2]
        if body.startswith("-") and body[1:2] in (" ", "\t", "\n", "\r"):
            body = body[1:]
        if body.endswith("-") and body[-2:-1] in (" ", "\t", "\n", "\r"):
            body = body[:-1]
        if self.context == '"':
            return body.replace('\\"', '"').replace("\\\\", "\\")
        return body.replace("''", "'") if self.context == "'" else body

    @property
    def trims(self) -> tuple[bool, bool]:
        """Return whether `{{-` and `-}}` remove blanks before and after it on its line."""
        return self.raw[2:3] == "-" and self.raw[3:4].isspace(), self.raw[-3:-2] == "-" and self.raw[
            -4:-3
        ].isspace()


class MacroText:
    """A text with its macros as marks. `document`: the marked text as YAML, None without macros."""

    def __init__(self, text: str, limits: Limits = DEFAULT_LIMITS) -> None:
        """Find the macros. Raises YamlError if the text is not YAML even without them."""
        self.text = text
        self.macros: dict[str, Macro] = {}
        self.document: Document | None = None
        self.marked = self._mark()
        if self.macros:
            documents = documents_of(self.marked, limits)
            self.document = documents[0]
            for document in documents:
                if document.root is not None:
                    self._place(document.root, "", flow=False)

    def _mark(self) -> str:
        text = self.text
        if FIELD not in text:
            return text
        stem = "Macro"
        while stem in text:
            stem += "x"
        parts: list[str] = []
        position = 0
        open_ones = dict(unclosed(text))
        for start, end in sorted([*actions(text), *open_ones.items()]):
            raw = text[start:end]
            if start in open_ones or is_macro(raw):
                mark = f"{stem}{len(self.macros):06d}z"
                self.macros[mark] = Macro(raw, start, mark, start in open_ones)
                parts.append(text[position:start])
                parts.append(mark)
                position = end
        parts.append(text[position:])
        return "".join(parts)

    def _place(self, node: Node, path: str, flow: bool) -> None:
        if isinstance(node, Map):
            for entry in node.entries:
                self._place(entry.key, path, flow or node.flow)
                name = entry.name or ""
                self._place(entry.value, f"{path}.{name}" if path else name, flow or node.flow)
        elif isinstance(node, Seq):
            for index, item in enumerate(node.items):
                self._place(item, f"{path}[{index}]", flow or node.flow)
        elif isinstance(node, Scalar):
            for mark in self.marks_in(node.text):
                macro = self.macros[mark]
                macro.context = node.style
                macro.whole = not node.style and node.text == mark
                macro.flow = flow
                macro.path = path

    def marks_in(self, text: str) -> list[str]:
        """Return the marks of this text's macros in a piece of it, in their order."""
        if not self.macros:
            return []
        stem = next(iter(self.macros))[:-7]
        found = []
        position = text.find(stem)
        while position >= 0:
            found.append(text[position : position + len(stem) + 7])
            position = text.find(stem, position + 1)
        return [mark for mark in found if mark in self.macros]

    def fill(self, values: dict[str, str]) -> str:
        """Return the text with each macro replaced by the value for its mark, or kept if there is none."""
        parts: list[str] = []
        position = 0
        for mark, macro in self.macros.items():
            at = self.marked.index(mark, position)
            before = self.marked[position:at]
            position = at + len(mark)
            value = values.get(mark)
            if value is None:
                value = macro.raw
            else:
                left, right = macro.trims
                if left or (macro.whole and not value):
                    before = before.rstrip(" \t")
                while right and self.marked[position : position + 1] in (" ", "\t"):
                    position += 1
            parts.append(before)
            parts.append(value)
        parts.append(self.marked[position:])
        return "".join(parts)

    def line_indent(self, macro: Macro) -> str:
        """Return the blanks at the start of the macro's line."""
        start = self.text.rfind("\n", 0, macro.start) + 1
        line = self.text[start : macro.start]
        return line[: len(line) - len(line.lstrip(" "))]


def documents_of(text: str, limits: Limits) -> list[Document]:
    """Parse a values text; that of a manifest layer may be several documents. Raises YamlError."""
    if are_manifests(text):
        return parse_all(text, limits, duplicates="keep")
    return [parse(text, limits, duplicates="keep")]


def are_manifests(text: str) -> bool:
    """Return whether a values text is several Kubernetes objects, as a manifest layer may have."""
    lines = text.split("\n") if "\n---" in text else ()
    return all(any(line.startswith(key) for line in lines) for key in ("apiVersion:", "kind:"))


def actions(text: str) -> list[tuple[int, int]]:
    """(start, end) of all actions `{{ ... }}`; braces inside quoted strings do not end one."""
    found = []
    start = text.find("{{")
    while start >= 0:
        end = _action_end(text, start + 2)
        if end < 0:
            start = text.find("{{", start + 2)
            continue
        found.append((start, end))
        start = text.find("{{", end)
    return found


def unclosed(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of what begins as a macro, has a field, and does not end in `}}`: `{{.spectro.var.KEY}`.

    It ends behind a closing brace, or before a quote, another brace or the end of the line.
    """
    closed = {start for start, _ in actions(text)}
    start = text.find("{{")
    while start >= 0:
        if start not in closed:
            end = start + 2
            while end < len(text) and text[end] not in "\"'{}\r\n":
                end += 1
            if text.startswith("}", end) and not text.startswith("}}", end):
                end += 1
            if is_macro(text[start:end]):
                yield start, end
        start = text.find("{{", start + 2)


def _action_end(text: str, position: int) -> int:
    line_begin = text.rfind("\n", 0, position) + 1
    # In a comment an action ends on its line or not at all.
    stop = len(text)
    if text[line_begin:position].lstrip().startswith("#"):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
    while position < stop:
        character = text[position]
        if character == "}" and text.startswith("}}", position):
            return position + 2
        if character == "{" and text.startswith("{{", position):
            return -1
        if character == "`" or character == '"':
            closed = _string_end(text, position, stop)
            position = closed if closed > 0 else position + 1
            continue
        position += 1
    return -1


def _string_end(text: str, position: int, stop: int) -> int:
    """Return the offset behind a string's closing quote; in double-quoted scalars quotes are escaped,
    `\\"`.
    """
    quote = text[position]
    if quote == "`":
        return text.find("`", position + 1, stop) + 1
    escaped = text[position - 1] == "\\"
    at = position + 1
    while at < stop:
        if text[at] == "\\":
            if escaped and text.startswith('\\"', at):
                return at + 2
            at += 4 if escaped and text.startswith('\\\\\\"', at) else 2
            continue
        if text[at] == '"':
            return 0 if escaped else at + 1
        at += 1
    return 0


def is_macro(raw: str) -> bool:
    """Return whether an action has a field `.spectro.` outside its strings."""
    position = raw.find(FIELD)
    while position >= 0:
        if raw[position - 1] in _BEFORE_FIELD or (position == 2) or (position == 3 and raw[2] == "-"):
            inside = raw[2:position].replace('\\"', '"')
            if inside.count('"') % 2 == 0 and inside.count("`") % 2 == 0:
                return True
        position = raw.find(FIELD, position + 1)
    return False


def holds_macro(text: str) -> bool:
    """Return whether there is a macro in a text: `holds_macro("v{{ .spectro.var.n }}")`."""
    return FIELD in text and any(is_macro(text[start:end]) for start, end in actions(text))


def insertion(macro: Macro, value: str, indent: str) -> str:
    """Return the text that puts `value` in the macro's place, escaped for the scalar around it."""
    if macro.context == '"':
        return emit.double_quoted(value)[1:-1]
    if macro.context == "'":
        if "\n" in value:
            message = "the value has several lines, which single quotes cannot hold; use double quotes"
            raise MacroError("invalid-result", f"{macro.raw}: {message}")
        return value.replace("'", "''")
    if macro.context in ("|", ">"):
        return value.replace("\n", "\n" + indent)
    if not macro.whole:
        return value
    if not value:
        return "null" if macro.flow else ""  # between commas there must be something
    return value if _is_one_scalar(value, macro.flow) else emit.double_quoted(value)


def _is_one_scalar(value: str, flow: bool) -> bool:
    """Return whether the text, put behind a key, is read as one scalar and nothing else."""
    if "\n" in value or value != value.strip():
        return False
    try:
        root = parse(f"[{value}]" if flow else f"k: {value}\n").root
    except YamlError:
        return False
    if flow:
        node = root.items[0] if isinstance(root, Seq) and len(root.items) == 1 else None
        offset = 1
    else:
        node = root.entries[0].value if isinstance(root, Map) and len(root.entries) == 1 else None
        offset = 3
    return (
        isinstance(node, Scalar)
        and node.style not in ("|", ">")
        # Behind `&x` and `!x` the scalar itself would be empty.
        and node.anchor is None
        and node.tag is None
        and node.start == offset
        and _is_whole(node, value)
    )


def _is_whole(node: Scalar, value: str) -> bool:
    """Return whether a text on one line is the scalar and nothing else, such as a comment."""
    if not node.style:
        return node.text == value
    inner = value[1:-1]
    if node.style == "'":
        return value[-1] == "'" and "'" not in inner.replace("''", "")
    return value[-1] == '"' and '"' not in inner.replace("\\\\", "").replace('\\"', "")
