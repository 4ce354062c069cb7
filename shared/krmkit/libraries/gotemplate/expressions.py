"""Compile pipelines to Python closures, once per template.

The compiler turns variable names into slots of a frame. An error that Go finds at execution (an unknown
variable in a branch, a wrong number of arguments) becomes a closure that raises it.
"""

from __future__ import annotations

from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.gotemplate import nodes
from krmkit.libraries.gotemplate.callarguments import Argument, constant, dot_itself, failing, literal
from krmkit.libraries.gotemplate.calls import and_or, call, call_value
from krmkit.libraries.gotemplate.execution import LAST, Site
from krmkit.libraries.gotemplate.fieldchains import INTERFACE, FieldWalk, field_chain, variable_chain
from krmkit.libraries.gotemplate.nodes import Command, Node, Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from krmkit.libraries.go.core.functions import GoFunction
    from krmkit.libraries.gotemplate.execution import Closure, Frame

_CALL = 16  # nodes whose time an ordinary function takes
_CHAINS = (nodes.Field, nodes.Chain)
_KNOWN = (nodes.Bool, nodes.Numeral, nodes.String, Pipe)  # as a command, none is a nil interface
_UNTYPED = (
    nodes.Dot,
    nodes.Bool,
    nodes.Nil,
    nodes.Numeral,
    nodes.String,
)  # compiled for the parameter's type


class VariablePlace:
    """The slot of a variable. `type_slot`: the slot of the type that a range gave it, or 0."""

    def __init__(self, slot: int, type_slot: int = 0) -> None:
        self.slot = slot
        self.type_slot = type_slot


class Expressions:
    """Compiler of one tree's pipelines; each method returns a closure and the node it visits last.

    With `piped`, the closure takes the value of the previous command in the pipeline.
    """

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
        """End the scope of all names except the first `outer` ones."""
        for name in self.scope[outer:]:
            self.places[name].pop()
        del self.scope[outer:]

    def find(self, name: str) -> VariablePlace | None:
        places = self.places.get(name)
        return places[-1] if places else None

    # Pipelines

    def pipe(self, pipe: Pipe) -> tuple[Closure, Node]:
        """Compile a pipeline with its variables; ABSENT replaces a nil interface."""
        expression, last = self.commands(pipe)
        if not pipe.names:
            return expression, last
        if pipe.assign:
            return self.assign(pipe, expression, last), last
        slots = [self.declare(name).slot for name in pipe.names]

        def declare(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            value = expression(frame, dot)
            for slot in slots:
                frame[slot] = value
            return value

        return declare, last

    def assign(self, pipe: Pipe, expression: Closure, last: Node) -> Closure:
        """Compile $x = pipeline, which sets the innermost $x."""
        places = []
        for name in pipe.names:
            place = self.find(name)
            if place is None:
                return _unassignable(name, expression, last, self.site)
            places.append((place.slot, place.type_slot))

        def store(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            value = expression(frame, dot)
            for slot, type_slot in places:
                frame[slot] = value
                if type_slot:
                    frame[type_slot] = ""
            return value

        return store

    def commands(self, pipe: Pipe) -> tuple[Closure, Node]:
        """Compile the commands of a pipeline, each with the previous one's value."""
        commands = pipe.commands
        first, last = self.command(commands[0], pipe)
        if len(commands) == 1:
            if isinstance(commands[0].args[0], _KNOWN):
                return first, last

            def single(frame: Frame, dot: object, piped: object = ABSENT) -> object:
                value = first(frame, dot)
                return ABSENT if value is None else value

            return single, last
        stages = []
        for command in commands[1:]:
            stage, last = self.command(command, last, piped=True)
            stages.append(stage)
        if len(stages) == 1:
            (second,) = stages

            def double(frame: Frame, dot: object, piped: object = ABSENT) -> object:
                value = first(frame, dot)
                value = second(frame, dot, ABSENT if value is None else value)
                return ABSENT if value is None else value

            return double, last

        def several(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            value = first(frame, dot)
            for stage in stages:
                value = stage(frame, dot, ABSENT if value is None else value)
            return ABSENT if value is None else value

        return several, last

    def command(self, command: Command, around: Node, piped: bool = False) -> tuple[Closure, Node]:
        """Compile a command; errors in a parenthesized pipeline are at `around`."""
        args = command.args
        word = args[0]
        if isinstance(word, nodes.Identifier):
            return self.call(word, command, args[1:], piped)
        if isinstance(word, _CHAINS) or (isinstance(word, nodes.Variable) and word.fields):
            return self.fields(word, args[1:], piped)
        if piped or len(args) > 1:
            node = around if isinstance(word, Pipe) else word
            return failing(f"can't give argument to non-function {word}", node, self.site), node
        return self.operand(word)

    def operand(self, node: Node) -> tuple[Closure, Node]:
        """Compile a constant, the dot, a variable, a pipeline, a chain of fields, or a function alone."""
        if isinstance(node, _CHAINS):
            return self.fields(node, [])
        if isinstance(node, Pipe):
            return self.pipe(node)
        if isinstance(node, nodes.Dot):
            return dot_itself, node
        if isinstance(node, nodes.Variable):
            if node.fields:
                return self.fields(node, [])
            place = self.find(node.name)
            if place is None:
                return failing(f"undefined variable: {node.name}", node, self.site), node
            return _variable(place.slot), node
        if isinstance(node, nodes.Nil):
            return failing("nil is not a command", node, self.site), node
        if isinstance(node, nodes.Identifier):
            return self.call(node, node, [])
        value = constant(node)
        if value is None:
            return failing(f"{node} overflows int", node, self.site), node
        return literal(value), node

    # Functions

    def argument(self, node: Node) -> Argument:
        """Compile an argument of a function or method."""
        if isinstance(node, _UNTYPED):
            return Argument(node, None, node)
        expression, last = self.operand(node)
        return Argument(node, expression, last)

    def function(self, name: str) -> tuple[GoFunction, bool]:
        """Return the function of a name, and True if it is Go's own."""
        found = self.functions.get(name)
        return (found, False) if found is not None else (self.builtins[name], True)

    def call(
        self, word: nodes.Identifier, command: Node, args: list[Node], piped: bool = False
    ) -> tuple[Closure, Node]:
        """Compile a function with its arguments."""
        self.cost += _CALL
        name = word.text
        function, own = self.function(name)
        arguments = [self.argument(node) for node in args]
        last = arguments[-1].last if arguments else word
        if own and name in ("and", "or") and (arguments or piped):
            return and_or(name, arguments, piped, self.site), LAST if arguments else word
        if own and name == "call":
            return call_value(arguments, word, command, self.site, piped), last
        return call(function, name, word, command, arguments, self.site, piped), last

    # Fields

    def fields(
        self, node: nodes.Field | nodes.Variable | nodes.Chain, args: list[Node], piped: bool = False
    ) -> tuple[Closure, Node]:
        """Compile a chain of fields, perhaps with arguments for a method at its end."""
        arguments = [self.argument(one) for one in args]
        head: Closure = dot_itself
        slot, type_slot, declared = 0, self.dot_type, ""
        last: Node = node
        if isinstance(node, nodes.Variable):
            place = self.find(node.name)
            if place is None:
                return failing(f"undefined variable: {node.name}", node, self.site), node
            slot, type_slot = place.slot, place.type_slot
        elif isinstance(node, nodes.Chain):
            head, last = self.operand(node.node)
            type_slot = 0
            if isinstance(node.node, nodes.Identifier):
                result = self.function(node.node.text)[0].result
                declared = result if result == INTERFACE else ""
        walk = FieldWalk(node.fields, node, last, type_slot, self.site, arguments, piped)
        if last is node and not arguments and not piped:
            return (variable_chain(slot, walk) if slot else field_chain(walk)), node
        head = _variable(slot) if slot else head
        step = walk.step

        def chain(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            return step(frame, dot, head(frame, dot), declared, piped)

        return chain, last


def _variable(slot: int) -> Closure:
    def variable(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        return frame[slot]

    return variable


def _unassignable(name: str, expression: Closure, last: Node, site: Site) -> Closure:
    def fail(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        expression(frame, dot)
        raise site.error(frame[0], last, f"undefined variable: {name}")

    return fail
