"""Functions on lists."""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any

from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import Undefined, simple_text
from krmkit.libraries.spiff.expressions.operators import loosely_equal
from krmkit.libraries.spiff.functions.strings import data_of
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Issue, Waits
from krmkit.libraries.spiff.tree.nodes import Expression, Node, type_name

PENDING = Undefined()


def uniq(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("uniq takes exactly 1 argument")
    if type(args[0]) is not list:
        raise Failure("invalid type for function uniq")
    return distinct(args[0], env)


def distinct(entries: list[Node], env: Env) -> list[Node]:
    """The entries without those that equal an earlier one (loosely: 1 and "1" are equal)."""
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


def element(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 2:
        raise Failure("element takes exactly two arguments")
    source, index = args
    if source is None or index is None:
        raise Failure("function element does not take nil arguments")
    if type(source) is dict:
        if type(index) is not str:
            raise Failure(f"map key ({index}) must be of type string")
        if index not in source:
            raise Failure(f"map key '{index}' not found")
        return source[index].value
    if type(source) is not list:
        raise Failure("invalid type for first argument of function element")
    if type(index) is str:
        digits = index[1:] if index[:1] in ("+", "-") else index
        if not digits.isdigit() or not digits.isascii() or len(digits) > 18:
            raise Failure(f"invalid value '{index}' of index argument for function element")
        index = int(index)
    if type(index) is not int:
        raise Failure("invalid type of index argument for function element")
    if index < 0:
        raise Failure("index lower than 0")
    if index >= len(source):
        raise Failure("index greater or equal list size")
    return source[index].value


def compact(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("compact takes exactly 1 argument")
    if type(args[0]) is not list:
        raise Failure("invalid type for function compact")
    return [node for node in args[0] if node.value is not None and node.value not in ("", [], {})]


def contains(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 2:
        raise Failure("function contains takes exactly two arguments")
    source, wanted = args
    if type(source) is list:
        return wanted is not None and any(loosely_equal(node.value, wanted) for node in source)
    text = simple_text(wanted)
    if type(source) is dict:
        return type(wanted) is str and wanted in source
    if type(source) is str:
        if text is None:
            raise Failure("invalid type for check string")
        return text in source
    raise Failure("list or string expected for argument one of function contains")


def _index(args: list[Any], last: bool) -> int:
    if len(args) != 2:
        raise Failure("function index takes exactly two arguments")
    source, wanted = args
    if type(source) is list:
        found = -1
        if wanted is not None:
            for number, node in enumerate(source):
                if loosely_equal(node.value, wanted):
                    found = number
                    if not last:
                        break
        return found
    if type(source) is not str:
        raise Failure("list or string expected for argument one of function index")
    text = simple_text(wanted)
    if text is None:
        raise Failure("invalid type for check string")
    data = data_of(source)
    return data.rfind(data_of(text)) if last else data.find(data_of(text))


def index(args: list[Any], env: Env, info: Info) -> Any:
    return _index(args, False)


def lastindex(args: list[Any], env: Env, info: Info) -> Any:
    return _index(args, True)


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


def reverse(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("reverse takes one argument")
    if type(args[0]) is not list:
        raise Failure("argument for reverse must be a list")
    return args[0][::-1]


def sort(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("sort takes one or two arguments")
    entries = args[0]
    if type(entries) is not list:
        raise Failure("argument for sort must be a list")
    if len(args) == 1:
        kinds = {type(node.value) for node in entries}
        if len(entries) > 1 and kinds != {str} and kinds != {int}:
            issue = Issue("list elements must either be strings or integers")
            raise Failure(Issue("sort failed", (issue,), True))
        if kinds == {str}:
            return sorted(entries, key=lambda node: data_of(node.value))
        return sorted(entries, key=lambda node: node.value)
    less = args[1]
    if not isinstance(less, LambdaValue):
        raise Failure("second argument for sort must be a lambda function")

    def order(one: Node, other: Node) -> int:
        return _order(less, one, other, env)

    try:
        return sorted(entries, key=cmp_to_key(order))
    except Waits:
        return PENDING
    except Failure as failure:
        raise Failure(Issue("sort failed", (failure.issue,), True)) from None


def _order(less: LambdaValue, one: Node, other: Node, env: Env) -> int:
    if _less(less, one, other, env):
        return -1
    return 1 if _less(less, other, one, env) else 0


def _less(less: LambdaValue, one: Node, other: Node, env: Env) -> bool:
    value, _ = less.call([one.value, other.value], env)
    if isinstance(value, Expression):
        raise Waits
    if type(value) is bool:
        return value
    if type(value) is int:
        return value < 0
    raise Failure("lambda must return a bool or integer")


FUNCTIONS = {
    "compact": compact,
    "contains": contains,
    "element": element,
    "index": index,
    "intersect": intersect,
    "lastindex": lastindex,
    "reverse": reverse,
    "sort": sort,
    "uniq": uniq,
}
