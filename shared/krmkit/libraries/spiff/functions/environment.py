"""The functions env and rand, which use the environment and chance given to the run, not the machine's."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.regexp.pattern import PatternError
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.functions.files import denied
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, chance, function
from krmkit.libraries.spiff.functions.strings import simple_texts
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, fail_if
from krmkit.libraries.spiff.tree.nodes import type_name

_ALPHABET = "".join(map(chr, range(0x800)))
"""The characters of sets: those of one or two bytes."""


def _env(args: list[Any], env: Env, info: Info) -> Any:
    given = env.run.environment
    if given is None:
        raise denied("env")
    fail_if(not args, "env requires at least one argument")
    names: list[str] = []
    for number, arg in enumerate(args):
        name = simple_text(arg)
        if name is not None:
            names.append(name)
        elif type(arg) is list:
            names += simple_texts(arg, number)
        elif arg is not None:
            raise Failure(f"env argument {number} must be simple value or list")
    if len(names) != 1:
        return {name: env.node(given[name]) for name in names if name in given}
    fail_if(names[0] not in given, f"environment variable '{names[0]}' not set")
    return given[names[0]]


FUNCTIONS["env"] = _env


@function("rand", "rand takes a maximum of 2 arguments")
def rand(env: Env, kind: Any = 1 << 63, length: Any = ABSENT) -> Any:
    numbers = chance("rand", env)
    if type(kind) is int or type(kind) is bool:
        fail_if(length is not ABSENT, f"rand {type(kind).__name__} takes only one argument")
        if type(kind) is bool:
            return numbers.below(2) == 1
        fail_if(not kind, "zero range not possible for integer random values")
        return numbers.below(kind) if kind > 0 else -numbers.below(-kind)
    if type(kind) is not str:
        return None
    characters = _characters(kind)
    length = 1 if length is ABSENT else length
    fail_if(type(length) is not int, f"rand length must be an integer, found {type_name(length)}")
    fail_if(length <= 0, f"rand length must be positive, found {length}")
    env.run.step(length)
    return "".join(characters[numbers.below(len(characters))] for _ in range(length))


def _characters(kind: str) -> list[str]:
    """Return the characters of a set in the notation of regular expressions: a-z, [:alnum:]."""
    try:
        pattern = compile_pattern(f"[{kind}]")
    except PatternError as error:
        raise Failure(f"invalid rand character set specification {quote(kind)}: {error}") from None
    found = [character for character in _ALPHABET if pattern.search(character) is not None]
    if not found:
        raise Failure(
            f"invalid rand character set specification {quote(kind)}: it holds no character below U+0800"
        )
    return found
