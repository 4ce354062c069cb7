"""The functions validate and check: conditions on a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import truth
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, PENDING, text_of
from krmkit.libraries.spiff.functions.validators import VALIDATORS, Verdict
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Waits, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node, type_name


def _conditions(args: list[Any], env: Env, strict: bool) -> Any:
    fail_if(len(args) < 2, f"at least two arguments required for {'validate' if strict else 'check'}")
    value = args[0]
    for number, condition in enumerate(args[1:], 1):
        try:
            good, text = verdict(value, condition, env)
        except Failure as problem:
            raise Failure(f"condition {number} has problem: {problem}") from None
        except Waits:
            return PENDING
        if not good:
            if not strict:
                return False
            raise Failure(f"condition {number} failed: {text}")
    return value if strict else True


FUNCTIONS["validate"] = lambda args, env, info: _conditions(args, env, True)
FUNCTIONS["check"] = lambda args, env, info: _conditions(args, env, False)


def verdict(value: Any, condition: Any, env: Env) -> Verdict:
    """Return True if a value satisfies a condition, and the reason."""
    if condition is None:
        return True, "no condition"
    if type(condition) is str or isinstance(condition, LambdaValue):
        return _apply(value, condition, [], env)
    if type(condition) is list:
        fail_if(not condition, "validation type missing")
        return _apply(value, condition[0].value, condition[1:], env)
    raise Failure(f"invalid validation check type: {type_name(condition)}")


def _apply(value: Any, condition: Any, args: list[Node], env: Env) -> Verdict:
    if isinstance(condition, LambdaValue):
        return _by_lambda(value, condition, args, env)
    fail_if(type(condition) is not str, f'unexpected validation type "{type_name(condition)}"')
    negated = condition.startswith("!")
    name = condition[1:] if negated else condition
    fail_if(condition == "", "empty validator type")
    if name == "not":
        negated = not negated
    validator = _COMBINED.get(name) or VALIDATORS.get(name)
    if validator is None:
        raise Failure(f'unknown validation operator "{name}"')
    good, text = validator(name, value, args, env)
    return (not good if negated else good), text


def _by_lambda(value: Any, function: LambdaValue, args: list[Node], env: Env) -> Verdict:
    count = len(function.parameters)
    if count != len(args) + 1:
        raise Failure(
            f"argument count mismatch for lambda {function}: expected {count}, found {len(args) + 1}"
        )
    result, _ = function.call([value, *(arg.value for arg in args)], env)
    if isinstance(result, Expression):
        raise Waits
    if type(result) is list:
        if not 1 <= len(result) <= 3:
            raise Failure(f"invalid result length of validator {function}, got {len(result)}")
        good = truth(result[0].value)
        if len(result) == 2:
            return good, text_of("lambda validator result index 2: lambda validator", result[1].value)
        if len(result) == 3:
            texts = [
                text_of(f"lambda validator result index {i}: lambda validator", result[i - 1].value)
                for i in (2, 3)
            ]
            return good, texts[0] if good else texts[1]
        result = result[0].value
    good = truth(result)
    return good, f"{function} {'succeeded' if good else 'failed'}"


def _list(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) is not list:
        return False, "is no list"
    if not args:
        return True, "is a list"
    for index, node in enumerate(value):
        for number, condition in enumerate(args):
            good, text = _inside(node.value, condition, env, f"list entry {index} condition {number}: ")
            if not good:
                return False, f"entry {index} condition {number} {text}"
    return True, "all entries match all conditions"


def _map(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) is not dict:
        return False, "is no map"
    if not args:
        return True, "is a map"
    fail_if(len(args) > 2, f"map validator takes a maximum of two arguments, got {len(args)}")
    for key in sorted(value):
        if len(args) == 2:
            good, text = _inside(key, args[0], env, f"map key {quote(key)} ")
            if not good:
                return False, f"map key {quote(key)} {text}"
        good, text = _inside(value[key].value, args[-1], env, f"map entry {quote(key)}: ")
        if not good:
            return False, f"map entry {quote(key)} {text}"
    return True, "all map entries and keys match"


def _inside(value: Any, condition: Node, env: Env, where: str) -> Verdict:
    try:
        return verdict(value, condition.value, env)
    except Failure as problem:
        raise Failure(f"{where}{problem}") from None


def _field(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    if type(value) is not dict:
        return False, "is no map"
    fail_if(not 1 <= len(args) <= 2, f"{name} reqires one or two arguments")
    field = args[0].value
    fail_if(type(field) is not str, "field name must be string")
    if field not in value:
        if name == "optionalfield":
            return True, f"has no optional field {quote(field)}"
        return False, f"has no field {quote(field)}"
    if len(args) == 1:
        return True, f"map entry {quote(field)} exists"
    good, text = _inside(value[field].value, args[1], env, f"map entry {quote(field)} ")
    return good, f"map entry {quote(field)} {text}"


def _joined(name: str, value: Any, args: list[Node], env: Env) -> Verdict:
    """Check conditions in order; the first decisive verdict is returned, with its text."""
    decisive = name == "or"
    fail_if(not args, "validator argument required")
    texts = []
    for condition in args:
        good, text = verdict(value, condition.value, env)
        texts.append(text)
        if good is decisive:
            return decisive, text
    return not decisive, texts[0] if len(args) == 1 else f"({' and '.join(texts)})"


_COMBINED: dict[str, Callable[[str, Any, list[Node], Env], Verdict]] = {
    "": _joined,
    "and": _joined,
    "list": _list,
    "map": _map,
    "mapfield": _field,
    "not": _joined,
    "optionalfield": _field,
    "or": _joined,
}
"""Validators of values inside a value, and of combined conditions."""
