"""The effort of a CEL expression, bounded before it is evaluated: the library itself counts rounds of loops and nothing else.

`["ab"].map(a, a + a)` and so on makes a gigabyte in thirty rounds. So the expression is gone through once with the sizes of
its variables in place of their values, every operation counted as often as its loops may run it. This is what Kubernetes does for
the rules of a CRD, with the sizes of a schema (k8s.io/apiserver, pkg/cel/library/cost.go). A step is that of `krmkit.libraries.yaml.effort`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from krmkit.libraries.cel.extent import (
    MADE,
    NUMBER,
    READ,
    SCALAR,
    Extent,
    KnownExtent,
    collection,
    either,
    is_odd,
    steps_through,
    text,
)
from krmkit.libraries.cel.nodes import (
    CallNode,
    CollectionNode,
    LiteralNode,
    LoopNode,
    NameNode,
    Node,
    SelectNode,
    nodes,
)
from krmkit.libraries.cel.tree import CheckedTree
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.yaml.effort import charge

MAX_COST = 1_000_000
"""Steps that one evaluation may take at worst, by its bound."""
ROUNDS = 10_000
"""Rounds of all loops of one evaluation, together: the library ends it there."""

_ORDINARY = 2_000  # operations x the size of all values, up to which a plain expression is not gone through
# Characters of a short text; steps for each character, for each one beyond, and for each parenthesis: macros take long.
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


@dataclass(slots=True)
class Values:
    """The values of the variables of one evaluation; each is measured once, on first access."""

    variables: Mapping[str, object]
    _total: int = field(init=False, default=0)

    @property
    def total(self) -> int:
        """The steps to go through all of them."""
        if not self._total:
            # Two variables are often one object: a target that is a repository.
            different = {id(value): value for value in self.variables.values()}
            self._total = steps_through(different.values()) + 1
        return self._total


def charge_compiling(text: str) -> None:
    """Take the steps of compiling an expression from the run's budget. Raises EffortError where it is used up."""
    beyond = max(0, len(text) - _SHORT)
    charge(len(text) * _COMPILED + beyond * _COMPILED_LONG + text.count("(") * _PARENTHESIS)


class Cost:
    """The cost of evaluating one expression.

    Expressions without loops over ordinary values are not analysed: they cost one call.
    """

    def __init__(self, tree: CheckedTree) -> None:
        self.operations, names = tree.calls()
        self.plain = not tree.loops() and names.isdisjoint((*_PATTERNS, *_SEARCHES, "replace", "split"))
        self._tree = tree
        self._root: Node | None = None

    def charge(self, values: Values) -> bool:
        """Take the steps of an evaluation from the run's budget; False where they are more than MAX_COST.

        Raises EffortError where the budget is used up."""
        if self.plain and self.operations * values.total <= _ORDINARY:
            charge(self.operations // 4)
            return True
        if self._root is None:
            self._root = nodes(self._tree)
        steps = cost(self._root, values.variables)
        charge(min(steps, MAX_COST))
        return steps <= MAX_COST


class BatchCost:
    """The cost of evaluating several expressions with the same values; if all are ordinary, the values decide."""

    def __init__(self, costs: Sequence[Cost]) -> None:
        self._costs = costs
        self._plain = all(cost.plain for cost in costs)
        self._largest = max(cost.operations for cost in costs)
        self._steps = sum(cost.operations // 4 for cost in costs)

    def charge(self, values: Values) -> bool:
        """Take the steps of all evaluations, as `Cost.charge` does of one; False where one is more than MAX_COST."""
        if self._plain and self._largest * values.total <= _ORDINARY:
            charge(self._steps)
            return True
        return all(cost.charge(values) for cost in self._costs)


def cost(root: Node, values: Mapping[str, object]) -> int:
    """The steps that an evaluation with these values takes at worst. It ends above MAX_COST, without the rest."""
    meter = _Meter()
    try:
        meter.visit(root, {name: KnownExtent([value]) for name, value in values.items()}, 1)
    except OverflowError:
        pass
    return meter.steps


@dataclass(slots=True)
class _Meter:
    """Goes through the nodes once; `times` is how often a node may run."""

    steps: int = field(init=False, default=0)

    def take(self, steps: int, times: int) -> None:
        self.steps += steps * times
        if self.steps > MAX_COST:
            raise OverflowError  # the bound is above MAX_COST, whatever follows

    def visit(self, node: Node, scope: dict[str, Extent], times: int) -> Extent:
        """Count a node and return the bound of its value."""
        if isinstance(node, NameNode):
            return scope.get(node.name, SCALAR)
        if isinstance(node, LiteralNode):
            return SCALAR if node.value is None else text(len(node.value), is_odd(node.value))
        if isinstance(node, SelectNode):
            operand = self.visit(node.operand, scope, times)
            return SCALAR if node.test else operand.field(node.field)
        if isinstance(node, LoopNode):
            return self._loop(node, scope, times)
        if isinstance(node, CollectionNode):
            return self._collection(node, scope, times)
        return self._call(node, scope, times)

    def _collection(self, node: CollectionNode, scope: dict[str, Extent], times: int) -> Extent:
        items = [self.visit(item, scope, times) for item in node.items]
        keys = [self.visit(key, scope, times) for key in node.keys]
        self.take(1 + len(items) + len(keys), times)
        return collection(len(items), either(items), either(keys) if node.keys else None)

    def _loop(self, node: LoopNode, scope: dict[str, Extent], times: int) -> Extent:
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

    def _call(self, node: CallNode, scope: dict[str, Extent], times: int) -> Extent:
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

    def _match(self, node: CallNode, first: Extent, second: Extent, times: int) -> Extent:
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
        self, node: CallNode, arguments: list[Extent], first: Extent, second: Extent, times: int
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
            return first if name == "dyn" else text(max(first.characters, NUMBER), first.odd)
        if name in _SETS:
            self.take(first.width * second.width * min(first.inner.total, second.inner.total), times)
            return SCALAR
        odd = any(argument.odd for argument in arguments)
        if name in ("replace", "split", "join"):
            self.take(_CALLED + _product(first, second) // _SOUGHT, times)
            if name == "split":
                self.take(first.characters // _SPLIT, times)
                separator = node.arguments[1]
                if (
                    isinstance(first, KnownExtent)
                    and isinstance(separator, LiteralNode)
                    and isinstance(separator.value, str)
                ):
                    return KnownExtent(
                        [
                            value.split(separator.value or None)
                            for value in first.values
                            if isinstance(value, str)
                        ]
                    )
                return collection(first.characters + 1, text(first.characters, odd))
            if name == "join":
                made = first.width * (first.inner.characters + second.characters)
            else:
                third = arguments[2] if len(arguments) > 2 else SCALAR
                made = first.characters + (first.characters + 1) * third.characters
            self.take(made // MADE, times)
            return text(made, odd)
        # Whatever else there is: it goes through what it gets, and gives no more than that, or twelve signs for one.
        self.take(_CALLED + sum(argument.total + argument.characters for argument in arguments), times)
        characters = 12 * sum(argument.characters for argument in arguments)
        return either([*arguments, *(argument.inner for argument in arguments), text(characters, True)])


def _size(given: Node | None) -> int:
    """The instructions of a pattern that is part of the expression; 0 where it does not, or is none."""
    if not isinstance(given, LiteralNode) or not isinstance(given.value, str):
        return 0
    try:
        return pattern.compile(given.value).size
    except pattern.PatternError:
        return 0


def _product(first: Extent, second: Extent) -> int:
    return first.characters * second.characters
