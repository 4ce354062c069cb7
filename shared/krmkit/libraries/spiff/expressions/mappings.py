"""Expressions that call a lambda: map, select, filter and sum for entries, catch and sync for a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.libraries.spiff.expressions.lambdas import LambdaExpression, LambdaValue
from krmkit.libraries.spiff.expressions.literals import integer, truth
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Issue, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node, type_name
from krmkit.libraries.spiff.tree.places import update


def lambda_text(function: Expression) -> str:
    """Write a lambda as it is written in brackets: `|x|->x`, or `|expr`."""
    return function.rest_text() if isinstance(function, LambdaExpression) else f"|{function}"


def _function(part: Expression, env: Env, name: str) -> tuple[LambdaValue | None, Info]:
    value, info = part.evaluate(env, False)
    if isinstance(value, Expression):
        return None, info
    if not isinstance(value, LambdaValue):
        raise Failure(f"{name} requires a lambda value", info)
    return value, info


def _entries(source: Any) -> list[tuple[Any, Node]]:
    if type(source) is dict:
        return [(key, source[key]) for key in sorted(source)]
    return list(enumerate(source))


@dataclass(frozen=True, slots=True, eq=False)
class Mapping(Expression):
    """`map[list|x|->x]`, select and filter; with braces the result is a map."""

    word: str
    braces: bool
    source: Expression
    function: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        source, info = self.source.evaluate(env, True)
        function, found = _function(self.function, env, "mapping")
        if function is None or isinstance(source, Expression):
            return self, info.join(found)
        self._check(source)
        count = len(function.parameters)
        fail_if(count > 2 and type(source) is list, "mapping expression takes a maximum of 2 arguments")
        inline = isinstance(self.function, LambdaExpression)
        made_list: list[Node] = []
        made_map: dict[str, Node] = {}
        for key, node in _entries(source):
            if isinstance(node.value, Expression):
                node = update(node, env)
            if isinstance(node.value, Expression):
                return self, Info()
            args = [key, *[None] * (count - 2), node.value] if count > 1 else [node.value][:count]
            value, result = function.call(args, env, inline=inline)
            if isinstance(value, Expression):
                return self, result
            self._add(key, node, value, result, made_list, made_map, env)
        env.run.count(len(made_list) + len(made_map))
        return (made_map if self.braces else made_list), NOTHING

    def _check(self, source: Any) -> None:
        kinds: tuple[type, ...] = (list, dict)
        if self.word == "filter":
            kinds = (dict,) if self.braces else (list,)
        elif self.word == "select" and self.braces:
            kinds = (dict,)
        if type(source) not in kinds:
            brackets = "{}" if self.braces else "[]"
            raise Failure(f"{self.word}{brackets} does not support {type_name(source)} values")

    def _add(
        self, key: Any, node: Node, value: Any, info: Info, made: list[Node], named: dict[str, Node], env: Env
    ) -> None:
        if info.undefined or value is None:
            return
        if self.word == "map":
            if not self.braces:
                made.append(env.node(value))
            elif type(key) is str:
                named[key] = env.node(value)
            elif type(node.value) is str:
                named[node.value] = env.node(value)
            else:
                raise Failure(f"list element must be string, but found {type_name(node.value)}")
        elif truth(value):
            if self.braces:
                named[key] = node
            else:
                made.append(node)

    def __str__(self) -> str:
        opening, closing = "{}" if self.braces else "[]"
        return f"{self.word}{opening}{self.source}{lambda_text(self.function)}{closing}"


@dataclass(frozen=True, slots=True, eq=False)
class Sum(Expression):
    """`sum[list|0|s,x|->s + x]`: a fold over a list or a map."""

    source: Expression
    initial: Expression
    function: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        source, info = self.source.evaluate(env, True)
        total, found = self.initial.evaluate(env, False)
        info = info.join(found)
        function, found = _function(self.function, env, "sum")
        if function is None or isinstance(source, Expression) or isinstance(total, Expression):
            return self, info.join(found)
        fail_if(type(source) is not list and type(source) is not dict, "map or list required for sum", info)
        count = len(function.parameters)
        fail_if(count > 3, "mapping expression take a maximum of 3 arguments")
        fail_if(count < 2, "mapping expression take a minimum of 2 arguments")
        inline = isinstance(self.function, LambdaExpression)
        for key, node in _entries(source):
            if isinstance(node.value, Expression):
                node = update(node, env)
            args = [total, key, node.value] if count == 3 else [total, node.value]
            total, result = function.call(args, env, inline=inline)
            if isinstance(total, Expression):
                return self, result
        return total, NOTHING

    def __str__(self) -> str:
        return f"sum[{self.source}|{self.initial}{lambda_text(self.function)}]"


def _tried(part: Expression, env: Env) -> tuple[Any, str | None, Info]:
    try:
        value, info = part.evaluate(env, False)
    except Failure as failure:
        return None, failure.issue.text, NOTHING
    return value, None, info


@dataclass(frozen=True, slots=True, eq=False)
class Catch(Expression):
    """`catch[expr|value,error|->r]`, or `catch(expr)` for a map with valid, error and value."""

    source: Expression
    function: Expression | None

    def evaluate(self, env: Env, locally: bool) -> Result:
        function = None
        if self.function is not None:
            function, info = _function(self.function, env, "catch")
            if function is None:
                return self, info
            count = len(function.parameters)
            fail_if(count > 2, "catch function takes a maximum of 2 arguments")
            if count == 0:
                raise Failure("lambda expression for sync condition must take one or two arguments, found 0")
        value, error, info = _tried(self.source, env)
        if isinstance(value, Expression):
            return self, info
        if function is None:
            return outcome(value, error, env), NOTHING
        args = [value, error][: len(function.parameters)]
        result, info = function.call(args, env, inline=isinstance(self.function, LambdaExpression))
        return (self if isinstance(result, Expression) else result), info

    def __str__(self) -> str:
        if self.function is None:
            return f"catch({self.source})"
        return f"catch[{self.source}{lambda_text(self.function)}]"


def outcome(value: Any, error: str | None, env: Env) -> dict[str, Node]:
    """Return the map that catch and sync make of a value or an error."""
    made = {"valid": env.node(error is None), "error": env.node(error or "")}
    if error is None:
        made["value"] = env.node(value)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class SyncExpression(Expression):
    """`sync[expr|value,error|->cond,result|timeout]`.

    spiff tries again until the condition holds or time is up; without a clock, time is up at once.
    """

    source: Expression
    condition: Expression
    result: Expression | None
    timeout: Expression | None
    is_call: bool

    def evaluate(self, env: Env, locally: bool) -> Result:
        if self.timeout is not None:
            limit, info = self.timeout.evaluate(env, False)
            if isinstance(limit, Expression):
                return self, NOTHING
            integer(limit, info)
        value, error, info = _tried(self.source, env)
        if isinstance(value, Expression):
            return self, NOTHING
        holds, info = self._apply(self.condition, value, error, env, "condition evaluation failed")
        if isinstance(holds, Expression):
            return self, NOTHING
        fail_if(type(holds) is not bool, "condition must evaluate to bool")
        fail_if(not holds, error or "sync timeout reached")
        if self.result is None:
            return (value if error is None else error), NOTHING
        result, info = self._apply(self.result, value, error, env, "value expression failed")
        return (self if isinstance(result, Expression) else result), info

    def _apply(self, part: Expression, value: Any, error: str | None, env: Env, message: str) -> Result:
        try:
            if self.is_call:
                return part.evaluate(env.with_names(outcome(value, error, env)), False)
            function, info = part.evaluate(env, False)
            if isinstance(function, LambdaValue):
                args = [value, error][: len(function.parameters)]
                return function.call(args, env, inline=isinstance(part, LambdaExpression))
        except Failure as failure:
            raise Failure(Issue(message, (failure.issue,))) from None
        return function, info

    def __str__(self) -> str:
        return f"sync({self.source})"
