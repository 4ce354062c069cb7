"""Calls of lambdas, of functions, and of the intrinsic functions, which take unevaluated arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.spiff.expressions.lambdas import Constant, LambdaExpression, LambdaValue, Parameter
from krmkit.libraries.spiff.expressions.literals import Expansion, evaluate_all, truth
from krmkit.libraries.spiff.expressions.mappings import Catch, SyncExpression
from krmkit.libraries.spiff.expressions.references import Reference
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import NOTHING, Failure, Info, Result, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expression):
    """`f(a, b)`; `named` are the arguments `name=value`, `curry` is true for `f*(a)`."""

    function: Expression
    named: list[tuple[str, Expression]]
    args: list[Expression]
    curry: bool = False

    def evaluate(self, env: Env, locally: bool) -> Result:
        name = self._name()
        function: Any = None
        if not name:
            function, found = self.function.evaluate(env, False)
            if not isinstance(function, (Expression, LambdaValue)):
                raise Failure(
                    f"function call '{self.function}' requires function name or lambda value", found
                )
        intrinsic = INTRINSICS.get(name)
        if intrinsic is not None:
            fail_if(self.curry, f"no currying for intrinsic builtin function ({self.function})")
            return intrinsic(self, env)
        named: dict[str, Any] = {}
        info = NOTHING
        for parameter, part in self.named:
            value, found = part.evaluate(env, False)
            info = info.join(found)
            if isinstance(value, Expression):
                return self, info
            if parameter in named:
                raise Failure(f"duplicate named argument {parameter}")
            named[parameter] = value
        args, found = evaluate_all(self.args, env, False)
        info = info.join(found)
        if args is None or isinstance(function, Expression):
            return self, info
        if name:
            return self._builtin(name, named, args, info, env)
        value, found = function.call(args, env, named, curry=self.curry, auto_curry=True)
        return (self if isinstance(value, Expression) else value), found.join(info)

    def _name(self) -> str:
        function = self.function
        if isinstance(function, Reference) and not function.tag and len(function.path) == 1:
            return "" if function.path[0] == "_" else function.path[0]
        return ""

    def _builtin(self, name: str, named: dict[str, Any], args: list[Any], info: Info, env: Env) -> Result:
        fail_if(named, f"no named arguments for builtin function ({self.function})")
        if self.curry:
            known: list[Expression] = [Constant(value) for value in args]
            body = Call(self.function, [], [*known, Expansion(Reference(("__args",)))])
            parameters = [Parameter("__args")]
            return LambdaValue(parameters, LambdaExpression(parameters, True, body), {}, env), NOTHING
        if name == "type" and info.undefined:
            return "undef", NOTHING
        value, found = env.run.parts.call(name, args, env, info)
        return (self if isinstance(value, Expression) else value), found.join(info)

    def __str__(self) -> str:
        args = [f"{name}={value}" for name, value in self.named] + [str(value) for value in self.args]
        return f"{self.function}{'*' if self.curry else ''}({', '.join(args)})"


def _all_there(call: Call, env: Env, needs_value: bool) -> Result:
    pending = False
    for part in call.args:
        try:
            value, info = part.evaluate(env, True)
        except Failure:
            if pending:
                continue
            return False, NOTHING
        if isinstance(value, Expression):
            pending = True
        elif not pending and (info.undefined or (needs_value and value is None)):
            return False, NOTHING
    return (call, Info()) if pending else (True, NOTHING)


def _require(call: Call, env: Env) -> Result:
    fail_if(len(call.args) != 1, "one argument expected for 'require'")
    undefined = f"required expression {quote(str(call.args[0]))} undefined"
    try:
        value, info = call.args[0].evaluate(env, False)
    except Failure as failure:
        raise Failure(undefined, failure.info) from None
    if isinstance(value, Expression):
        return call, info
    if value is None or info.undefined:
        raise Failure(undefined, info)
    return value, info


def _optional(call: Call, env: Env) -> Result:
    fail_if(len(call.args) != 2, "condition and template required for optional()")
    try:
        value, info = call.args[0].evaluate(env, False)
    except Failure:
        value, info = None, NOTHING
    if isinstance(value, Expression):
        return call, info
    if not truth(value):
        return None, Info(undefined=True)
    value, info = call.args[1].evaluate(env, False)
    return (call if isinstance(value, Expression) else value), info


def _stub(call: Call, env: Env) -> Result:
    fail_if(len(call.args) > 1, "a maximum of one argument expected for 'stub'")
    path = env.stub_path
    if call.args:
        part = call.args[0]
        if isinstance(part, Reference):
            path = part.path
        else:
            value, info = part.evaluate(env, True)
            if isinstance(value, Expression):
                return call, info
            if info.undefined:
                path = env.stub_path
            elif type(value) is str:
                path = tuple(value.split("."))
            elif type(value) is list:
                if not all(type(node.value) is str for node in value):
                    raise Failure("stub() requires a string entries in list")
                path = tuple(node.value for node in value)
            else:
                raise Failure("stub() requires a string or reference argument")
    found = env.find_in_stubs(path)
    if found is None:
        raise Failure(f"'{'.'.join(path)}' not found in any stub")
    return found.value, NOTHING


def _catch(call: Call, env: Env) -> Result:
    fail_if(len(call.args) != 1, "catch requires a single argument")
    return Catch(call.args[0], None).evaluate(env, False)


def _sync(call: Call, env: Env) -> Result:
    args = call.args
    fail_if(not 2 <= len(args) <= 4, "2 or 3 arguments required for sync")
    result = args[2] if len(args) > 2 else None
    timeout = args[3] if len(args) > 3 else None
    return SyncExpression(args[0], args[1], result, timeout, True).evaluate(env, False)


INTRINSICS: dict[str, Callable[[Call, Env], Result]] = {
    "catch": _catch,
    "defined": lambda call, env: _all_there(call, env, False),
    "optional": _optional,
    "require": _require,
    "stub": _stub,
    "sync": _sync,
    "valid": lambda call, env: _all_there(call, env, True),
}
"""The functions that take their arguments as expressions."""
