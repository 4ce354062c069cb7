"""Lambda expressions `|x|->x * 2`, their values, and scopes `( x = 1 ) expr`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.libraries.spiff.expressions.literals import Literal, MapExpression
from krmkit.libraries.spiff.tree.environment import SELF, Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Issue, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node
from krmkit.libraries.spiff.tree.shown import short, shorten


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """One parameter; `default` is the expression of its default value."""

    name: str
    default: Expression | None = None

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


class Constant(Literal):
    """A known value: an evaluated default, a curried argument."""

    def __str__(self) -> str:
        return short(self.value)


def static_scope(env: Env) -> Env:
    """Return the environment of the lambda's or template's definition around `env`, else `env`."""
    surrounding = env.find_first(SELF)
    if surrounding is not None and isinstance(surrounding.note.resolver, Env):
        return surrounding.note.resolver
    return env


@dataclass(frozen=True, slots=True, eq=False)
class LambdaExpression(Expression):
    """`lambda|a,b=2,rest...|->body`."""

    parameters: list[Parameter]
    varargs: bool
    body: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        parameters = []
        for parameter in self.parameters:
            if parameter.default is None:
                parameters.append(parameter)
                continue
            value, info = parameter.default.evaluate(env, locally)
            if isinstance(value, Expression):
                return self, info
            parameters.append(Parameter(parameter.name, Constant(value)))
        return LambdaValue(parameters, self, env.static, static_scope(env)), NOTHING

    def rest_text(self) -> str:
        """Return the text after the word `lambda`."""
        names = ",".join(map(str, self.parameters)) + ("..." if self.varargs else "")
        return f"|{names}|->{self.body}"

    def __str__(self) -> str:
        return f"lambda{self.rest_text()}"


@dataclass(frozen=True, slots=True, eq=False)
class LambdaReference(Expression):
    """`lambda expr`; the expression gives a lambda or its source."""

    source: Expression
    path: tuple[str, ...]
    stub_path: tuple[str, ...]

    def evaluate(self, env: Env, locally: bool) -> Result:
        value, info = self.source.evaluate(env, False)
        if isinstance(value, Expression):
            return self, info
        if isinstance(value, LambdaValue):
            return value, info
        fail_if(type(value) is not str, "lambda reference must resolve to lambda value or string", info)
        try:
            parsed = env.run.parts.parse(value, self.path, self.stub_path)
        except Failure as failure:
            raise Failure(f"cannot parse lamba expression '{value}': {failure.issue.text}", info) from None
        if not isinstance(parsed, LambdaExpression):
            raise Failure(f"'{value}' is no lambda expression", info)
        return parsed.evaluate(env, locally)

    def __str__(self) -> str:
        return f"lambda {self.source}"


@dataclass(frozen=True, slots=True, eq=False)
class LambdaValue:
    """A lambda. `static` are the parameters around its definition, `resolver` is its environment."""

    parameters: list[Parameter]
    expression: LambdaExpression
    static: dict[str, Node]
    resolver: Env
    type_name = "lambda"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LambdaValue) and str(self) == str(other)

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        known = shorten(short_names(self.static)) if self.static else ""
        return known + self.text()

    def text(self) -> str:
        """Return the canonical text, without bound parameters."""
        names = ",".join(map(str, self.parameters))
        if self.expression.varargs and self.parameters:
            names += "..."
        return f"lambda|{names}|->{self.expression.body}"

    def call(
        self,
        args: list[Any],
        env: Env,
        named: dict[str, Any] | None = None,
        inline: bool = False,
        curry: bool = False,
        auto_curry: bool = False,
    ) -> Result:
        """Return the value for arguments; an argument that is an Expression waits for another value.

        curry: `f*(...)`. auto_curry: too few arguments make another lambda. inline: the lambda is written in
        a mapping, and has no `_`.
        """
        bound, missing = self._bind(args, named or {}, env, curry, auto_curry and not named)
        names = {**self.static, **bound}
        if missing or curry:
            return LambdaValue(missing, self.expression, names, self.resolver), NOTHING
        if not inline:
            names[SELF] = Node(self, env.source).noted(resolver=self.resolver)
        try:
            with env.run:
                return self.expression.body.evaluate(env.with_names(names), False)
        except Failure as failure:
            text = f"evaluation of lambda expression failed: {self}: {shorten(short_names(names))}"
            raise Failure(Issue(text, (failure.issue,), True), Info()) from None

    def _bind(
        self, args: list[Any], named: dict[str, Any], env: Env, curry: bool, auto: bool
    ) -> tuple[dict[str, Node], list[Parameter]]:
        parameters, varargs = self.parameters, self.expression.varargs
        bound = _bind_named(parameters, varargs, named, env)
        free = [parameter for parameter in parameters if parameter.name not in bound]
        takes_rest = varargs and bool(free) and free[-1] is parameters[-1]
        if len(args) > len(free) and not takes_rest:
            raise Failure(f"found {len(args) + len(named)} argument(s), but expects {len(parameters)}")
        plain = free[:-1] if takes_rest else free
        for parameter, value in zip(plain, args, strict=False):
            bound[parameter.name] = env.node(value)
        missing = plain[len(args) :]
        if curry and len(args) <= len(plain):
            return bound, free[len(args) :]
        if auto and missing and not varargs and parameters[-1].default is None:
            return bound, missing
        for parameter in missing:
            if parameter.default is None:
                if named:
                    raise Failure(f"missing named argument for {parameter.name}")
                count = sum(one.default is None for one in plain)
                raise Failure(
                    f"expected at least {count} arguments ({len(plain) - count} optional), but found {len(args)}"
                )
            value, _ = parameter.default.evaluate(env, False)
            bound[parameter.name] = env.node(value)
        if takes_rest:
            rest = [env.node(value) for value in args[len(plain) :]]
            bound[free[-1].name] = env.node(rest)
        return bound, []


def _bind_named(
    parameters: list[Parameter], varargs: bool, named: dict[str, Any], env: Env
) -> dict[str, Node]:
    bound: dict[str, Node] = {}
    known = {parameter.name: parameter for parameter in parameters}
    for name, value in named.items():
        is_index = name.isascii() and name.isdigit()
        if name not in known and is_index and len(name) < 10 and 1 <= int(name) <= len(parameters):
            name = parameters[int(name) - 1].name
        if name not in known:
            if is_index:
                raise Failure(f"argument index {name} too large for {len(parameters)} parameters")
            raise Failure(f"no lambda parameter found for named argument {name}")
        if name in bound:
            raise Failure(f"argument for parameter {name} given twice")
        bound[name] = env.node(value)
    return bound


def short_names(names: dict[str, Node]) -> str:
    """Write the bound names on one line, without `_`."""
    return short({name: node for name, node in names.items() if name != SELF})


@dataclass(frozen=True, slots=True, eq=False)
class Scoped(Expression):
    """`( x = 1, "y" = 2 ) expr`: names for one expression, whose values are evaluated outside of it."""

    names: MapExpression
    body: Expression

    def evaluate(self, env: Env, locally: bool) -> Result:
        names, info = self.names.evaluate(env, locally)
        if isinstance(names, Expression):
            return self, info
        value, info = self.body.evaluate(env.with_names(names), locally)
        return (self if isinstance(value, Expression) else value), info

    def __str__(self) -> str:
        return f"({self.names.texts()} ) {self.body}"
