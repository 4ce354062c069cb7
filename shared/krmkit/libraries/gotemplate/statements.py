"""Compile the nodes of a template to Python closures that write."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import go_print_value, quote
from krmkit.libraries.gotemplate.execution import BREAK, CONTINUE, LONG, Execution, Program, Site
from krmkit.libraries.gotemplate.expressions import Expressions
from krmkit.libraries.gotemplate.loops import loop
from krmkit.libraries.gotemplate.nodes import Action, Control, Jump, Node, Text, Tree
from krmkit.libraries.gotemplate.nodes import TemplateCall as Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from krmkit.libraries.gotemplate.execution import Closure, Frame, Statement, Write

_BLOCK = 64
"""Nodes of a list that run between two counts of the output."""


def compile_tree(
    tree: Tree,
    functions: Mapping[str, GoFunction],
    builtins: Mapping[str, GoFunction],
    missing: str,
    noting: bool,
) -> Program:
    """Compile a tree. `missing`: the option missingkey: default, zero, error. noting: see _Noting."""
    compiler = (_Noting if noting else _Statements)(Site(tree, missing), functions, builtins)
    body = compiler.body(tree.nodes)
    return Program(body, compiler.site, compiler.slots, compiler.cost)


class _Statements(Expressions):
    joins = True  # texts are written with the action behind them

    def __init__(
        self, site: Site, functions: Mapping[str, GoFunction], builtins: Mapping[str, GoFunction]
    ) -> None:
        super().__init__(site, functions, builtins)
        self.nesting = 0
        self.jumps = False  # True if the last statement can break or continue a loop around it

    def body(self, nodes: list[Node]) -> Statement:
        """Compile a list of nodes, and set `jumps`."""
        statements: list[Statement] = []
        jumps = False
        text = ""
        for node in nodes:
            self.cost += 1
            if isinstance(node, Text) and self.joins:
                text += node.text
                continue
            if isinstance(node, Action) and not node.pipe.names:
                statements.append(self.action(node, text))
                text = ""
                continue
            if text:
                statements.append(_text(text))
                text = ""
            self.jumps = False
            statements.append(self.statement(node))
            jumps |= self.jumps
            if isinstance(node, Jump):
                break  # what follows is never executed
        if text:
            statements.append(_text(text))
        self.jumps = jumps
        if jumps:
            return _leaving(statements)
        if len(statements) > _BLOCK:
            blocks = [_all(statements[at : at + _BLOCK]) for at in range(0, len(statements), _BLOCK)]
            return _counted(blocks, self.site, nodes[0])
        return _all(statements)

    def statement(self, node: Node) -> Statement:
        """Compile a node other than a printing action."""
        if isinstance(node, Control):
            outer = len(self.scope)
            self.nesting += 1
            made = self.loop(node) if node.kind == "range" else self.branches(node)
            self.nesting -= 1
            self.forget(outer)
            return made
        if isinstance(node, Call):
            return self.template_call(node)
        if isinstance(node, Text):
            return _text(node.text)
        if isinstance(node, Jump):
            self.jumps = True
            return _jump(BREAK if node.text == "break" else CONTINUE)
        assert isinstance(node, Action)
        expression, _ = self.pipe(node.pipe)

        def silent(frame: Frame, dot: object, write: Write) -> None:
            expression(frame, dot)

        return silent

    def value(self, node: Action | Control) -> tuple[Closure, Node]:
        """Compile a pipeline whose caller treats a nil interface and no value alike."""
        pipe = node.pipe
        if len(pipe.commands) == 1 and not pipe.names:
            return self.command(pipe.commands[0], pipe)
        return self.pipe(pipe)

    def action(self, node: Action, text: str) -> Statement:
        """Compile a printing action together with the text before it."""
        expression, _ = self.value(node)
        site = self.site

        def other(frame: Frame, value: object) -> str:
            if value is None or value is ABSENT:
                return "<no value>"
            try:
                return go_print_value(value)
            except GoError as error:
                raise site.error(frame[0], node.pipe, error.message) from None

        def action(frame: Frame, dot: object, write: Write) -> None:
            write(text)
            value = expression(frame, dot)
            if type(value) is not str:
                value = other(frame, value)
            write(value)
            if len(value) > LONG:
                frame[0].count_output(site, node.pipe)

        return action

    def branches(self, node: Control) -> Statement:
        """Compile if and with; an else-if chain of any length becomes one statement."""
        is_with = node.kind == "with"
        links: list[tuple[Closure, Statement]] = []
        jumps = False
        while True:
            condition, _ = self.value(node)
            inner = len(self.scope)
            dot_type = self.dot_type
            if is_with:
                self.dot_type = 0
            body = self.body(node.body)
            self.dot_type = dot_type
            self.forget(inner)
            jumps |= self.jumps
            links.append((condition, body))
            rest = node.otherwise
            if not (rest and len(rest) == 1 and isinstance(rest[0], Control) and rest[0].kind == node.kind):
                break
            node = rest[0]
            self.cost += 1
        otherwise = None
        if rest:
            otherwise = self.body(rest)
            jumps |= self.jumps
        self.jumps = jumps
        return _branches(links, otherwise, is_with)

    def loop(self, node: Control) -> Statement:
        """Compile range."""
        pipe = node.pipe
        source, last = self.value(node)
        type_slot = self.new_slot()
        places = [self.find(name) for name in pipe.names]
        slots = [place.slot for place in places if place is not None]
        if not pipe.assign:
            for place in places[-1:]:
                if place is not None:
                    place.type_slot = type_slot
        assigned = [place.type_slot for place in places[-1:] if pipe.assign and place and place.type_slot]
        inner = len(self.scope)
        outer_cost = self.cost
        dot_type = self.dot_type
        self.dot_type = type_slot
        body = self.body(node.body)
        self.dot_type = dot_type
        cost = self.cost - outer_cost + 1
        self.forget(inner)
        self.jumps = False
        otherwise = self.body(node.otherwise) if node.otherwise else None
        if otherwise is not None and self.jumps:
            otherwise = _absorbing(otherwise)
        return loop(source, body, otherwise, slots, type_slot, assigned, cost, self.site, last, node.pipe)

    def template_call(self, node: Call) -> Statement:
        """Compile a call of another template, which has its own frame."""
        name = node.name
        site = self.site
        argument: Closure | None = None
        if node.pipe is not None:
            argument, _ = self.pipe(node.pipe)
        levels = self.nesting + 1

        def run_template(frame: Frame, dot: object, write: Write) -> None:
            run: Execution = frame[0]
            program = run.programs.get(name)
            if program is None:
                raise site.error(run, node, f"template {quote(name)} not defined")
            if run.depth + levels > run.limits.depth:
                raise site.error(run, node, f"exceeded maximum template depth ({run.limits.depth})")
            value = ABSENT if argument is None else argument(frame, dot)
            run.steps -= program.cost
            if run.steps < 0:
                raise run.too_many_steps(site, node)
            if len(run.chunks) > run.next_count:
                run.count_output(site, node)
            inner = program.start.copy()
            inner[0] = run
            inner[1] = value
            run.depth += levels
            program.body(inner, value, write)
            run.depth -= levels

        return run_template


class _Noting(_Statements):
    """Compiler of one tree whose execution records in `Execution.trace` which node wrote which chunks."""

    joins = False

    def statement(self, node: Node) -> Statement:
        return _noted(super().statement(node), node)

    def action(self, node: Action, text: str) -> Statement:
        return _noted(super().action(node, text), node)


def _noted(statement: Statement, node: Node) -> Statement:
    def noted(frame: Frame, dot: object, write: Write) -> object:
        run: Execution = frame[0]
        first = len(run.chunks)
        signal = statement(frame, dot, write)
        run.trace.append((first, len(run.chunks), node))
        return signal

    return noted


def _text(text: str) -> Statement:
    def plain_text(frame: Frame, dot: object, write: Write) -> None:
        write(text)

    return plain_text


def _jump(signal: str) -> Statement:
    def jump(frame: Frame, dot: object, write: Write) -> str:
        return signal

    return jump


def _all(statements: list[Statement]) -> Statement:
    if len(statements) == 1:
        return statements[0]
    if len(statements) == 2:
        first, second = statements

        def both(frame: Frame, dot: object, write: Write) -> None:
            first(frame, dot, write)
            second(frame, dot, write)

        return both

    def each(frame: Frame, dot: object, write: Write) -> None:
        for statement in statements:
            statement(frame, dot, write)

    return each


def _counted(blocks: list[Statement], site: Site, node: Node) -> Statement:
    """Run a long list of statements, checking the output limit after each block."""

    def counted(frame: Frame, dot: object, write: Write) -> None:
        run: Execution = frame[0]
        for block in blocks:
            block(frame, dot, write)
            if len(run.chunks) > run.next_count:
                run.count_output(site, node)

    return counted


def _leaving(statements: list[Statement]) -> Statement:
    def until_jump(frame: Frame, dot: object, write: Write) -> object:
        for statement in statements:
            signal = statement(frame, dot, write)
            if signal is not None:
                return signal
        return None

    return until_jump


def _absorbing(otherwise: Statement) -> Statement:
    """Run a range's else branch. As in Go, break leaves that range, continue affects the outer loop."""

    def absorb(frame: Frame, dot: object, write: Write) -> object:
        signal = otherwise(frame, dot, write)
        return None if signal is BREAK else signal

    return absorb


def _branches(
    links: list[tuple[Closure, Statement]], otherwise: Statement | None, is_with: bool
) -> Statement:
    if len(links) == 1 and not is_with:
        ((condition, body),) = links

        def single(frame: Frame, dot: object, write: Write) -> object:
            if condition(frame, dot):
                return body(frame, dot, write)
            if otherwise is not None:
                return otherwise(frame, dot, write)
            return None

        return single

    def chain(frame: Frame, dot: object, write: Write) -> object:
        for condition, body in links:
            value = condition(frame, dot)
            if value:
                return body(frame, value if is_with else dot, write)
        return None if otherwise is None else otherwise(frame, dot, write)

    return chain
