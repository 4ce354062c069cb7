"""Functions on strings."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from krmkit.libraries.go.core.values import Int64
from krmkit.libraries.go.fmt.printf import sprintf
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.expressions.marking import TemplateValue
from krmkit.libraries.spiff.expressions.output import to_yaml
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info
from krmkit.libraries.spiff.tree.nodes import Node


def data_of(text: str) -> bytes:
    """The bytes of a text; what was no UTF-8 when it was read is kept."""
    return text.encode("utf-8", "surrogateescape")


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def join(args: list[Any], env: Env, info: Info) -> Any:
    if not args:
        raise Failure("join requires at least one argument")
    texts: list[str] = []
    for number, arg in enumerate(args):
        text = simple_text(arg)
        if text is not None:
            texts.append(text)
        elif type(arg) is list:
            if number == 0:
                raise Failure("first argument for join must be a string")
            for node in arg:
                if node.value is None:
                    continue
                text = simple_text(node.value)
                if text is None:
                    raise Failure(f"elements of list(arg {number}) to join must be simple values")
                texts.append(text)
        elif arg is not None:
            raise Failure(f"argument {number} to join must be simple value or list")
    if not texts:
        raise Failure("first argument for join must be a string")
    env.run.count(sum(map(len, texts)) // 64)
    return texts[0].join(texts[1:])


def split(args: list[Any], env: Env, info: Info) -> Any:
    if not 2 <= len(args) <= 3:
        raise Failure("split takes 2 or 3 arguments")
    separator, text = args[0], args[1]
    if type(text) is not str:
        raise Failure("second argument for split must be a string")
    if type(separator) is not str and type(separator) is not int:
        raise Failure("first argument for split must be a string or an int")
    most = -1
    if len(args) > 2:
        if type(args[2]) is not int:
            raise Failure("third argument for split must be an int")
        most = args[2]
    parts: list[str]
    if type(separator) is int:
        parts = _chunks(text, separator, most)
    elif separator == "":
        parts = list(text) if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]
    elif most == 0:
        parts = []
    else:
        parts = text.split(str(separator), most - 1 if most > 0 else -1)
    env.run.count(len(parts))
    return [env.node(part) for part in parts]


def _chunks(text: str, width: int, most: int) -> list[str]:
    if width <= 0:
        raise Failure("split width must be greater than zero")
    parts: list[str] = []
    at = 0
    while at < len(text):
        if most > 0 and len(parts) == most - 1:
            parts.append(text[at:])
            break
        parts.append(text[at : at + width])
        at += width
    return parts


def trim(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("split takes one or two arguments")
    cutset = args[1] if len(args) == 2 else " \t"
    if type(cutset) is not str:
        raise Failure("second argument of split must be a string")
    value = args[0]
    if type(value) is str:
        return value.strip(cutset) if cutset else value
    if type(value) is not list:
        raise Failure("trim accepts only a string or list")
    made = []
    for node in value:
        if type(node.value) is not str:
            raise Failure("list elements must be strings to be trimmed")
        made.append(env.node(node.value.strip(cutset) if cutset else node.value))
    return made


def _case(args: list[Any], name: str) -> str:
    if len(args) != 1:
        raise Failure(f"{name} takes exactly one argument")
    if type(args[0]) is not str:
        raise Failure(f"first argument for {name} must be a string")
    return str(args[0])


def lower(args: list[Any], env: Env, info: Info) -> Any:
    return "".join([char.lower()[0] for char in _case(args, "lower")])


def upper(args: list[Any], env: Env, info: Info) -> Any:
    # Go maps single characters: the sharp s, whose capital form is two, stays.
    return "".join([char.upper() if len(char.upper()) == 1 else char for char in _case(args, "upper")])


def substr(args: list[Any], env: Env, info: Info) -> Any:
    if not 2 <= len(args) <= 3:
        raise Failure("substr takes two to three arguments")
    if type(args[0]) is not str:
        raise Failure("first argument for substr must be a string")
    if type(args[1]) is not int:
        raise Failure("second argument for substr must be an intenger")
    data = data_of(args[0])
    size = len(data)
    start = args[1] + size if args[1] < 0 else args[1]
    end = size
    if len(args) > 2:
        if type(args[2]) is not int:
            raise Failure("third argument for substr must be an integer")
        end = args[2] + size if args[2] < 0 else args[2]
    if size < end:
        raise Failure(f"substr effective end index ({end}) exceeds string length ({size})")
    if start < 0:
        raise Failure(f"negative substr effective start index ({start})")
    if start > end:
        raise Failure(f"substr start index ({start}) aftsre end index ({end}) ")
    return text_of(data[start:end])


def length(args: list[Any], env: Env, info: Info) -> Any:
    if len(args) != 1:
        raise Failure("length takes exactly 1 arguments")
    value = args[0]
    if type(value) is str:
        return len(data_of(value))
    if type(value) in (list, dict):
        return len(value)
    raise Failure("invalid type for function length")


def to_base64(args: list[Any], env: Env, info: Info) -> Any:
    if not 1 <= len(args) <= 2:
        raise Failure("base64 takes one or two arguments")
    if type(args[0]) is not str:
        raise Failure("first argument for base64 must be a string")
    encoded = base64.b64encode(data_of(args[0])).decode("ascii")
    if len(args) == 1:
        return encoded
    width = args[1]
    if type(width) is str and width.isdigit() and width.isascii() and len(width) < 10:
        width = int(width)
    if type(width) is not int:
        raise Failure("second argument for base64 must be an integer")
    if width <= 0:
        return encoded
    return "\n".join(encoded[at : at + width] for at in range(0, len(encoded), width))


def from_base64(args: list[Any], env: Env, info: Info) -> Any:
    text = args[0] if args else None
    if len(args) != 1:
        raise Failure("base64_decode takes exactly one argument")
    if type(text) is not str:
        raise Failure("first argument for base64_decode must be a string")
    try:
        return text_of(base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True))
    except (binascii.Error, ValueError):
        raise Failure("cannot decode string") from None


def formatted(args: list[Any], name: str, env: Env) -> str:
    """Go's Sprintf over the arguments; lists, maps and templates as YAML."""
    if not args:
        raise Failure(f"alt least one argument required for '{name}'")
    values: list[Any] = []
    for arg in args:
        if type(arg) in (list, dict):
            values.append(to_yaml(Node(arg, ""), env))
        elif isinstance(arg, TemplateValue):
            values.append(to_yaml(arg.origin, env))
        elif isinstance(arg, LambdaValue):
            values.append(str(arg))
        elif type(arg) is int:
            values.append(Int64(arg))  # Go's messages about a wrong verb name the type
        else:
            values.append(arg)
    if type(values[0]) is not str:
        raise Failure(f"{name}: format must be string")
    text = sprintf(values[0], *values[1:])
    env.run.count(len(text) // 64)
    return text


def format_text(args: list[Any], env: Env, info: Info) -> Any:
    return formatted(args, "format", env)


def error(args: list[Any], env: Env, info: Info) -> Any:
    if not args:
        raise Failure("alt least one argument required for 'error'")
    raise Failure(formatted(args, "error", env))


FUNCTIONS = {
    "base64": to_base64,
    "base64_decode": from_base64,
    "error": error,
    "format": format_text,
    "join": join,
    "length": length,
    "lower": lower,
    "split": split,
    "substr": substr,
    "trim": trim,
    "upper": upper,
}
