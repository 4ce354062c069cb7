"""Bound the effort of a CEL expression before evaluating it; the CEL library limits loop rounds only.

`["ab"].map(a, a + a)` and so on makes a gigabyte in thirty rounds. So the expression is visited once with the
sizes of its variables instead of their values, and every operation counts as often as its loops may run it.
Kubernetes does this for the rules of a CRD, with the sizes of a schema (k8s.io/apiserver,
pkg/cel/library/cost.go). Steps are those of `krmkit.libraries.yaml.effort`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from krmkit.libraries.cel import extent, nodes
from krmkit.libraries.cel.extent import MADE, READ, SCALAR, Extent, KnownExtent, collection, either, text
from krmkit.libraries.cel.nodes import LiteralNode, Node
from krmkit.libraries.cel.tree import CheckedTree
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.yaml.effort import charge

MAX_COST = 1_000_000
"""Steps that one evaluation may take at worst, by its bound."""
ROUNDS = 10_000
"""Rounds of all loops of one evaluation, together: the library ends it there."""

_ORDINARY = 2_000  # operations x the size of all values, up to which a plain expression is not visited
# Characters of a short text; steps for each character, for each one beyond, and for each parenthesis: macros
# take long.
_SHORT, _COMPILED, _COMPILED_LONG, _PARENTHESIS = 256, 32, 14, 300
_COPIED = 2  # elements of a list that are one step to copy; in memory they are 16 bytes each
_SPLIT = 4  # characters that are one step to split
_SOUGHT = 1_000  # characters of one text x those of the other that are one step of searching
_CALLED = 20  # steps of a function that Python runs
_SIGN = 72  # steps to compile one character of a pattern without repeat counts
_LARGEST = 540_000  # steps to compile the largest pattern that RE2 admits
_INSTRUCTION = 6  # steps to compile one instruction
_SEARCHED = 1_000  # instructions x characters that are one step of matching

_EQUAL = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_")
_SCALARS = frozenset((
    "int", "uint", "double", "bool", "timestamp", "duration", "_-_", "-_", "_*_", "_/_", "_%_", "!_", "_&&_", "_||_",
    "@not_strictly_false", "__not_strictly_false__", "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek",
    "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds", "hasValue", "type",
))  # fmt: skip
_ENDS = ("startsWith", "endsWith")
_SEARCHES = ("contains", "indexOf", "lastIndexOf")
_INSIDE = ("_[_]", "_[?_]", "_?._")
_SETS = ("sets.contains", "sets.equivalent", "sets.intersects")
_PATTERNS = ("matches", "find", "findAll")


@dataclass
class Values:
    """The values of the variables of one evaluation."""

    variables: Mapping[str, object]

    @cached_property
    def total(self) -> int:
        """Return one more than the steps to visit all values."""
        # Two variables are often one object: a target that is a repository.
        different = {id(value): value for value in self.variables.values()}
        return extent.steps_through(different.values()) + 1


def charge_compiling(text: str) -> None:
    """Charge for compiling an expression. Raises EffortError if the run's budget is used up."""
    beyond = max(0, len(text) - _SHORT)
    charge(len(text) * _COMPILED + beyond * _COMPILED_LONG + text.count("(") * _PARENTHESIS)


class Cost:
    """The cost of evaluating one expression.

    Expressions without loops over ordinary values are not analysed: they cost one call.
    """

    def __init__(self, tree: CheckedTree) -> None:
        names = {call.function for call in tree.calls()}
        self.operations = len(tree.expressions)
        self.plain = not tree.has_loops() and names.isdisjoint((*_PATTERNS, *_SEARCHES, "replace", "split"))
        self._root = tree.root

    def charge(self, values: Values) -> bool:
        """Charge for an evaluation; return False if it may take more than MAX_COST steps.

        Raises EffortError if the run's budget is used up.
        """
        if self.plain and self.operations * values.total <= _ORDINARY:
            charge(self.operations // 4)
            return True
        steps = cost(self._root, values.variables)
        charge(min(steps, MAX_COST))
        return steps <= MAX_COST


class BatchCost:
    """The cost of evaluating several expressions with the same values; without loops, one test covers all."""

    def __init__(self, costs: Sequence[Cost]) -> None:
        self._costs = costs
        self._plain = all(cost.plain for cost in costs)
        self._largest = max(cost.operations for cost in costs)
        self._steps = sum(cost.operations // 4 for cost in costs)

    def charge(self, values: Values) -> bool:
        """Charge for all evaluations; return False if one may take more than MAX_COST steps."""
        if self._plain and self._largest * values.total <= _ORDINARY:
            charge(self._steps)
            return True
        return all(cost.charge(values) for cost in self._costs)


def cost(root: Node, values: Mapping[str, object]) -> int:
    """Return the most steps that an evaluation with these values may take; counting stops above MAX_COST."""
    meter = _Meter()
    try:
        meter.visit(root, {name: KnownExtent([value]) for name, value in values.items()}, 1)
    except OverflowError:
        pass
    return meter.steps


class _Meter:
    """Visits the nodes once; `times` is how often a node may run."""

    steps = 0

    def take(self, steps: int, times: int) -> None:
        self.steps += steps * times
        if self.steps > MAX_COST:
            raise OverflowError  # the bound is above MAX_COST, whatever follows

    def visit(self, node: Node, scope: dict[str, Extent], times: int) -> Extent:
        """Count a node, and return the bounds of its value."""
        if isinstance(node, nodes.NameNode):
            return scope.get(node.name, SCALAR)
        if isinstance(node, LiteralNode):
            return SCALAR if node.value is None else text(len(node.value), extent.is_odd(node.value))
        if isinstance(node, nodes.SelectNode):
            operand = self.visit(node.operand, scope, times)
            return SCALAR if node.test else operand.field(node.field)
        if isinstance(node, nodes.LoopNode):
            return self._loop(node, scope, times)
        if isinstance(node, nodes.CollectionNode):
            return self._collection(node, scope, times)
        return self._call(node, scope, times) if isinstance(node, nodes.CallNode) else SCALAR

    def _collection(self, node: nodes.CollectionNode, scope: dict[str, Extent], times: int) -> Extent:
        items = [self.visit(item, scope, times) for item in node.items]
        keys = [self.visit(key, scope, times) for key in node.keys]
        self.take(1 + len(items) + len(keys), times)
        return collection(len(items), either(items), either(keys) if node.keys else None)

    def _loop(self, node: nodes.LoopNode, scope: dict[str, Extent], times: int) -> Extent:
        over = self.visit(node.range, scope, times)
        start = self.visit(node.start, scope, times)
        rounds = min(over.width, ROUNDS)
        inner_times = min(times * rounds, ROUNDS)
        inner = {**scope, node.accumulator: start}
        if rounds:
            for variable in node.variables:
                inner[variable] = either([over.keys, over.inner]) if len(node.variables) > 1 else over.keys
            # A list that grows is copied in every round; the condition reads it, too.
            inner[node.accumulator] = either([start, collection(rounds, SCALAR)])
            self.take(1, inner_times)
            self.visit(node.condition, inner, inner_times)
            step = self.visit(node.step, inner, inner_times)
            # Macros add one element in a round, or keep a truth value or a number.
            grown = collection(rounds, step.inner) if step.width else step
            inner[node.accumulator] = either([start, grown])
        return self.visit(node.result, inner, times)

    def _call(self, node: nodes.CallNode, scope: dict[str, Extent], times: int) -> Extent:
        name = node.function
        arguments = [self.visit(argument, scope, times) for argument in node.arguments]
        self.take(1, times)
        first = arguments[0] if arguments else SCALAR
        second = arguments[1] if len(arguments) > 1 else SCALAR
        if name == "_+_":
            return self._sum(first, second, times)
        if name == "_?_:_":
            return either(arguments[1:])
        if name in _INSIDE:
            key = node.arguments[1]
            if isinstance(key, LiteralNode) and isinstance(key.value, str):
                return first.field(key.value)
            return first.inner
        if name in _EQUAL:
            self.take(min(first.total, second.total), times)
            return SCALAR
        if name in ("@in", "_in_"):
            self.take(second.width * min(first.total, second.inner.total), times)
            return SCALAR
        if name in _SCALARS:
            return SCALAR
        if name in _PATTERNS:
            return self._match(node, first, second, times)
        return self._other(node, arguments, first, second, times)

    def _sum(self, first: Extent, second: Extent, times: int) -> Extent:
        characters, width = first.characters + second.characters, first.width + second.width
        self.take(characters // MADE + width // _COPIED, times)
        if not width:
            return text(characters, first.odd or second.odd)
        listed = collection(width, either([first.inner, second.inner]), total=first.total + second.total)
        return either([listed, text(characters, first.odd or second.odd)]) if characters else listed

    def _match(self, node: nodes.CallNode, first: Extent, second: Extent, times: int) -> Extent:
        size = _size(node.arguments[1] if len(node.arguments) > 1 else None)
        if size:
            self.take(size * _INSTRUCTION, 1)
        else:
            size = 90_000 if second.odd else 12 * (1 + second.characters)
            self.take(_LARGEST if second.odd else _SIGN * second.characters, times)
        self.take(size * first.characters // _SEARCHED, times)
        if node.function == "matches":
            return SCALAR
        self.take(_CALLED, times)
        found = text(first.characters, first.odd)
        if node.function == "find":
            return found
        # Each match may read the rest of the text, up to ten times all of it.
        self.take(8 * first.characters + 10 * size * first.characters // _SEARCHED, times)
        return collection(first.characters + 1, found)

    def _other(
        self, node: nodes.CallNode, arguments: list[Extent], first: Extent, second: Extent, times: int
    ) -> Extent:
        name = node.function
        if name == "size":
            self.take(first.characters // READ, times)
            return SCALAR
        if name in _ENDS:
            self.take(second.characters // READ, times)
            return SCALAR
        if name in _SEARCHES:
            self.take(_product(first, second) // _SOUGHT, times)
            return SCALAR
        if name in ("string", "bytes", "dyn"):
            self.take(first.characters // MADE, times)
            return first if name == "dyn" else text(max(first.characters, extent.NUMBER), first.odd)
        if name in _SETS:
            self.take(first.width * second.width * min(first.inner.total, second.inner.total), times)
            return SCALAR
        odd = any(argument.odd for argument in arguments)
        if name in ("replace", "split", "join"):
            self.take(_CALLED + _product(first, second) // _SOUGHT, times)
            if name == "split":
                self.take(first.characters // _SPLIT, times)
                separator = node.arguments[1]
                by = separator.value if isinstance(separator, LiteralNode) else None
                if isinstance(first, KnownExtent) and isinstance(by, str):
                    return KnownExtent(
                        [one.split(by or None) for one in first.values if isinstance(one, str)]
                    )
                return collection(first.characters + 1, text(first.characters, odd))
            if name == "join":
                made = first.width * (first.inner.characters + second.characters)
            else:
                third = arguments[2] if len(arguments) > 2 else SCALAR
                made = first.characters + (first.characters + 1) * third.characters
            self.take(made // MADE, times)
            return text(made, odd)
        # Any other function reads its arguments, and returns no more than these, or twelve characters for
        # one.
        self.take(_CALLED + sum(argument.total + argument.characters for argument in arguments), times)
        characters = 12 * sum(argument.characters for argument in arguments)
        return either([*arguments, *(argument.inner for argument in arguments), text(characters, True)])


def _size(given: Node | None) -> int:
    """Return the number of instructions of a pattern literal; 0 for an invalid one and for other nodes."""
    if not isinstance(given, LiteralNode) or not isinstance(given.value, str):
        return 0
    try:
        return pattern.compile(given.value).size
    except pattern.PatternError:
        return 0


def _product(first: Extent, second: Extent) -> int:
    return first.characters * second.characters
