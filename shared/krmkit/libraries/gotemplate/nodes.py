"""The tree of a parsed template. str() of a node is its canonical text, which error messages show."""

from __future__ import annotations

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate.literals import Number

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)


class Node:
    """Base of all nodes; `pos` is the offset in the text."""

    def __init__(self, pos: int) -> None:
        self.pos = pos


class Word(Node):
    """A node that is one word; `text` is the word as written."""

    def __init__(self, pos: int, text: str) -> None:
        self.pos = pos
        self.text = text

    def __str__(self) -> str:
        return self.text


class Text(Word):
    """Plain text."""


class Jump(Word):
    """{{break}} or {{continue}}"""


class Identifier(Word):
    """A function's name."""


class Dot(Word):
    """The cursor."""


class Nil(Word):
    """The constant nil."""


class Bool(Word):
    """true or false"""


class Numeral(Word):
    """A number or a character constant."""

    def __init__(self, pos: int, number: Number) -> None:
        super().__init__(pos, number.text)
        self.number = number


class String(Word):
    """A quoted string; `value` is the text that it stands for."""

    def __init__(self, pos: int, text: str, value: str) -> None:
        super().__init__(pos, text)
        self.value = value


class Action(Node):
    """{{pipeline}}"""

    def __init__(self, pos: int, pipe: Pipe) -> None:
        self.pos = pos
        self.pipe = pipe

    def __str__(self) -> str:
        return f"{{{{{self.pipe}}}}}"


class Control(Node):
    """{{if}}, {{with}} or {{range}} with its pipeline and lists; `otherwise` is None without {{else}}.

    An {{else if}} or {{else with}} is a Control that is the only node of `otherwise`.
    """

    def __init__(
        self, pos: int, kind: str, pipe: Pipe, body: list[Node], otherwise: list[Node] | None
    ) -> None:
        self.pos = pos
        self.kind = kind
        self.pipe = pipe
        self.body = body
        self.otherwise = otherwise

    def __str__(self) -> str:
        return f"{{{{{self.kind} {self.pipe}}}}}"


class TemplateCall(Node):
    """{{template "name" pipeline}}; a {{block}} leaves one behind, too."""

    def __init__(self, pos: int, name: str, pipe: Pipe | None) -> None:
        self.pos = pos
        self.name = name
        self.pipe = pipe

    def __str__(self) -> str:
        argument = f" {self.pipe}" if self.pipe is not None else ""
        return f"{{{{template {quote(self.name)}{argument}}}}}"


class Pipe(Node):
    """Commands that pass their values on; it declares the variables `names` or assigns them (`assign`)."""

    def __init__(self, pos: int) -> None:
        self.pos = pos
        self.assign = False
        self.names: list[str] = []
        self.commands: list[Command] = []

    def __str__(self) -> str:
        sign = " = " if self.assign else " := "
        head = ", ".join(self.names) + sign if self.names else ""
        return head + " | ".join(map(str, self.commands))


class Command(Node):
    """An operand, or a function with its arguments."""

    def __init__(self, pos: int) -> None:
        self.pos = pos
        self.args: list[Node] = []

    def __str__(self) -> str:
        return " ".join([f"({arg})" if isinstance(arg, Pipe) else str(arg) for arg in self.args])


class Variable(Node):
    """$name.field.field"""

    def __init__(self, pos: int, name: str, fields: list[str]) -> None:
        self.pos = pos
        self.name = name
        self.fields = fields

    def __str__(self) -> str:
        return ".".join([self.name, *self.fields])


class Field(Node):
    """.field.field"""

    def __init__(self, pos: int, fields: list[str]) -> None:
        self.pos = pos
        self.fields = fields

    def __str__(self) -> str:
        return "." + ".".join(self.fields)


class Chain(Node):
    """(pipeline).field, or function.field"""

    def __init__(self, pos: int, node: Node, fields: list[str]) -> None:
        self.pos = pos
        self.node = node
        self.fields = fields

    def __str__(self) -> str:
        head = f"({self.node})" if isinstance(self.node, Pipe) else str(self.node)
        return ".".join([head, *self.fields])


class Tree:
    """One template: its own name, the name and the text it was parsed from, and its nodes."""

    def __init__(self, name: str, parse_name: str, text: str, nodes: list[Node]) -> None:
        self.name = name
        self.parse_name = parse_name
        self.text = text
        self.nodes = nodes

    @property
    def empty(self) -> bool:
        """True if the tree holds nothing but blanks."""
        return all(isinstance(node, Text) and not node.text.strip(SPACES) for node in self.nodes)
