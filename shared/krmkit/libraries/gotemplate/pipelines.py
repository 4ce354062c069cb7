"""The parser of actions: pipelines, commands, operands, with the errors of Go's parser."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate import lex, nodes
from krmkit.libraries.gotemplate.errors import TemplateError
from krmkit.libraries.gotemplate.lex import Token
from krmkit.libraries.gotemplate.limits import TemplateLimits
from krmkit.libraries.gotemplate.literals import number, unquote
from krmkit.libraries.gotemplate.nodes import Command, Node, Pipe, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_PARENTHESIZED = "parenthesized pipeline"
_WORDS = {lex.BOOL: nodes.Bool, lex.DOT: nodes.Dot, lex.NIL: nodes.Nil}


class Pipelines:
    """A position in the tokens, and the variables defined so far."""

    def __init__(
        self, name: str, text: str, tokens: list[Token], functions: Container[str], limits: TemplateLimits
    ) -> None:
        self.name = name
        self.text = text
        self.tokens = tokens
        self.functions = functions
        self.limits = limits
        self.trees: dict[str, Tree] = {}
        self.at = 0
        self.seen = 0  # the furthest token looked at: Go reports its line
        self.action = -1  # offset of the delimiter of the action at hand
        self.nesting = 0
        self.ranges = 0  # loops around this place that break can leave
        self.variables = ["$"]  # in the order of their declaration
        self.visible = {"$": 1}  # how often each of them is declared

    # Errors

    def error(self, message: str, seen: int | None = None) -> TemplateError:
        """Return the error at the furthest token read, or at `seen`."""
        if seen is None:
            seen = max(self.seen, self.at - 1)
        line = self.line(self.tokens[seen][1])
        return TemplateError(f"template: {self.name}:{line}: {message}", "parse", line)

    def line(self, offset: int) -> int:
        return 1 + self.text.count("\n", 0, offset)

    def unexpected(self, token: Token, context: str) -> TemplateError:
        kind, offset, value = token
        if kind == lex.ERROR:
            extra = ""
            if self.action >= 0 and self.line(self.action) != self.line(offset):
                started = f"started at {self.name}:{self.line(self.action)}"
                extra = f" {started}" if value.endswith(" action") else f" in action {started}"
            return self.error(value + extra)
        if kind == lex.EOF:
            shown = "EOF"
        elif kind > lex.KEYWORD:
            shown = f"<{value}>"
        elif len(value.encode("utf-8", "surrogateescape")) > 10:
            shown = quote(value[:10]) + "..."
        else:
            shown = quote(value)
        return self.error(f"unexpected {shown} in {context}")

    def nest(self) -> None:
        self.nesting += 1
        if self.nesting > self.limits.nesting:
            raise self.error(
                f"max expression depth exceeded: more than {self.limits.nesting} control structures and parentheses"
                " inside each other (Limits.nesting)"
            )

    # Tokens

    def next(self) -> Token:
        """Return the next token that is not blank, and move past it."""
        token = self.tokens[self.at]
        if token[0] == lex.SPACE:
            self.at += 1
            token = self.tokens[self.at]
        self.at += 1
        return token

    def peek(self) -> Token:
        """Return the next token that is not blank, and move past blanks only."""
        token = self.tokens[self.at]
        if token[0] == lex.SPACE:
            self.at += 1
            token = self.tokens[self.at]
        self.seen = max(self.seen, self.at)
        return token

    # Pipelines

    def pipeline(self, context: str, end: int) -> Pipe:
        """Parse declarations? command ('|' command)*, including its end."""
        pipe = Pipe(self.peek()[1])
        if self.tokens[self.at][0] == lex.VARIABLE:
            self.declarations(pipe, context)
        commands = pipe.commands
        while True:
            token = self.next()
            kind = token[0]
            if kind == end:
                break
            if kind not in lex.OPERANDS:
                raise self.unexpected(token, context)
            self.at -= 1
            commands.append(self.command())
        if not commands:
            raise self.error(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.args[0], (nodes.Bool, nodes.Dot, nodes.Nil, nodes.Numeral, nodes.String)):
                raise self.error(f"non executable command in pipeline stage {stage}")
        return pipe

    def declarations(self, pipe: Pipe, context: str) -> None:
        """Parse $a := or $a = or, in a range, $a, $b := at the start of a pipeline."""
        while True:
            start = self.at
            word = self.tokens[start][2]
            self.at += 1
            kind, _, value = self.peek()
            if kind in (lex.ASSIGN, lex.DECLARE):
                self.at += 1
                pipe.assign = kind == lex.ASSIGN
                pipe.names.append(word)
                self.declare(word)
                return
            if kind != lex.CHAR or value != ",":
                self.at = start
                return
            self.at += 1
            pipe.names.append(word)
            self.declare(word)
            if context != "range" or len(pipe.names) > 1:
                raise self.error(f"too many declarations in {context}")
            kind = self.peek()[0]
            if kind not in (lex.VARIABLE, lex.RIGHT_DELIM, lex.RIGHT_PAREN):
                raise self.error("range can only initialize variables")
            if kind != lex.VARIABLE:
                return

    def declare(self, name: str) -> None:
        self.variables.append(name)
        self.visible[name] = self.visible.get(name, 0) + 1

    def forget(self, outer: int) -> None:
        """End the scope of all variables except the first `outer` ones."""
        for name in self.variables[outer:]:
            self.visible[name] -= 1
        del self.variables[outer:]

    def command(self) -> Command:
        """Parse operands, separated by blanks, up to a pipe or the pipeline's end."""
        tokens = self.tokens
        command = Command(self.peek()[1])
        args = command.args
        while True:
            node = self.operand()
            if node is not None:
                args.append(node)
            token = tokens[self.at]
            kind = token[0]
            if kind == lex.SPACE:
                self.at += 1
                continue
            if kind in (lex.RIGHT_DELIM, lex.RIGHT_PAREN):
                self.seen = max(self.seen, self.at)
                break
            self.at += 1
            if kind != lex.PIPE:
                raise self.unexpected(token, "operand")
            break
        if not args:
            raise self.error("empty command")
        return command

    def operand(self) -> Node | None:
        """Parse a term with the fields that follow it; None if there is no term here."""
        kind, pos, word = self.peek()
        node: Node
        if kind == lex.FIELD:
            self.at += 1
            node = nodes.Field(pos, [word[1:]])
        elif kind == lex.VARIABLE:
            self.at += 1
            if not self.visible.get(word):
                raise self.error(f"undefined variable {quote(word)}")
            node = nodes.Variable(pos, word, [])
        elif kind == lex.IDENTIFIER:
            self.at += 1
            if word not in self.functions:
                raise self.error(f"function {quote(word)} not defined")
            node = nodes.Identifier(pos, word)
        elif kind in (lex.STRING, lex.RAW_STRING):
            self.at += 1
            node = nodes.String(pos, word, self.unquoted(word))
        elif kind == lex.LEFT_PAREN:
            self.at += 1
            self.nest()
            node = self.pipeline(_PARENTHESIZED, lex.RIGHT_PAREN)
            self.nesting -= 1
        else:
            literal = self.literal(kind, pos, word)
            if literal is None:
                return None
            node = literal
        if self.tokens[self.at][0] == lex.FIELD:
            return self.chain(node)
        return node

    def unquoted(self, word: str) -> str:
        try:
            return unquote(word)
        except GoInputError as error:
            raise self.error(str(error)) from None

    def literal(self, kind: int, pos: int, word: str) -> Node | None:
        if kind in (lex.NUMBER, lex.CHAR_CONSTANT, lex.COMPLEX):
            self.at += 1
            try:
                return nodes.Numeral(pos, number(word, kind == lex.CHAR_CONSTANT, kind == lex.COMPLEX))
            except GoInputError as error:
                raise self.error(str(error)) from None
        made = _WORDS.get(kind)
        if made is None:
            return None
        self.at += 1
        return made(pos, word)

    def chain(self, node: Node) -> Node:
        """Parse the fields after a term; a leading field or variable absorbs them."""
        pos = self.tokens[self.at][1]
        fields: list[str] = []
        while self.tokens[self.at][0] == lex.FIELD:
            fields.append(self.tokens[self.at][2][1:])
            self.at += 1
        self.seen = max(self.seen, self.at)
        if isinstance(node, nodes.Field):
            return nodes.Field(pos, node.fields + fields)
        if isinstance(node, nodes.Variable):
            return nodes.Variable(pos, node.name, fields)
        if isinstance(node, (nodes.Identifier, Pipe)):
            return nodes.Chain(pos, node, fields)
        raise self.error(f"unexpected . after term {quote(str(node))}")
