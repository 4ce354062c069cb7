"""Build the trees of a template from its tokens, with the errors of Go's parser."""

from __future__ import annotations

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate import lex
from krmkit.libraries.gotemplate.lex import Token
from krmkit.libraries.gotemplate.limits import TemplateLimits
from krmkit.libraries.gotemplate.nodes import (
    Action,
    Control,
    Jump,
    Node,
    Pipe,
    TemplateCall,
    Text,
    Tree,
    Word,
)
from krmkit.libraries.gotemplate.pipelines import Pipelines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from krmkit.libraries.gotemplate.limits import TemplateLimits

_CONTROLS = {lex.IF: "if", lex.WITH: "with", lex.RANGE: "range"}


def parse_trees(
    name: str, text: str, functions: Container[str], left: str, right: str, limits: TemplateLimits
) -> dict[str, Tree]:
    """Return the trees of a text by name, its own included. Raises TemplateError (phase "parse")."""
    jumps = tuple([word for word in ("break", "continue") if word in functions])
    parser = _Parser(name, text, lex.lex(text, left or "{{", right or "}}", jumps), functions, limits)
    parser.file()
    return parser.trees


class _Parser(Pipelines):
    def file(self) -> None:
        """Parse the whole text, the only place for definitions."""
        nodes: list[Node] = []
        tokens = self.tokens
        while tokens[self.at][0] != lex.EOF:
            if tokens[self.at][0] == lex.LEFT_DELIM:
                start = self.at
                self.at += 1
                if self.next()[0] == lex.DEFINE:
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
        self.expect_right(context)
        nodes, end = self.own_list()
        if end.text != "end":
            raise self.error(f"unexpected {end} in {context}")
        self.add(name, nodes)

    def own_list(self) -> tuple[list[Node], _End]:
        """Parse the body of a nested template, which has its own variables and loops."""
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
        """Parse nodes up to {{end}} or {{else}}."""
        nodes: list[Node] = []
        while self.peek()[0] != lex.EOF:
            node = self.text_or_action()
            if type(node) is _End:
                return nodes, node
            nodes.append(node)
        raise self.error("unexpected EOF")

    def text_or_action(self) -> Node:
        token = self.next()
        if token[0] == lex.TEXT:
            return Text(token[1], token[2])
        if token[0] != lex.LEFT_DELIM:
            raise self.unexpected(token, "input")
        self.action = token[1]
        start = self.at
        kind, pos, word = self.next()
        node: Node
        if kind < lex.KEYWORD or kind in (lex.DOT, lex.NIL, lex.DEFINE):
            self.at = start
            pos = self.peek()[1]
            node = Action(pos, self.pipeline("command", lex.RIGHT_DELIM))
        elif kind in _CONTROLS:
            node = self.control(_CONTROLS[kind])
        elif kind == lex.END:
            pos = self.expect_right("end")
            node = _End(pos, "end")
        elif kind == lex.ELSE:
            token = self.peek()
            # {{else if}} and {{else with}}: the word stays for the parser of the branch.
            pos = token[1] if token[0] in (lex.IF, lex.WITH) else self.expect_right("else")
            node = _End(pos, "else")
        elif kind == lex.TEMPLATE:
            node = self.template_call()
        elif kind == lex.BLOCK:
            node = self.block()
        else:
            node = self.jump(pos, word)
        self.action = -1
        return node

    def expect_right(self, context: str) -> int:
        token = self.next()
        if token[0] != lex.RIGHT_DELIM:
            raise self.unexpected(token, context)
        return token[1]

    def jump(self, pos: int, word: str) -> Node:
        self.expect_right(f"{{{{{word}}}}}")
        if not self.ranges:
            raise self.error(f"{{{{{word}}}}} outside {{{{range}}}}")
        return Jump(pos, word)

    def control(self, kind: str) -> Node:
        """Parse if, with or range; iterates over else-if chains, so their length has no limit."""
        outer = len(self.variables)
        links: list[tuple[Pipe, list[Node]]] = []
        self.nest()
        tail: list[Node] | None = None
        while True:
            pipe = self.pipeline(kind, lex.RIGHT_DELIM)
            self.ranges += kind == "range"
            body, end = self.node_list()
            self.ranges -= kind == "range"
            links.append((pipe, body))
            if end.text == "end":
                break
            again = self.peek()[0]
            if (kind == "if" and again == lex.IF) or (kind == "with" and again == lex.WITH):
                self.at += 1
                continue
            tail, end = self.node_list()
            if end.text != "end":
                raise self.error(f"expected end; found {end}")
            break
        self.nesting -= 1
        self.forget(outer)
        for pipe, body in reversed(links):
            node = Control(pipe.pos, kind, pipe, body, tail)
            tail = [node]
        return node

    def template_name(self, token: Token, context: str) -> str:
        if token[0] not in (lex.STRING, lex.RAW_STRING):
            raise self.unexpected(token, context)
        return self.unquoted(token[2])

    def template_call(self) -> Node:
        context = "template clause"
        token = self.next()
        name = self.template_name(token, context)
        if self.peek()[0] == lex.RIGHT_DELIM:
            self.at += 1
            return TemplateCall(token[1], name, None)
        return TemplateCall(token[1], name, self.pipeline(context, lex.RIGHT_DELIM))

    def block(self) -> Node:
        """Parse {{block}}: a definition and its call."""
        context = "block clause"
        token = self.next()
        name = self.template_name(token, context)
        pipe = self.pipeline(context, lex.RIGHT_DELIM)
        head = self.at - 1
        nodes, end = self.own_list()
        if end.text != "end":
            raise self.error(f"unexpected {end} in {context}", head)
        self.add(name, nodes)
        return TemplateCall(token[1], name, pipe)


class _End(Word):
    """{{end}} or {{else}}, which no tree contains."""

    def __str__(self) -> str:
        return f"{{{{{self.text}}}}}"
