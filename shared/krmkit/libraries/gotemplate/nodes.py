"""The tree of a parsed template. str() of a node is its canonical text, which error messages show."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate.literals import Number

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)


@dataclass(slots=True)
class Node:
    """Base of all nodes; `pos` is the offset in the text."""

    pos: int


@dataclass(slots=True)
class Text(Node):
    """Plain text."""

    text: str


@dataclass(slots=True)
class Action(Node):
    """{{pipeline}}"""

    pipe: Pipe


@dataclass(slots=True)
class Control(Node):
    """{{if}}, {{with}} or {{range}} with its pipeline and lists; `otherwise` is None without {{else}}.

    An {{else if}} or {{else with}} is a Control that is the only node of `otherwise`.
    """

    kind: str
    pipe: Pipe
    body: list[Node]
    otherwise: list[Node] | None


@dataclass(slots=True)
class Jump(Node):
    """{{break}} or {{continue}}"""

    kind: str


@dataclass(slots=True)
class TemplateCall(Node):
    """{{template "name" pipeline}}; a {{block}} leaves one behind, too."""

    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        argument = f" {self.pipe}" if self.pipe is not None else ""
        return f"{{{{template {quote(self.name)}{argument}}}}}"


@dataclass(slots=True)
class Pipe(Node):
    """Commands that hand their values on; `names` are the variables that are declared, or assigned (`assign`)."""

    assign: bool = field(init=False, default=False)
    names: list[str] = field(init=False, default_factory=list)
    commands: list[Command] = field(init=False, default_factory=list)

    def __str__(self) -> str:
        sign = " = " if self.assign else " := "
        head = ", ".join(self.names) + sign if self.names else ""
        return head + " | ".join(map(str, self.commands))


@dataclass(slots=True)
class Command(Node):
    """An operand, or a function with its arguments."""

    args: list[Node] = field(init=False, default_factory=list)

    def __str__(self) -> str:
        return " ".join([f"({arg})" if isinstance(arg, Pipe) else str(arg) for arg in self.args])


@dataclass(slots=True)
class Identifier(Node):
    """A function's name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True)
class Variable(Node):
    """$name.field.field"""

    name: str
    fields: list[str]

    def __str__(self) -> str:
        return ".".join([self.name, *self.fields])


@dataclass(slots=True)
class Field(Node):
    """.field.field"""

    fields: list[str]

    def __str__(self) -> str:
        return "." + ".".join(self.fields)


@dataclass(slots=True)
class Chain(Node):
    """(pipeline).field, or function.field"""

    node: Node
    fields: list[str]

    def __str__(self) -> str:
        head = f"({self.node})" if isinstance(self.node, Pipe) else str(self.node)
        return ".".join([head, *self.fields])


class Dot(Node):
    """The cursor."""

    def __str__(self) -> str:
        return "."


class Nil(Node):
    """The constant nil."""

    def __str__(self) -> str:
        return "nil"


@dataclass(slots=True)
class Bool(Node):
    """true or false"""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(slots=True)
class Numeral(Node):
    """A number or a character constant."""

    number: Number

    def __str__(self) -> str:
        return self.number.text


@dataclass(slots=True)
class String(Node):
    """A string; `quoted` is how it was written."""

    quoted: str
    text: str

    def __str__(self) -> str:
        return self.quoted


@dataclass(frozen=True, slots=True)
class Tree:
    """One template: its own name, the name and the text it was parsed from, and its nodes."""

    name: str
    parse_name: str
    text: str
    nodes: list[Node]

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it but blanks."""
        return all(isinstance(node, Text) and not node.text.strip(SPACES) for node in self.nodes)
