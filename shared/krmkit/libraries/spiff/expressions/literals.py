"""Literals, lists, maps, ranges and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node
from krmkit.libraries.spiff.tree.shown import scalar_text


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Expression):
    """A number, a string, true, false or nil."""

    value: Any

    def evaluate(self, env: Env, locally: bool) -> Result:
        return self.value, NOTHING

    def __str__(self) -> str:
        return "nil" if self.value is None else scalar_text(self.value)


class Undefined(Expression):
    """`~~`: no value; an entry with it disappears."""

    def evaluate(self, env: Env, locally: bool) -> Result:
        return None, Info(undefined=True)

    def __str__(self) -> str:
        return "~~"


@dataclass(frozen=True, slots=True, eq=False)
class Grouped(Expression):
    """`( a )`."""

    inner: Expression

    @property
    def core(self) -> Expression:
        return self.inner.core

    def evaluate(self, env: Env, locally: bool) -> Result:
        return self.inner.evaluate(env, locally)

    def __str__(self) -> str:
        return f"( {self.inner} )"


@dataclass(frozen=True, slots=True, eq=False)
class Expansion(Expression):
    """`list...` among arguments: every entry becomes an argument."""

    inner: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        return self.inner.evaluate(env, locally)

    def __str__(self) -> str:
        return f"{self.inner}..."


def evaluate_all(parts: list[Expression], env: Env, locally: bool) -> tuple[list[Any] | None, Info]:
    """Return the values of expressions, with `list...` expanded; None while one is pending."""
    values: list[Any] = []
    info = NOTHING
    pending = False
    for part in parts:
        value, found = part.evaluate(env, locally)
        info = info.join(found)
        if isinstance(value, Expression) and type(part) is not Expansion:
            pending = True
        elif type(part) is Expansion:
            fail_if(type(value) is not list, "argument expansion required list argument", info)
            values += [entry.value for entry in value]
        else:
            values.append(value)
    return (None if pending else values), info


@dataclass(frozen=True, slots=True, eq=False)
class ListExpression(Expression):
    """`[a, b...]`."""

    parts: list[Expression]

    def evaluate(self, env: Env, locally: bool) -> Result:
        values, info = evaluate_all(self.parts, env, locally)
        if values is None:
            return self, info
        env.run.count(len(values))
        return [env.node(value) for value in values], info

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.parts))}]"


@dataclass(frozen=True, slots=True, eq=False)
class MapExpression(Expression):
    """`{ key = value, ... }`; a key is an expression that gives a string."""

    entries: list[tuple[Expression, Expression]]

    def evaluate(self, env: Env, locally: bool) -> Result:
        made: dict[str, Node] = {}
        for name, part in self.entries:
            key, info = name.evaluate(env, locally)
            if isinstance(key, Expression):
                return self, info
            fail_if(type(key) is not str, "assignment target must evaluate to string", info)
            value, found = part.evaluate(env, locally)
            if isinstance(value, Expression):
                return self, info.join(found)
            made[key] = env.node(value)
        env.run.count(len(made))
        return made, NOTHING

    def texts(self) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.entries)

    def __str__(self) -> str:
        return f"{{ {self.texts()} }}" if self.entries else "{ }"


NO_VALUE = "%!s(<nil>)"
"""The text of an absent end of a slice in spiff."""


@dataclass(frozen=True, slots=True, eq=False)
class Range(Expression):
    """`[first..last]`, both inclusive, descending if first is greater; a slice may lack one end."""

    first: Expression | None
    last: Expression | None

    def bounds(self, env: Env, size: int) -> tuple[int, int, Info] | Info:
        """Return both ends, or the info of a pending one. `size` is the sliced list's, -1 for none."""
        if size < 0 and (self.first is None or self.last is None):
            raise Failure("range expression requires start and end index")
        if self.first is None and self.last is None:
            raise Failure("slice operator requires start or end index")
        start, end = 0, size - 1
        info = NOTHING
        if self.first is not None:
            value, info = self.first.evaluate(env, False)
            if isinstance(value, Expression):
                return info
            start = integer(value, info)
            if start < 0 and self.last is None:
                end = -1
        if self.last is not None:
            value, found = self.last.evaluate(env, False)
            info = info.join(found)
            if isinstance(value, Expression):
                return info
            end = integer(value, info)
            if end < 0 and self.first is None:
                start = -size
        return start, end, info

    def evaluate(self, env: Env, locally: bool) -> Result:
        found = self.bounds(env, -1)
        if isinstance(found, Info):
            return self, found
        start, end, info = found
        step = 1 if start <= end else -1
        env.run.count(abs(end - start) + 1)
        return [env.node(number) for number in range(start, end + step, step)], info

    def __str__(self) -> str:
        first, last = (NO_VALUE if end is None else end for end in (self.first, self.last))
        return f"[{first}..{last}]"


def integer(value: Any, info: Info = NOTHING) -> int:
    """Return an operand that must be an int; nil counts as 0."""
    fail_if(type(value) is not int and value is not None, "integer operand required", info)
    return value or 0


def truth(value: Any) -> bool:
    """Return False for nil, false, 0, "", [] and {}, True for all other values, even 0.0."""
    return bool(value) or (value is not None and type(value) not in (bool, int, str, list, dict))


def simple_text(value: Any) -> str | None:
    """Return the text of a simple value (string, int, bool); None for all others."""
    kind = type(value)
    if kind is str or kind is int:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    return None
