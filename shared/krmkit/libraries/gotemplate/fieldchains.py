"""Field chains: .a.b.c on maps, fields and methods of objects, with Go's error for each step that fails."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.values import ABSENT, GoObject, type_of
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate.callarguments import Argument
from krmkit.libraries.gotemplate.calls import call
from krmkit.libraries.gotemplate.execution import Execution, Site
from krmkit.libraries.gotemplate.nodes import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.gotemplate.execution import Closure, Frame

INTERFACE = "interface {}"


class FieldWalk:
    """A walk along a chain of fields, with each step's error.

    - `names`: the fields. `node`: the chain. `last`: the node that errors name.
    - `type_slot`: the slot of the declared type of the first value (an element of a range's list), else 0.
    - `arguments`, `piped`: the arguments of the last field, if it is a method.
    """

    def __init__(
        self,
        names: list[str],
        node: Node,
        last: Node,
        type_slot: int,
        site: Site,
        arguments: list[Argument],
        piped: bool,
    ) -> None:
        self.names = names
        self.node = node
        self.last = last
        self.type_slot = type_slot
        self.site = site
        self.arguments = arguments
        self.piped = piped

    def step(
        self, frame: Frame, dot: object, receiver: object, declared: str = "", piped: object = ABSENT
    ) -> object:
        """Return the value at the chain's end, from `receiver`, whose declared type may be known."""
        if self.type_slot:
            declared = str(frame[self.type_slot] or "")
        end = len(self.names) - 1
        for at, name in enumerate(self.names):
            receiver, declared = self._field(frame, dot, receiver, declared, name, at == end, piped)
        return receiver

    def _field(
        self, frame: Frame, dot: object, receiver: object, declared: str, name: str, last: bool, value: object
    ) -> tuple[object, str]:
        given = last and (self.piped or bool(self.arguments))
        if isinstance(receiver, dict):
            if given:
                raise self._error(frame, f"{name} is not a method but has arguments")
            element: str = getattr(receiver, "element", INTERFACE)
            if name in receiver:
                return receiver[name], element
            if self.site.missing == "error":
                raise self._error(frame, f"map has no entry for key {quote(name)}")
            if self.site.missing == "zero":
                return ("" if element == "string" else None), element
            return ABSENT, ""
        if receiver is ABSENT:
            if self.site.missing == "error":
                raise self._error(frame, f"nil data; no entry for key {quote(name)}")
            return ABSENT, ""
        if receiver is None:
            raise self._error(frame, f"nil pointer evaluating {declared or INTERFACE}.{name}")
        if isinstance(receiver, GoObject):
            if name in receiver.go_methods:
                return self._method(frame, dot, receiver, name, last, value)
            field = receiver.go_fields.get(name)
            if field is not None:
                if given:
                    raise self._error(frame, f"{name} has arguments but cannot be invoked as function")
                return field(receiver), ""
        raise self._error(frame, f"can't evaluate field {name} in type {declared or type_of(receiver)}")

    def _method(
        self, frame: Frame, dot: object, receiver: GoObject, name: str, last: bool, value: object
    ) -> tuple[object, str]:
        method = receiver.go_methods[name]

        def impl(*given: object) -> object:
            return method.load()(receiver, *given)

        bound = GoFunction(impl, method.params, method.variadic, method.result)
        arguments = self.arguments if last else []
        called = call(bound, name, self.last, self.node, arguments, self.site, last and self.piped)
        found = called(frame, dot, value)
        return found, method.result if method.result == INTERFACE and found is not None else ""

    def _error(self, frame: Frame, message: str) -> Exception:
        run: Execution = frame[0]
        return self.site.error(run, self.last, message)


def field_chain(walk: FieldWalk) -> Closure:
    """Compile .a.b: look up keys directly, and walk only if that fails."""
    step = walk.step
    names = walk.names
    if len(names) == 1:
        (only,) = names

        def one(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            try:
                return dot[only]  # type: ignore[index]  # what cannot be indexed is walked
            except (KeyError, TypeError):
                return step(frame, dot, dot)

        return one
    if len(names) == 2:
        first, second = names

        def two(frame: Frame, dot: object, piped: object = ABSENT) -> object:
            try:
                return dot[first][second]  # type: ignore[index]  # what cannot be indexed is walked
            except (KeyError, TypeError):
                return step(frame, dot, dot)

        return two

    def many(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        value = dot
        try:
            for name in names:
                value = value[name]  # type: ignore[index]  # what cannot be indexed is walked
        except (KeyError, TypeError):
            return step(frame, dot, dot)
        return value

    return many


def variable_chain(slot: int, walk: FieldWalk) -> Closure:
    """Compile $x.a.b."""
    step = walk.step
    names = walk.names

    def many(frame: Frame, dot: object, piped: object = ABSENT) -> object:
        value = frame[slot]
        try:
            for name in names:
                value = value[name]
        except (KeyError, TypeError):
            return step(frame, dot, frame[slot])
        return value

    return many
