"""Conversions, and functions about the language itself: type, features, eval, tagdef."""

from __future__ import annotations

import math
from typing import Any

from krmkit.libraries.go.fmt.printing import format_float, quote
from krmkit.libraries.spiff.functions.registry import With
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info
from krmkit.libraries.spiff.tree.nodes import go_type, type_name

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _one(args: list[Any], name: str) -> Any:
    if len(args) != 1:
        raise Failure(f"{name} requires one argument")
    return args[0]


def to_bool(args: list[Any], env: Env, info: Info) -> Any:
    value = _one(args, "bool")
    if type(value) is str:
        if value in ("1", "t", "T", "true", "TRUE", "True"):
            return True
        if value in ("0", "f", "F", "false", "FALSE", "False"):
            return False
        raise _unreadable("Bool", "bool", value)
    if type(value) in (bool, int, float):
        return value != 0
    raise Failure(f"cannot convert {go_type(value)} to bool")


def _unreadable(kind: str, word: str, text: str) -> Failure:
    """The failure for a text that strconv.Parse<kind> refuses. The reference forgets an argument of its message."""
    reason = f"strconv.Parse{kind}: parsing {quote(text)}: invalid syntax"
    return Failure(f"{quote(reason)} is no {word} value: %!s(MISSING)")


def to_integer(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("integer requires one or two arguments")
    value = args[0]
    if type(value) is bool:
        return int(value)
    if type(value) is int:
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise Failure("float is no integer")
        return int(value)
    if type(value) is str:
        base = args[1] if len(args) > 1 else 10
        if type(base) is not int or not (base == 0 or 2 <= base <= 36):
            raise Failure("base must be an integer from 2 to 36")
        try:
            if "_" in value or len(value) > 70 or value != value.strip():
                raise ValueError(value)
            return int(value, base)
        except ValueError:
            raise _unreadable("Int", "integer", value) from None
    raise Failure(f"cannot convert {go_type(value)} to integer")


def to_float(args: list[Any], env: Env, info: Info) -> Any:
    value = _one(args, "float")
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


def to_string(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("string requires one or two arguments")
    value = args[0]
    if type(value) is int and len(args) > 1:
        base = args[1]
        if type(base) is not int or not 2 <= base <= 36:
            raise Failure("base must be an integer from 2 to 36")
        return _in_base(value, base)
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    if type(value) is float:
        return format_float(value)
    raise Failure(f"cannot convert {go_type(value)} to string")


def _in_base(number: int, base: int) -> str:
    digits = ""
    rest = abs(number)
    while True:
        rest, digit = divmod(rest, base)
        digits = _DIGITS[digit] + digits
        if not rest:
            return ("-" if number < 0 else "") + digits


def type_of(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("exactly one argument required for function 'type'")
    return type_name(args[0])


def features(args: list[Any], env: Env, info: Info) -> Any:
    known = {"control": env.run.control, "interpolation": env.run.interpolation}
    if len(args) > 1:
        raise Failure("features takes a maximum of one argument")
    if args:
        if type(args[0]) is not str:
            raise Failure("features argument must be a string")
        return known.get(args[0], False)
    return [env.node(name) for name in sorted(known) if known[name]]


def evaluated(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("one argument required for 'eval'")
    if type(args[0]) is not str:
        raise Failure("string argument required for 'eval'")
    try:
        expression = env.run.parts.parse(args[0], env.path, env.stub_path)
    except Failure as failure:
        raise Failure(f"({args[0]})\t {failure.issue.text}") from None
    env.run.enter()
    try:
        value, found = expression.evaluate(env, False)
    finally:
        env.run.leave()
    return With(value, found)


def tagdef(args: list[Any], env: Env, info: Info) -> Any:
    if not 2 <= len(args) <= 3:
        raise Failure("tagdef requires two or three arguments")
    name, value = args[0], args[1]
    if type(name) is not str:
        raise Failure("name argument for tagdef must be a string")
    scope = args[2] if len(args) > 2 else "local"
    if scope not in ("local", "global"):
        raise Failure('tag scope must be "local" or "global"')
    bare = name[1:] if len(args) == 2 and name.startswith("*") else name
    for sign in bare:
        if not (sign.isalnum() and sign.isascii()) and sign not in ":._-":
            raise Failure(
                f'invalid tag name "{name}" for tagdef: invalid character "{sign}" in tag component'
            )
    env.run.tags.set(("*" if scope == "global" else "") + name, env.node(value), env.path)
    return With(value, NOTHING)


FUNCTIONS = {
    "bool": to_bool,
    "eval": evaluated,
    "features": features,
    "float": to_float,
    "integer": to_integer,
    "string": to_string,
    "tagdef": tagdef,
    "type": type_of,
}
