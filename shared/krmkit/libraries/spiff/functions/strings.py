"""Functions on strings."""

from __future__ import annotations

import base64
from typing import Any

from krmkit.libraries.go.core.values import Int64, decode, encode
from krmkit.libraries.go.fmt.printf import sprintf
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.expressions.marking import TemplateValue
from krmkit.libraries.spiff.expressions.output import to_yaml
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if
from krmkit.libraries.spiff.tree.nodes import Node


def simple_texts(nodes: list[Node], number: int) -> list[str]:
    """Return the texts of a list, which is the argument with this number."""
    texts = [simple_text(node.value) for node in nodes]
    fail_if(None in texts, f"elements of list(arg {number}) to join must be simple values")
    return [text for text in texts if text is not None]


def join(args: list[Any], env: Env, info: Info) -> Any:
    fail_if(not args, "join requires at least one argument")
    texts: list[str] = []
    for number, arg in enumerate(args):
        text = simple_text(arg)
        if text is not None:
            texts.append(text)
        elif type(arg) is list:
            fail_if(number == 0, "first argument for join must be a string")
            texts += simple_texts([node for node in arg if node.value is not None], number)
        elif arg is not None:
            raise Failure(f"argument {number} to join must be simple value or list")
    fail_if(not texts, "first argument for join must be a string")
    env.run.count(sum(map(len, texts)) // 64)
    return texts[0].join(texts[1:])


@function("split", "split takes 2 or 3 arguments", text="second argument for split must be a string")
def split(env: Env, separator: Any, text: str, most: Any = -1) -> list[Node]:
    if type(separator) is not str and type(separator) is not int:
        raise Failure("first argument for split must be a string or an int")
    fail_if(type(most) is not int, "third argument for split must be an int")
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
    fail_if(width <= 0, "split width must be greater than zero")
    starts = range(0, len(text), width)
    if 0 < most < len(starts):
        whole = [text[at : at + width] for at in starts[: most - 1]]
        return [*whole, text[(most - 1) * width :]]
    return [text[at : at + width] for at in starts]


@function("trim", "split takes one or two arguments", cutset="second argument of split must be a string")
def trim(env: Env, value: Any, cutset: str = " \t") -> Any:
    if type(value) is str:
        return value.strip(cutset) if cutset else value
    fail_if(type(value) is not list, "trim accepts only a string or list")
    made = []
    for node in value:
        fail_if(type(node.value) is not str, "list elements must be strings to be trimmed")
        made.append(env.node(node.value.strip(cutset) if cutset else node.value))
    return made


@function("lower", "lower takes exactly one argument", text="first argument for lower must be a string")
def lower(env: Env, text: str) -> str:
    return "".join([char.lower()[0] for char in text])


@function("upper", "upper takes exactly one argument", text="first argument for upper must be a string")
def upper(env: Env, text: str) -> str:
    # Go maps single characters: the sharp s, whose capital form is two, stays.
    return "".join([char.upper() if len(char.upper()) == 1 else char for char in text])


@function(
    "substr",
    "substr takes two to three arguments",
    text="first argument for substr must be a string",
    start="second argument for substr must be an intenger",
    end="third argument for substr must be an integer",
)
def substr(env: Env, text: str, start: int, end: int | None = None) -> str:
    data = encode(text)
    size = len(data)
    start += size if start < 0 else 0
    end = size if end is None else end + size if end < 0 else end
    fail_if(size < end, f"substr effective end index ({end}) exceeds string length ({size})")
    fail_if(start < 0, f"negative substr effective start index ({start})")
    fail_if(start > end, f"substr start index ({start}) aftsre end index ({end}) ")
    return decode(data[start:end])


@function("length", "length takes exactly 1 arguments")
def length(env: Env, value: Any) -> int:
    fail_if(type(value) not in (str, list, dict), "invalid type for function length")
    return len(encode(value) if type(value) is str else value)


@function("base64", "base64 takes one or two arguments", text="first argument for base64 must be a string")
def to_base64(env: Env, text: str, width: Any = 0) -> str:
    encoded = base64.b64encode(encode(text)).decode("ascii")
    if type(width) is str and width.isdigit() and width.isascii() and len(width) < 10:
        width = int(width)
    fail_if(type(width) is not int, "second argument for base64 must be an integer")
    if width <= 0:
        return encoded
    return "\n".join(encoded[at : at + width] for at in range(0, len(encoded), width))


@function(
    "base64_decode",
    "base64_decode takes exactly one argument",
    text="first argument for base64_decode must be a string",
)
def from_base64(env: Env, text: str) -> str:
    data = decoded(text)
    if data is None:
        raise Failure("cannot decode string")
    return decode(data)


def decoded(text: str) -> bytes | None:
    """Decode base64, None for an invalid text."""
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        return None


def formatted(args: list[Any], name: str, env: Env) -> str:
    """Format as Go's Sprintf does; lists, maps and templates as YAML."""
    fail_if(not args, f"alt least one argument required for '{name}'")
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
    fail_if(type(values[0]) is not str, f"{name}: format must be string")
    text = sprintf(values[0], *values[1:])
    env.run.count(len(text) // 64)
    return text


def format_text(args: list[Any], env: Env, info: Info) -> Any:
    return formatted(args, "format", env)


def error(args: list[Any], env: Env, info: Info) -> Any:
    fail_if(not args, "alt least one argument required for 'error'")
    raise Failure(formatted(args, "error", env))


FUNCTIONS.update(error=error, format=format_text, join=join)
