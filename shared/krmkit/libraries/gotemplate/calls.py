"""Compile calls of functions and methods for the number and types of their arguments."""

from __future__ import annotations

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.values import ABSENT, type_of
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.gotemplate.callarguments import Argument, failing, piped_value, typed
from krmkit.libraries.gotemplate.execution import LAST, Execution, Site
from krmkit.libraries.gotemplate.nodes import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.gotemplate.execution import Closure, Frame


def _wrong_count(function: GoFunction, name: str, given: int, piped: bool) -> str:
    wanted = len(function.types)
    if function.variadic:
        if given + piped >= wanted - 1:
            return ""
        return f"wrong number of args for {name}: want at least {wanted - 1} got {given}"
    if given + piped == wanted:
        return ""
    return f"wrong number of args for {name}: want {wanted} got {given + piped}"


def call(
    function: GoFunction,
    name: str,
    place: Node,
    command: Node,
    arguments: list[Argument],
    site: Site,
    piped: bool,
) -> Closure:
    """Compile a call; with `piped`, the last argument comes from the pipe.

    Errors in the form of the call are at `place`, errors of the function at `command`.
    """
    problem = _wrong_count(function, name, len(arguments), piped)
    if problem:
        return failing(problem, place, site)
    if piped:
        arguments = [*arguments, Argument(place, piped_value, arguments[-1].last if arguments else place)]
    types = list(function.types[: len(arguments)])
    types += function.types[-1:] * (len(arguments) - len(types))
    given = [typed(argument, one, site) for argument, one in zip(arguments, types, strict=True)]
    impl = function.load()
    prefix = f"error calling {name}: "

    if len(given) == 1:
        only = given[0]

        def one(frame: Frame, dot: object, value: object = ABSENT) -> object:
            try:
                return impl(only(frame, dot, value))
            except GoError as error:
                raise site.error(frame[0], command, prefix + error.message) from None

        return one
    if len(given) == 2:
        first, second = given

        def two(frame: Frame, dot: object, value: object = ABSENT) -> object:
            try:
                return impl(first(frame, dot, value), second(frame, dot, value))
            except GoError as error:
                raise site.error(frame[0], command, prefix + error.message) from None

        return two

    def many(frame: Frame, dot: object, value: object = ABSENT) -> object:
        try:
            return impl(*[argument(frame, dot, value) for argument in given])
        except GoError as error:
            raise site.error(frame[0], command, prefix + error.message) from None

    return many


def and_or(name: str, arguments: list[Argument], piped: bool, site: Site) -> Closure:
    """Compile and, or: the first argument that decides is the value; later ones are not evaluated.

    `Execution.last` becomes the last node of that argument.
    """
    wanted = name == "or"
    given = [(typed(argument, "reflect.Value", site), argument.last) for argument in arguments]

    def decide(frame: Frame, dot: object, value: object = ABSENT) -> object:
        found: object = ABSENT
        run: Execution = frame[0]
        for argument, last in given:
            found = argument(frame, dot)
            if last is not LAST:
                run.last = last
            if bool(found) is wanted:
                return found
        return value if piped else found

    return decide


def call_value(arguments: list[Argument], place: Node, command: Node, site: Site, piped: bool) -> Closure:
    """Compile the builtin call, which only fails, with Go's message, because data hold no functions."""
    given = [typed(argument, "reflect.Value", site) for argument in arguments]
    if not given and not piped:
        return failing("wrong number of args for call: want at least 1 got 0", place, site)

    def refuse(frame: Frame, dot: object, value: object = ABSENT) -> object:
        values = [argument(frame, dot) for argument in given]
        callee = values[0] if values else value
        if callee is None or callee is ABSENT:
            message = "call of nil"
        else:
            found = type_of(callee)
            # Go shows a piped value as reflect.Value.String does: strings as they are, others by type.
            shown = callee if isinstance(callee, str) else f"<{found} Value>"
            if arguments:
                shown = str(arguments[0].node)
            message = f"non-function {shown} of type {found}"
        raise site.error(frame[0], command, f"error calling call: {message}")

    return refuse
