"""Builds the trees of a template from its tokens, with the errors of Go's parser."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate.lex import (
    BLOCK,
    BREAK,
    DEFINE,
    DOT,
    ELSE,
    END,
    EOF,
    IF,
    KEYWORD,
    LEFT_DELIM,
    NIL,
    RANGE,
    RAW_STRING,
    RIGHT_DELIM,
    STRING,
    TEMPLATE,
    TEXT,
    WITH,
    Token,
    lex,
)
from krmkit.libraries.gotemplate.limits import TemplateLimits
from krmkit.libraries.gotemplate.literals import unquote
from krmkit.libraries.gotemplate.nodes import Action, Control, Jump, Node, Pipe, TemplateCall, Text, Tree
from krmkit.libraries.gotemplate.pipelines import Pipelines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from krmkit.libraries.gotemplate.limits import TemplateLimits

_CONTROLS = {IF: "if", WITH: "with", RANGE: "range"}


def parse_trees(
    name: str, text: str, functions: Container[str], left: str, right: str, limits: TemplateLimits
) -> dict[str, Tree]:
    """The trees of a text by name, that of the text itself among them. Raises TemplateError (phase "parse")."""
    jumps = tuple([word for word in ("break", "continue") if word in functions])
    parser = _Parser(name, text, lex(text, left or "{{", right or "}}", jumps), functions, limits)
    parser.file()
    return parser.trees


class _Parser(Pipelines):
    """The structure around the actions: definitions, control structures, plain text."""

    __slots__ = ()

    def file(self) -> None:
        """The whole text; definitions are allowed here only."""
        nodes: list[Node] = []
        tokens = self.tokens
        while tokens[self.at][0] != EOF:
            if tokens[self.at][0] == LEFT_DELIM:
                start = self.at
                self.at += 1
                if self.next()[0] == DEFINE:
                    self.definition()
                    continue
                self.at = start
            node = self.text_or_action()
            if type(node) is _End:
                raise self.error(f"unexpected {node}")
            nodes.append(node)
        self.seen = self.at
        self.add(self.name, nodes)

    def definition(self) -> None:
        context = "define clause"
        name = self.template_name(self.next(), context)
        token = self.next()
        if token[0] != RIGHT_DELIM:
            raise self.unexpected(token, context)
        nodes, end = self.own_list()
        if end.kind != "end":
            raise self.error(f"unexpected {end} in {context}")
        self.add(name, nodes)

    def own_list(self) -> tuple[list[Node], _End]:
        """The body of a template inside this text: it has variables and loops of its own."""
        outer = self.variables, self.visible, self.ranges, self.action
        self.variables, self.visible, self.ranges, self.action = ["$"], {"$": 1}, 0, -1
        self.nest()
        nodes, end = self.node_list()
        self.nesting -= 1
        self.variables, self.visible, self.ranges, self.action = outer
        return nodes, end

    def add(self, name: str, nodes: list[Node]) -> None:
        tree = Tree(name, self.name, self.text, nodes)
        known = self.trees.get(name)
        if known is None or known.empty:
            self.trees[name] = tree
        elif not tree.empty:
            raise self.error(f"template: multiple definition of template {quote(name)}")

    def node_list(self) -> tuple[list[Node], _End]:
        """Nodes up to {{end}} or {{else}}."""
        nodes: list[Node] = []
        while self.peek()[0] != EOF:
            node = self.text_or_action()
            if type(node) is _End:
                return nodes, node
            nodes.append(node)
        raise self.error("unexpected EOF")

    def text_or_action(self) -> Node:
        token = self.next()
        if token[0] == TEXT:
            return Text(token[1], token[2])
        if token[0] != LEFT_DELIM:
            raise self.unexpected(token, "input")
        self.action = token[1]
        start = self.at
        kind, pos, word = self.next()
        node: Node
        if kind < KEYWORD or kind in (DOT, NIL, DEFINE):
            self.at = start
            pos = self.peek()[1]
            node = Action(pos, self.pipeline("command", RIGHT_DELIM))
        elif kind in _CONTROLS:
            node = self.control(_CONTROLS[kind])
        elif kind == END:
            pos = self.expect_right("end")
            node = _End(pos, "end")
        elif kind == ELSE:
            token = self.peek()
            # {{else if}} and {{else with}}: the word stays for the parser of the branch.
            pos = token[1] if token[0] in (IF, WITH) else self.expect_right("else")
            node = _End(pos, "else")
        elif kind == TEMPLATE:
            node = self.template_call()
        elif kind == BLOCK:
            node = self.block()
        else:
            node = self.jump(kind, pos, word)
        self.action = -1
        return node

    def expect_right(self, context: str) -> int:
        token = self.next()
        if token[0] != RIGHT_DELIM:
            raise self.unexpected(token, context)
        return token[1]

    def jump(self, kind: int, pos: int, word: str) -> Node:
        self.expect_right(f"{{{{{word}}}}}")
        if not self.ranges:
            raise self.error(f"{{{{{word}}}}} outside {{{{range}}}}")
        return Jump(pos, "break" if kind == BREAK else "continue")

    def control(self, kind: str) -> Node:
        """if, with, range; chains of else if and else with are read in a loop, however long."""
        outer = len(self.variables)
        links: list[tuple[Pipe, list[Node]]] = []
        self.nest()
        tail: list[Node] | None = None
        while True:
            pipe = self.pipeline(kind, RIGHT_DELIM)
            self.ranges += kind == "range"
            body, end = self.node_list()
            self.ranges -= kind == "range"
            links.append((pipe, body))
            if end.kind == "end":
                break
            again = self.peek()[0]
            if (kind == "if" and again == IF) or (kind == "with" and again == WITH):
                self.at += 1
                continue
            tail, end = self.node_list()
            if end.kind != "end":
                raise self.error(f"expected end; found {end}")
            break
        self.nesting -= 1
        self.forget(outer)
        for pipe, body in reversed(links):
            node = Control(pipe.pos, kind, pipe, body, tail)
            tail = [node]
        return node

    def template_name(self, token: Token, context: str) -> str:
        if token[0] not in (STRING, RAW_STRING):
            raise self.unexpected(token, context)
        try:
            return unquote(token[2])
        except GoInputError as error:
            raise self.error(str(error)) from None

    def template_call(self) -> Node:
        context = "template clause"
        token = self.next()
        name = self.template_name(token, context)
        if self.peek()[0] == RIGHT_DELIM:
            self.at += 1
            return TemplateCall(token[1], name, None)
        return TemplateCall(token[1], name, self.pipeline(context, RIGHT_DELIM))

    def block(self) -> Node:
        """A definition and its use in one."""
        context = "block clause"
        token = self.next()
        name = self.template_name(token, context)
        pipe = self.pipeline(context, RIGHT_DELIM)
        head = self.at - 1
        nodes, end = self.own_list()
        if end.kind != "end":
            raise self.error(f"unexpected {end} in {context}", head)
        self.add(name, nodes)
        return TemplateCall(token[1], name, pipe)


class _End(Node):
    """{{end}} or {{else}}; never part of a tree."""

    __slots__ = ("kind",)

    def __init__(self, pos: int, kind: str) -> None:
        self.pos = pos
        self.kind = kind

    def __str__(self) -> str:
        return f"{{{{{self.kind}}}}}"
