"""The part of Terraform's language that profiles need: blocks, literals and heredocs, with their offsets.

Computed values (references, functions, templates) are reported by line and never changed.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.surrogates import joined

Place = tuple[int, int]

_BLANK = re.compile(r"(?:\s+|#[^\n]*|//[^\n]*|/\*.*?\*/)*", re.S)
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_LABEL = re.compile(r'[ \t]*(?:"([^"\n]*)"|([A-Za-z_][\w-]*))')
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_WORD = re.compile(r"(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.(\[])")
_DIGITS = 1_000
_HEREDOC = re.compile(r"<<(-?)([A-Za-z_][\w-]*)\r?\n")
_TEMPLATE = re.compile(r"(?<![$%])(?:\$\$|%%)*[$%]\{")
_ENDS = re.compile(r"[ \t]*(?:(?:#|//)[^\n]*)?(?:\r?\n|\Z|(?=[,\]}]))")


class Computed:
    """A value that only Terraform can compute; `text` is its source."""

    def __init__(self, text: str) -> None:
        self.text = text


@dataclass(slots=True)
class HclBlock:
    """A block: labels, attributes with the offsets of their values, and inner blocks in order."""

    kind: str
    labels: list[str]
    start: int
    inner: int = 0
    end: int = 0
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    blocks: list[HclBlock] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Return the block as in Terraform's JSON: lists of blocks by kind, without computed values."""
        made: dict[str, Any] = {
            name: value for name, value in self.values.items() if not isinstance(value, Computed)
        }
        for block in self.blocks:
            made.setdefault(block.kind, []).append(block.data())
        return made


def read_hcl(text: str, label: str) -> HclBlock:
    """Read a file as one block without a kind. Raises Refused with the line of a syntax error."""
    root = HclBlock("", [], 0, 0, len(text))
    try:
        _Reader(text, label).body(root, 0, top=True)
    except RecursionError:
        raise Refused(f"{label}: its blocks and lists are nested too deeply") from None
    return root


def computed_lines(block: HclBlock, text: str) -> list[str]:
    """Return the computed attributes of a block: `line 4: values`."""
    ends = [found.start() for found in re.finditer("\n", text)]

    def listed(one: HclBlock) -> list[str]:
        computed = {name for name, value in one.values.items() if isinstance(value, Computed)}
        places = sorted((one.places[name][0], name) for name in computed)
        own = [f"line {bisect_left(ends, place) + 1}: {name}" for place, name in places]
        return own + [said for inner in one.blocks for said in listed(inner)]

    return listed(block)


class _Reader:
    """A reader; each method starts at an offset and returns the offset behind what it read."""

    def __init__(self, text: str, label: str) -> None:
        self.text = text
        self.label = label

    def _refuse(self, at: int, message: str) -> Refused:
        return Refused(f"{self.label}: line {self.text.count(chr(10), 0, at) + 1}: {message}")

    def _skip(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def body(self, block: HclBlock, at: int, top: bool = False) -> int:
        while True:
            at = self._skip(at)
            if at >= len(self.text):
                if top:
                    return at
                raise self._refuse(block.start, f"the block {block.kind} is not closed")
            if self.text[at] == "}" and not top:
                block.end = at + 1
                return at + 1
            name = _NAME.match(self.text, at)
            if name is None:
                raise self._refuse(at, f"must be a block or an attribute, got {self.text[at]!r}")
            start, at = at, name.end()
            labels = []
            while (label := _LABEL.match(self.text, at)) is not None:
                labels.append(label[1] if label[1] is not None else label[2])
                at = label.end()
            at = self._skip(at)
            if self.text.startswith("{", at):
                inner = HclBlock(name[0], labels, start, at + 1)
                at = self.body(inner, at + 1)
                block.blocks.append(inner)
            elif self.text.startswith("=", at) and not labels:
                begin = self._skip(at + 1)
                block.values[name[0]], at = self._expression(begin)
                block.places[name[0]] = begin, at
            else:
                raise self._refuse(at, f"{name[0]} must be followed by = or a block")

    def _expression(self, at: int) -> tuple[Any, int]:
        """Read a literal; if more follows on its line, the value is computed."""
        value, end = self._literal(at)
        heredoc = isinstance(value, str) and self.text.startswith("<<", at)
        if end < 0 or not (heredoc or _ENDS.match(self.text, end)):
            end = self._computed(at)
            return Computed(self.text[at:end]), end
        return value, end

    def _literal(self, at: int) -> tuple[Any, int]:
        """Read a literal; return it and the offset behind it, -1 if there is none."""
        text = self.text
        if (word := _WORD.match(text, at)) is not None:
            if word.end() - at > _DIGITS:
                raise self._refuse(at, f"a number must have at most {_DIGITS} digits")
            return json.loads(word[0]), word.end()
        if (string := _STRING.match(text, at)) is not None:
            if _TEMPLATE.search(string[1]):
                return None, -1
            plain = re.sub(
                r"\\U([0-9a-fA-F]{8})", lambda found: json.dumps(chr(int(found[1], 16)))[1:-1], string[1]
            )
            try:
                return _undoubled(json.loads(joined(f'"{plain}"'), strict=False)), string.end()
            except (ValueError, YamlError):
                raise self._refuse(at, "the text has an escape that Terraform does not know") from None
        if (heredoc := _HEREDOC.match(text, at)) is not None:
            return self._heredoc(heredoc)
        closing = {"[": "]", "{": "}"}.get(text[at : at + 1])
        return self._collection(at + 1, closing) if closing else (None, -1)

    def _collection(self, at: int, closing: str) -> tuple[Any, int]:
        """Read the elements of a list, or of an object with names or strings as keys."""
        made: list[tuple[Any, Any]] = []
        at = self._skip(at)
        while not self.text.startswith(closing, at):
            key = None
            if closing == "}":
                name = _NAME.match(self.text, at)
                key, at = (name[0], name.end()) if name else self._literal(at)
                at = self._skip(at) if at >= 0 else at
                if at < 0 or self.text[at : at + 1] not in ("=", ":"):
                    return None, -1
                at = self._skip(at + 1)
            value, at = self._literal(at)
            if at < 0:
                return None, -1
            made.append((key, value))
            at = self._skip(at)
            if self.text.startswith(",", at):
                at = self._skip(at + 1)
            elif closing == "]" and not self.text.startswith("]", at):
                return None, -1
        return (dict(made) if closing == "}" else [value for _, value in made]), at + 1

    def _heredoc(self, opened: re.Match[str]) -> tuple[Any, int]:
        closing = re.compile(rf"^[ \t]*{re.escape(opened[2])}[ \t]*\r?$", re.M).search(
            self.text, opened.end()
        )
        if closing is None:
            raise self._refuse(opened.start(), f"the heredoc {opened[2]} is not closed")
        lines = re.findall(r"[^\n]*\n", self.text[opened.end() : closing.start()])
        if _TEMPLATE.search("".join(lines)):
            return None, -1
        if opened[1]:
            # Blank lines neither count nor lose anything, as in Terraform.
            depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            lines = [line[depth:] if line.strip() else line for line in lines]
        return _undoubled("".join(lines)), closing.end()

    def _computed(self, at: int) -> int:
        """Return the end of an expression: that of its line, outside brackets, strings and heredocs."""
        depth = 0
        while at < len(self.text):
            sign = self.text[at]
            opened = _HEREDOC.match(self.text, at) if sign == "<" else None
            if opened is not None:
                closing = re.compile(rf"^[ \t]*{re.escape(opened[2])}[ \t]*\r?$", re.M).search(self.text, at)
                at = closing.end() if closing else len(self.text)
                continue
            if sign == '"' and (string := _STRING.match(self.text, at)) is not None:
                at = string.end()
                continue
            depth += (sign in "([{") - (sign in ")]}")
            if depth < 0 or (sign == "\n" and depth == 0):
                return at
            at += 1
        return at


def _undoubled(text: str) -> str:
    return re.sub(r"(\$\$+|%%+)(?=\{)", lambda found: found[1][: (len(found[1]) + 1) // 2], text)


def _expression(value: Any, indent: str) -> str:
    """Write a value; texts with line breaks become heredocs if a heredoc can hold them."""
    if isinstance(value, Computed):
        return value.text
    if isinstance(value, str):
        safe = re.sub(r"([$%])(?=\{)", r"\1\1", value)
        lines = safe.removesuffix("\n").split("\n")
        # A heredoc takes the indentation of all lines away, and ends with a line break.
        if "\n" in value and value[:1].strip() and "\r" not in value and "EOT" not in map(str.strip, lines):
            inner = "".join(f"{indent}  {line}\n" if line.strip() else f"{line}\n" for line in lines)
            return f"<<-EOT\n{inner}{indent}EOT"
        return json.dumps(safe, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ", ".join(_expression(one, indent) for one in value) + "]"
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{json.dumps(key)} = {_expression(one, indent)}" for key, one in value.items())
            + " }"
        )
    return json.dumps(value)


def body_text(data: dict[str, Any], indent: str) -> str:
    """Write the inside of a new block."""
    lines = []
    for name, value in data.items():
        if not (value and isinstance(value, list) and all(isinstance(one, dict) for one in value)):
            lines.append(f"{indent}{name} = {_expression(value, indent)}\n")
    for name, value in data.items():
        if value and isinstance(value, list) and all(isinstance(one, dict) for one in value):
            lines += ["\n" * (indent == "  ") + _block_text(name, one, indent) for one in value]
    return "".join(lines)


def _block_text(name: str, data: dict[str, Any], indent: str) -> str:
    return f"{indent}{name} {{\n{body_text(data, f'{indent}  ')}{indent}}}\n"


def rewritten(text: str, block: HclBlock, data: dict[str, Any]) -> str:
    """Return the text of a block with other data; unchanged values keep their text."""
    edits: list[tuple[int, int, str]] = []
    line = text.rfind("\n", 0, block.start) + 1
    indent = text[line : block.start] + "  " if not text[line : block.start].strip() else "  "
    kinds = {inner.kind for inner in block.blocks}
    own = [name for name in data if name not in kinds and name not in block.values]
    for name, (start, end) in block.places.items():
        if name not in data:
            if not isinstance(block.values[name], Computed):
                edits.append((*_lines(text, start, end), ""))
        elif data[name] != block.values[name]:
            edits.append((start, end, _expression(data[name], indent)))
    added = body_text({name: data[name] for name in own}, indent)
    if added:
        last = max((end for _, end in block.places.values()), default=block.inner)
        at = text.find("\n", last, block.end) + 1
        edits.append((at, at, added) if at else (last, last, "\n" + added))
    for kind in kinds:
        edits += _inner(text, [one for one in block.blocks if one.kind == kind], data.get(kind, []), indent)
    made, position = [], block.start
    for start, end, new in sorted(edits):
        made += [text[position:start], new]
        position = end
    return "".join(made) + text[position : block.end]


def _inner(
    text: str, old: list[HclBlock], new: list[dict[str, Any]], indent: str
) -> list[tuple[int, int, str]]:
    """Return the edits that turn blocks of one kind into `new`, matched by name, else by place."""

    def key(data: dict[str, Any], number: int) -> object:
        return data.get("name", data.get("value", number))

    known = {key(one.data(), number): one for number, one in enumerate(old)}
    wanted = {key(one, number): one for number, one in enumerate(new)}
    texts = [
        rewritten(text, known[name], one)
        if name in known
        else _block_text(old[0].kind, one, indent)[len(indent) : -1]
        for name, one in wanted.items()
    ]
    slots = [one for name, one in known.items() if name in wanted] or old[: bool(new)]
    edits = [(*_lines(text, one.start, one.end), "") for one in old if one not in slots]
    edits += [(one.start, one.end, made) for one, made in zip(slots, texts, strict=False)]
    if len(texts) > len(slots):
        start, end, made = edits.pop()
        more = "".join(f"\n\n{indent}{one}" for one in texts[len(slots) :])
        edits.append((start, end, made + more))
    return edits


def _lines(text: str, start: int, end: int) -> Place:
    """Extend a place to whole lines and the empty line before them."""
    first = text.rfind("\n", 0, start) + 1
    if text[first - 2 : first] == "\n\n":
        first -= 1
    stop = text.find("\n", end) + 1
    return first, stop or len(text)
