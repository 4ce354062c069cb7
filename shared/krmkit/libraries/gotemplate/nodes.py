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

    __slots__ = ("pos",)

    def __init__(self, pos: int) -> None:
        self.pos = pos


class Text(Node):
    """Plain text."""

    __slots__ = ("text",)

    def __init__(self, pos: int, text: str) -> None:
        self.pos = pos
        self.text = text


class Action(Node):
    """{{pipeline}}"""

    __slots__ = ("pipe",)

    def __init__(self, pos: int, pipe: Pipe) -> None:
        self.pos = pos
        self.pipe = pipe


class Control(Node):
    """{{if}}, {{with}} or {{range}} with its pipeline and lists; `otherwise` is None without {{else}}.

    An {{else if}} or {{else with}} is a Control that is the only node of `otherwise`.
    """

    __slots__ = ("body", "kind", "otherwise", "pipe")

    def __init__(
        self, pos: int, kind: str, pipe: Pipe, body: list[Node], otherwise: list[Node] | None
    ) -> None:
        self.pos = pos
        self.kind = kind
        self.pipe = pipe
        self.body = body
        self.otherwise = otherwise


class Jump(Node):
    """{{break}} or {{continue}}"""

    __slots__ = ("kind",)

    def __init__(self, pos: int, kind: str) -> None:
        self.pos = pos
        self.kind = kind


class TemplateCall(Node):
    """{{template "name" pipeline}}; a {{block}} leaves one behind, too."""

    __slots__ = ("name", "pipe")

    def __init__(self, pos: int, name: str, pipe: Pipe | None) -> None:
        self.pos = pos
        self.name = name
        self.pipe = pipe

    def __str__(self) -> str:
        argument = f" {self.pipe}" if self.pipe is not None else ""
        return f"{{{{template {quote(self.name)}{argument}}}}}"


class Pipe(Node):
    """Commands that hand their values on; `names` are the variables that are declared, or assigned (`assign`)."""

    __slots__ = ("assign", "commands", "names")

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

    __slots__ = ("args",)

    def __init__(self, pos: int) -> None:
        self.pos = pos
        self.args: list[Node] = []

    def __str__(self) -> str:
        return " ".join([f"({arg})" if isinstance(arg, Pipe) else str(arg) for arg in self.args])


class Identifier(Node):
    """A function's name."""

    __slots__ = ("name",)

    def __init__(self, pos: int, name: str) -> None:
        self.pos = pos
        self.name = name

    def __str__(self) -> str:
        return self.name


class Variable(Node):
    """$name.field.field"""

    __slots__ = ("fields", "name")

    def __init__(self, pos: int, name: str, fields: list[str]) -> None:
        self.pos = pos
        self.name = name
        self.fields = fields

    def __str__(self) -> str:
        return ".".join([self.name, *self.fields])


class Field(Node):
    """.field.field"""

    __slots__ = ("fields",)

    def __init__(self, pos: int, fields: list[str]) -> None:
        self.pos = pos
        self.fields = fields

    def __str__(self) -> str:
        return "." + ".".join(self.fields)


class Chain(Node):
    """(pipeline).field, or function.field"""

    __slots__ = ("fields", "node")

    def __init__(self, pos: int, node: Node, fields: list[str]) -> None:
        self.pos = pos
        self.node = node
        self.fields = fields

    def __str__(self) -> str:
        head = f"({self.node})" if isinstance(self.node, Pipe) else str(self.node)
        return ".".join([head, *self.fields])


class Dot(Node):
    """The cursor."""

    __slots__ = ()

    def __str__(self) -> str:
        return "."


class Nil(Node):
    """The constant nil."""

    __slots__ = ()

    def __str__(self) -> str:
        return "nil"


class Bool(Node):
    """true or false"""

    __slots__ = ("value",)

    def __init__(self, pos: int, value: bool) -> None:
        self.pos = pos
        self.value = value

    def __str__(self) -> str:
        return "true" if self.value else "false"


class Numeral(Node):
    """A number or a character constant."""

    __slots__ = ("number",)

    def __init__(self, pos: int, number: Number) -> None:
        self.pos = pos
        self.number = number

    def __str__(self) -> str:
        return self.number.text


class String(Node):
    """A string; `quoted` is how it was written."""

    __slots__ = ("quoted", "text")

    def __init__(self, pos: int, quoted: str, text: str) -> None:
        self.pos = pos
        self.quoted = quoted
        self.text = text

    def __str__(self) -> str:
        return self.quoted


class Tree:
    """One template: its own name, the name and the text it was parsed from, and its nodes."""

    __slots__ = ("name", "nodes", "parse_name", "text")

    def __init__(self, name: str, parse_name: str, text: str, nodes: list[Node]) -> None:
        self.name = name
        self.parse_name = parse_name
        self.text = text
        self.nodes = nodes

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it but blanks."""
        return all(isinstance(node, Text) and not node.text.strip(SPACES) for node in self.nodes)
