"""Conversions, and the functions of the language itself: type, features, eval, tagdef."""

from __future__ import annotations

import math
from typing import Any

from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.go.fmt.printing import format_float, quote
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.functions.registry import With, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, fail_if
from krmkit.libraries.spiff.tree.nodes import go_type, type_name

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@function("bool", "bool requires one argument")
def to_bool(env: Env, value: Any) -> bool:
    if type(value) is str:
        if value in ("1", "t", "T", "true", "TRUE", "True"):
            return True
        if value in ("0", "f", "F", "false", "FALSE", "False"):
            return False
        raise _unreadable("Bool", "bool", value)
    if type(value) in (bool, int, float):
        return bool(value != 0)
    raise Failure(f"cannot convert {go_type(value)} to bool")


def _unreadable(kind: str, word: str, text: str) -> Failure:
    """Return the failure for a text that strconv.Parse<kind> refuses; spiff's message omits an argument."""
    reason = f"strconv.Parse{kind}: parsing {quote(text)}: invalid syntax"
    return Failure(f"{quote(reason)} is no {word} value: %!s(MISSING)")


@function("integer", "integer requires one or two arguments")
def to_integer(env: Env, value: Any, base: Any = 10) -> int:
    fail_if(type(value) is float and not math.isfinite(value), "float is no integer")
    if type(value) in (bool, int, float):
        return int(value)
    if type(value) is str:
        if type(base) is not int or not (base == 0 or 2 <= base <= 36):
            raise Failure("base must be an integer from 2 to 36")
        try:
            if "_" in value or len(value) > 70 or value != value.strip():
                raise ValueError(value)
            return int(value, base)
        except ValueError:
            raise _unreadable("Int", "integer", value) from None
    raise Failure(f"cannot convert {go_type(value)} to integer")


@function("float", "float requires one argument")
def to_float(env: Env, value: Any) -> float:
    if type(value) in (bool, int, float):
        return float(value)
    if type(value) is str:
        try:
            if "_" in value or value != value.strip():
                raise ValueError(value)
            return float(value)
        except ValueError:
            raise _unreadable("Float", "float", value) from None
    raise Failure(f"cannot convert {go_type(value)} to float")


@function("string", "string requires one or two arguments")
def to_string(env: Env, value: Any, base: Any = 10) -> str:
    if type(value) is int and (type(base) is not int or not 2 <= base <= 36):
        raise Failure("base must be an integer from 2 to 36")
    if type(value) is int and base != 10:
        return _in_base(value, base)
    if type(value) is float:
        return format_float(value)
    text = simple_text(value)
    if text is None:
        raise Failure(f"cannot convert {go_type(value)} to string")
    return text


def _in_base(number: int, base: int) -> str:
    digits = ""
    rest = abs(number)
    while True:
        rest, digit = divmod(rest, base)
        digits = _DIGITS[digit] + digits
        if not rest:
            return ("-" if number < 0 else "") + digits


@function("type", "exactly one argument required for function 'type'")
def type_of(env: Env, value: Any) -> str:
    return type_name(value)


@function("features", "features takes a maximum of one argument", name="features argument must be a string")
def features(env: Env, name: str | None = None) -> Any:
    known = {"control": env.run.control, "interpolation": env.run.interpolation}
    if name is not None:
        return known.get(name, False)
    return [env.node(name) for name in sorted(known) if known[name]]


@function("eval", "one argument required for 'eval'", text="string argument required for 'eval'")
def evaluated(env: Env, text: str) -> With:
    try:
        expression = env.run.parts.parse(text, env.path, env.stub_path)
    except Failure as failure:
        raise Failure(f"({text})\t {failure.issue.text}") from None
    with env.run:
        return With(*expression.evaluate(env, False))


@function(
    "tagdef", "tagdef requires two or three arguments", name="name argument for tagdef must be a string"
)
def tagdef(env: Env, name: str, value: Any, scope: Any = ABSENT) -> Any:
    fail_if(scope not in (ABSENT, "local", "global"), 'tag scope must be "local" or "global"')
    bare = name[1:] if scope is ABSENT and name.startswith("*") else name
    for sign in bare:
        if not (sign.isalnum() and sign.isascii()) and sign not in ":._-":
            raise Failure(
                f'invalid tag name "{name}" for tagdef: invalid character "{sign}" in tag component'
            )
    env.run.tags.set(("*" if scope == "global" else "") + name, env.node(value), env.path)
    return value
