"""Functions with regular expressions (RE2), and replacing."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.core.values import ABSENT
from krmkit.libraries.go.regexp import functions as regexes
from krmkit.libraries.go.regexp.pattern import Pattern, PatternError, PatternMatch, draw
from krmkit.libraries.go.regexp.pattern import compile as compile_pattern
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import simple_text
from krmkit.libraries.spiff.functions.registry import FUNCTIONS, PENDING, function
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Info, Waits, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node


def compiled(text: str, name: str = "") -> Pattern:
    """Compile a pattern for the function `name`. Raises Failure for an invalid one."""
    try:
        return draw(compile_pattern(text))
    except PatternError as error:
        raise Failure((f"{name}: " if name else "") + regexes.go_message(text, error)) from None


@function(
    "match",
    "match takes two or three arguments",
    pattern="pattern string for argument one of function match required",
)
def match(env: Env, pattern: str, value: Any, most: Any = ABSENT) -> Any:
    if value is None:
        return False
    single = most is ABSENT
    if single or type(most) is bool:
        most = 1 if single or not most else -1
    text = simple_text(value)
    if type(most) is not int or (most != 0 and text is None):
        raise Failure("simple value for argument two of function match required")
    fail_if(most == 0, "repetition count may not be zero")
    assert text is not None
    compiled_pattern = compiled(pattern, "match")
    env.run.search(compiled_pattern.cost(len(text)))
    if single:
        found = compiled_pattern.search(text)
        return [env.node(group or "") for group in found.groups()] if found is not None else []
    every = compiled_pattern.find_all(text, most, env.run.search)
    env.run.count(len(every) * (compiled_pattern.groups + 1))
    return [env.node([env.node(group or "") for group in one.groups()]) for one in every]


@function(
    "split_match",
    "split_match takes 2 or 3 arguments",
    pattern="first argument for split_match must be a string",
    text="second argument for split_match must be a string",
    most="third argument for split_match must be an int",
)
def split_match(env: Env, pattern: str, text: str, most: int = -1) -> list[Node]:
    found = compiled(pattern, "split_match")
    env.run.search(found.cost(len(text)))
    parts = found.split(text, most, env.run.search)
    env.run.count(len(parts))
    return [env.node(part) for part in parts]


def _arguments(args: list[Any], name: str) -> tuple[str, str, Any, int]:
    fail_if(len(args) < 3, f"{name} requires at least 3 arguments")
    fail_if(len(args) > 4, f"{name} does not take more than 4 arguments")
    for position, word in ((0, "first"), (1, "second")):
        if type(args[position]) is not str:
            raise Failure(f"{word} argument for {name} must be a string")
    most = args[3] if len(args) > 3 else -1
    fail_if(type(most) is not int, f"fourth argument for {name} must be an integer")
    if type(args[2]) is not str and not isinstance(args[2], LambdaValue):
        raise Failure(f"{name}: replace substitution must be string or lambda")
    return args[0], args[1], args[2], most


def _called(function: LambdaValue, groups: list[str], env: Env) -> str:
    try:
        value, _ = function.call([[env.node(group) for group in groups]], env)
    except Failure as failure:
        raise Failure(f"replace: {failure.issue.text}") from None
    if isinstance(value, Expression):
        raise Waits
    if type(value) is not str:
        raise Failure("replace: lambda must return a string")
    return value


def replace(args: list[Any], env: Env, info: Info) -> Any:
    text, old, new, most = _arguments(args, "replace")
    if type(new) is str:
        made = text.replace(old, new, most)
        env.run.count(len(made) // 64)
        return made
    if not old:
        return text
    parts = text.split(old, most)
    try:
        return "".join(
            part + (_called(new, [old], env) if index < len(parts) - 1 else "")
            for index, part in enumerate(parts)
        )
    except Waits:
        return PENDING


def replace_match(args: list[Any], env: Env, info: Info) -> Any:
    text, source, new, most = _arguments(args, "replace_match")
    pattern = compiled(source, "replace_match")
    env.run.search(pattern.cost(len(text)))
    parts = regexes.parse_template(new) if type(new) is str else []
    names = regexes.group_names(source)
    length = 0

    def expanded(found: PatternMatch) -> str:
        nonlocal length
        if isinstance(new, LambdaValue):
            piece = _called(new, [group or "" for group in found.groups()], env)
        else:
            piece = regexes.expand_template(parts, found, names)
        length += len(piece)
        env.run.write(len(piece), length)
        return piece

    try:
        return pattern.replace(text, expanded, env.run.search, most)
    except Waits:
        return PENDING


FUNCTIONS.update(replace=replace, replace_match=replace_match)
