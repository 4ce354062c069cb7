"""Functions on lists."""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any

from krmkit.libraries.go.core.values import ABSENT, encode
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import atoi
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.expressions.operators import loosely_equal
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, PENDING, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Issue, Waits, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node, type_name


@function("uniq", "uniq takes exactly 1 argument", entries="invalid type for function uniq")
def uniq(env: Env, entries: list[Node]) -> list[Node]:
    """Drop entries that loosely equal an earlier one: 1 and "1" are equal."""
    made: list[Node] = []
    seen: set[str] = set()
    others: list[Node] = []
    for node in entries:
        text = simple_text(node.value)
        if text is None:
            env.run.count(len(others))
            if any(loosely_equal(node.value, one.value) for one in others):
                continue
            others.append(node)
        elif text in seen:
            continue
        else:
            seen.add(text)
        made.append(node)
    return made


@function("element", "element takes exactly two arguments")
def element(env: Env, source: Any, index: Any) -> Any:
    if source is None or index is None:
        raise Failure("function element does not take nil arguments")
    if type(source) is dict:
        fail_if(type(index) is not str, f"map key ({index}) must be of type string")
        fail_if(index not in source, f"map key '{index}' not found")
        return source[index].value
    fail_if(type(source) is not list, "invalid type for first argument of function element")
    if type(index) is str:
        try:
            index = atoi(index)
        except GoInputError:
            raise Failure(f"invalid value '{index}' of index argument for function element") from None
    fail_if(type(index) is not int, "invalid type of index argument for function element")
    fail_if(index < 0, "index lower than 0")
    fail_if(index >= len(source), "index greater or equal list size")
    return source[index].value


@function("compact", "compact takes exactly 1 argument", entries="invalid type for function compact")
def compact(env: Env, entries: list[Node]) -> list[Node]:
    return [node for node in entries if node.value is not None and node.value not in ("", [], {})]


@function("contains", "function contains takes exactly two arguments")
def contains(env: Env, source: Any, wanted: Any) -> bool:
    if type(source) is list:
        return wanted is not None and any(loosely_equal(node.value, wanted) for node in source)
    if type(source) is dict:
        return type(wanted) is str and wanted in source
    fail_if(type(source) is not str, "list or string expected for argument one of function contains")
    return _checked(wanted) in source


def _checked(wanted: Any) -> str:
    text = simple_text(wanted)
    if text is None:
        raise Failure("invalid type for check string")
    return text


def _index(source: Any, wanted: Any, last: bool) -> int:
    if type(source) is list:
        places = [] if wanted is None else range(len(source))
        order = reversed(places) if last else places
        return next((at for at in order if loosely_equal(source[at].value, wanted)), -1)
    fail_if(type(source) is not str, "list or string expected for argument one of function index")
    data, part = encode(source), encode(_checked(wanted))
    return data.rfind(part) if last else data.find(part)


def intersect(args: list[Any], env: Env, info: Info) -> Any:
    result: list[Node] | None = None
    for number, arg in enumerate(args):
        if arg is None:
            continue
        if type(arg) is not list:
            raise Failure(
                f"intersect: argument {number}: type '{type_name(arg)}'(%!s(MISSING)) cannot be intersected"
            )
        if result is None:
            result = arg
        else:
            env.run.count(len(result) * len(arg) // 16)
            result = [node for node in result if any(loosely_equal(node.value, one.value) for one in arg)]
    return result or []


FUNCTIONS["intersect"] = intersect
_PLACE = "function index takes exactly two arguments"
function("index", _PLACE)(lambda env, source, wanted: _index(source, wanted, False))
function("lastindex", _PLACE)(lambda env, source, wanted: _index(source, wanted, True))


@function("reverse", "reverse takes one argument", entries="argument for reverse must be a list")
def reverse(env: Env, entries: list[Node]) -> list[Node]:
    return entries[::-1]


@function("sort", "sort takes one or two arguments", entries="argument for sort must be a list")
def sort(env: Env, entries: list[Node], less: Any = ABSENT) -> Any:
    if less is ABSENT:
        kinds = {type(node.value) for node in entries}
        if len(entries) > 1 and kinds != {str} and kinds != {int}:
            issue = Issue("list elements must either be strings or integers")
            raise Failure(Issue("sort failed", (issue,), True))
        if kinds == {str}:
            return sorted(entries, key=lambda node: encode(node.value))
        return sorted(entries, key=lambda node: node.value)
    if not isinstance(less, LambdaValue):
        raise Failure("second argument for sort must be a lambda function")

    def order(one: Node, other: Node) -> int:
        return -1 if _less(less, one, other, env) else _less(less, other, one, env)

    try:
        return sorted(entries, key=cmp_to_key(order))
    except Waits:
        return PENDING
    except Failure as failure:
        raise Failure(Issue("sort failed", (failure.issue,), True)) from None


def _less(less: LambdaValue, one: Node, other: Node, env: Env) -> bool:
    value, _ = less.call([one.value, other.value], env)
    if isinstance(value, Expression):
        raise Waits
    if type(value) is bool:
        return value
    if type(value) is int:
        return value < 0
    raise Failure("lambda must return a bool or integer")
