"""Compiles pipelines to Python closures: once per template, so that an execution only calls them.

Names of variables become places in a frame here. What Go finds out while it executes (an unknown variable in a branch,
a wrong number of arguments) becomes a closure that raises the error if it is ever come to.
"""

from __future__ import annotations

from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.gotemplate.callarguments import Argument, constant, dot_itself, failing
from krmkit.libraries.gotemplate.calls import and_or, call, call_value, piped_call
from krmkit.libraries.gotemplate.execution import LAST, Site
from krmkit.libraries.gotemplate.fieldchains import INTERFACE, FieldWalk, field_chain, variable_chain
from krmkit.libraries.gotemplate.nodes import (
    Bool,
    Chain,
    Command,
    Dot,
    Field,
    Identifier,
    Nil,
    Node,
    Numeral,
    Pipe,
    String,
    Variable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from krmkit.libraries.go.core.functions import GoFunction
    from krmkit.libraries.gotemplate.execution import Expression, Frame, Stage

_CALL = 16  # nodes whose time an ordinary function takes
_CONSTANTS = (Bool, Nil, Numeral, String)


class VariablePlace:
    """Where a variable is in the frame. `type_slot`: where its declared type is, when a range declared it, else 0."""

    __slots__ = ("slot", "type_slot")

    def __init__(self, slot: int, type_slot: int = 0) -> None:
        self.slot = slot
        self.type_slot = type_slot


class Expressions:
    """Compiler of the pipelines of one tree; each method returns a closure and the node that it visits last."""

    def __init__(
        self, site: Site, functions: Mapping[str, GoFunction], builtins: Mapping[str, GoFunction]
    ) -> None:
        self.site = site
        self.functions = functions
        self.builtins = builtins
        self.scope: list[str] = []  # names in the order of their declaration
        self.places: dict[str, list[VariablePlace]] = {"$": [VariablePlace(1)]}  # the innermost one last
        self.slots = 2
        self.cost = 1  # nodes compiled so far; a call counts as several
        self.dot_type = 0  # place of the declared type of the dot, inside a range

    # Variables

    def new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def declare(self, name: str) -> VariablePlace:
        place = VariablePlace(self.new_slot())
        self.scope.append(name)
        self.places.setdefault(name, []).append(place)
        return place

    def forget(self, outer: int) -> None:
        """Ends the scope of all names but the first `outer` ones."""
        for name in self.scope[outer:]:
            self.places[name].pop()
        del self.scope[outer:]

    def find(self, name: str) -> VariablePlace | None:
        places = self.places.get(name)
        return places[-1] if places else None

    # Pipelines

    def pipe(self, pipe: Pipe) -> tuple[Expression, Node]:
        """The value of a pipeline: never a nil interface, but ABSENT. Declares and assigns its variables."""
        expression, last = self.commands(pipe)
        if not pipe.names:
            return expression, last
        if pipe.assign:
            return self.assign(pipe, expression, last), last
        slots = [self.declare(name).slot for name in pipe.names]
        if len(slots) == 1:
            (slot,) = slots

            def declare(frame: Frame, dot: object) -> object:
                frame[slot] = value = expression(frame, dot)
                return value

            return declare, last

        def declare_all(frame: Frame, dot: object) -> object:
            value = expression(frame, dot)
            for slot in slots:
                frame[slot] = value
            return value

        return declare_all, last

    def assign(self, pipe: Pipe, expression: Expression, last: Node) -> Expression:
        """$x = pipeline, to the innermost $x."""
        places = []
        for name in pipe.names:
            place = self.find(name)
            if place is None:
                return _unassignable(name, expression, last, self.site)
            places.append((place.slot, place.type_slot))

        def store(frame: Frame, dot: object) -> object:
            value = expression(frame, dot)
            for slot, type_slot in places:
                frame[slot] = value
                if type_slot:
                    frame[type_slot] = ""
            return value

        return store

    def commands(self, pipe: Pipe) -> tuple[Expression, Node]:
        """The commands of a pipeline, each handing its value to the next one."""
        commands = pipe.commands
        first, last = self.command(commands[0], pipe)
        if len(commands) == 1:
            if isinstance(commands[0].args[0], (Bool, Numeral, String, Pipe)):
                return first, last

            def single(frame: Frame, dot: object) -> object:
                value = first(frame, dot)
                return ABSENT if value is None else value

            return single, last
        stages = []
        for command in commands[1:]:
            stage, last = self.stage(command, last)
            stages.append(stage)
        if len(stages) == 1:
            (second,) = stages

            def double(frame: Frame, dot: object) -> object:
                value = first(frame, dot)
                value = second(frame, dot, ABSENT if value is None else value)
                return ABSENT if value is None else value

            return double, last

        def several(frame: Frame, dot: object) -> object:
            value = first(frame, dot)
            for stage in stages:
                value = stage(frame, dot, ABSENT if value is None else value)
            return ABSENT if value is None else value

        return several, last

    def command(self, command: Command, pipe: Pipe) -> tuple[Expression, Node]:
        """The first command of a pipeline."""
        args = command.args
        word = args[0]
        if isinstance(word, Identifier):
            return self.call(word, command, args[1:])
        if isinstance(word, (Field, Chain)) or (isinstance(word, Variable) and word.fields):
            return self.fields(word, args[1:])
        if len(args) > 1:
            node: Node = pipe if isinstance(word, Pipe) else word
            return failing(f"can't give argument to non-function {word}", node, self.site), node
        return self.operand(word)

    def operand(self, node: Node) -> tuple[Expression, Node]:
        """A term on its own: a constant, the dot, a variable, a pipeline in parentheses, a function without arguments."""
        if isinstance(node, Pipe):
            return self.pipe(node)
        if isinstance(node, Dot):
            return dot_itself, node
        if isinstance(node, Variable):
            if node.fields:
                return self.fields(node, [])
            place = self.find(node.name)
            if place is None:
                return failing(f"undefined variable: {node.name}", node, self.site), node
            slot = place.slot

            def variable(frame: Frame, dot: object) -> object:
                return frame[slot]

            return variable, node
        if isinstance(node, Nil):
            return failing("nil is not a command", node, self.site), node
        if isinstance(node, Identifier):
            return self.call(node, node, [])
        if isinstance(node, (Field, Chain)):
            return self.fields(node, [])
        value = constant(node)
        if value is None:
            return failing(f"{node} overflows int", node, self.site), node

        def literal(frame: Frame, dot: object) -> object:
            return value

        return literal, node

    def stage(self, command: Command, before: Node) -> tuple[Stage, Node]:
        """A later command of a pipeline, which takes the value of the one before; `before` was visited last."""
        args = command.args
        word = args[0]
        if isinstance(word, Identifier):
            return self.piped_call(word, command, args[1:])
        if isinstance(word, (Field, Chain)) or (isinstance(word, Variable) and word.fields):
            return self.piped_fields(word, args[1:])
        node = before if isinstance(word, Pipe) else word
        return failing(f"can't give argument to non-function {word}", node, self.site), node

    # Functions

    def argument(self, node: Node) -> Argument:
        """An argument of a function or method."""
        if isinstance(node, (*_CONSTANTS, Dot)):
            return Argument(node, None, node)
        expression, last = self.operand(node)
        return Argument(node, expression, last)

    def function(self, name: str) -> tuple[GoFunction, bool]:
        """The function of a name, and whether it is Go's own."""
        found = self.functions.get(name)
        return (found, False) if found is not None else (self.builtins[name], True)

    def call(self, word: Identifier, command: Node, args: list[Node]) -> tuple[Expression, Node]:
        """A function that begins a pipeline, or is an argument alone."""
        self.cost += _CALL
        function, own = self.function(word.name)
        arguments = [self.argument(node) for node in args]
        last = arguments[-1].last if arguments else word
        if own and word.name in ("and", "or") and arguments:
            decide = and_or(word.name, arguments, False, self.site)
            return _without_value(decide), LAST
        if own and word.name == "call":
            return _without_value(call_value(arguments, word, command, self.site, False)), last
        return call(function, word.name, word, command, arguments, self.site), last

    def piped_call(self, word: Identifier, command: Node, args: list[Node]) -> tuple[Stage, Node]:
        """A function that takes the value of the command before it as its last argument."""
        self.cost += _CALL
        function, own = self.function(word.name)
        arguments = [self.argument(node) for node in args]
        last = arguments[-1].last if arguments else word
        if own and word.name in ("and", "or"):
            return and_or(word.name, arguments, True, self.site), LAST if arguments else word
        if own and word.name == "call":
            return call_value(arguments, word, command, self.site, True), last
        return piped_call(function, word.name, word, command, arguments, self.site), last

    # Fields

    def fields(self, node: Node, args: list[Node]) -> tuple[Expression, Node]:
        """A chain of fields, perhaps with arguments for a method at its end."""
        arguments = [self.argument(one) for one in args]
        if isinstance(node, Field):
            return field_chain(FieldWalk(node.fields, node, node, self.dot_type, self.site, arguments)), node
        if isinstance(node, Variable):
            place = self.find(node.name)
            if place is None:
                return failing(f"undefined variable: {node.name}", node, self.site), node
            walk = FieldWalk(node.fields, node, node, place.type_slot, self.site, arguments)
            return variable_chain(place.slot, walk), node
        walk, head, declared = self.chain(node, arguments, False)
        step = walk.step

        def chain(frame: Frame, dot: object) -> object:
            return step(frame, dot, head(frame, dot), declared)

        return chain, walk.last

    def piped_fields(self, node: Node, args: list[Node]) -> tuple[Stage, Node]:
        """The same with a value that comes through the pipe; only methods can take it."""
        arguments = [self.argument(one) for one in args]
        declared = ""
        head: Expression
        if isinstance(node, Field):
            walk = FieldWalk(node.fields, node, node, self.dot_type, self.site, arguments, True)
            head = dot_itself
        elif isinstance(node, Variable):
            place = self.find(node.name)
            if place is None:
                return failing(f"undefined variable: {node.name}", node, self.site), node
            walk = FieldWalk(node.fields, node, node, place.type_slot, self.site, arguments, True)
            head, _ = self.operand(Variable(node.pos, node.name, []))
        else:
            walk, head, declared = self.chain(node, arguments, True)
        step = walk.step

        def stage(frame: Frame, dot: object, value: object) -> object:
            return step(frame, dot, head(frame, dot), declared, value)

        return stage, walk.last

    def chain(self, node: Node, arguments: list[Argument], piped: bool) -> tuple[FieldWalk, Expression, str]:
        """(pipeline).field or function.field: the walk, what it begins with, and its declared type."""
        assert isinstance(node, Chain)
        head, last = self.operand(node.node)
        declared = ""
        if isinstance(node.node, Identifier):
            result = self.function(node.node.name)[0].result
            declared = result if result == INTERFACE else ""
        return FieldWalk(node.fields, node, last, 0, self.site, arguments, piped), head, declared


def _without_value(stage: Stage) -> Expression:
    def expression(frame: Frame, dot: object) -> object:
        return stage(frame, dot, ABSENT)

    return expression


def _unassignable(name: str, expression: Expression, last: Node, site: Site) -> Expression:
    def fail(frame: Frame, dot: object) -> object:
        expression(frame, dot)
        raise site.error(frame[0], last, f"undefined variable: {name}")

    return fail
