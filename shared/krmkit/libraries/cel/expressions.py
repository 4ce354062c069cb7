"""CEL as cel-go evaluates it for Porch: statically checked, standard library only, a string as result.

This module wraps cel-expr-python (Google's C++ implementation), so that the library can be replaced in one
place. The library is imported with the first environment, because few functions evaluate CEL. The wrapper
adds what cel-go has and the library lacks: list and map literals of mixed types fail at compile time, and
errors have cel-go's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from krmkit.libraries.cel.cost import MAX_COST, BatchCost, Cost, Values, charge_compiling
from krmkit.libraries.cel.tree import PREFIX, REFUSED, CheckedTree, placed
from krmkit.libraries.messages.extras import missing

if TYPE_CHECKING:
    from cel_expr_python import cel


MAX_TEXT = 4096
"""Characters of one expression: the library needs memory for each of them, some 45 KB in the worst case."""
TOO_COSTLY = (
    f"the expression may take more than {MAX_COST:,} steps with these values (krmkit.libraries.cel.cost.MAX_COST):"
    " what its loops make or read grows too large"
)


class CelError(ValueError):
    """An expression that does not compile, fails, or does not give a string. The text is cel-go's."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The values of the variables for one evaluation, converted once for all expressions."""

    activation: cel.Activation
    values: Values


@dataclass(frozen=True, slots=True)
class CelProgram:
    """A compiled expression: `names` are the declared variables in it, `string` is its result's type."""

    text: str
    expression: cel.Expression
    names: frozenset[str]
    cost: Cost
    string: cel.Type

    def evaluate(self, bindings: Bindings) -> str:
        """Return the resulting string. Raises CelError if it fails, and for a result of another type."""
        if not self.cost.charge(bindings.values):
            raise CelError(TOO_COSTLY)
        try:
            value = self.expression.eval(bindings.activation)
        except RuntimeError as error:
            raise CelError(runtime_words(str(error))) from None
        result = value.value()
        # An error comes as its text, which begins with its status in capitals. Asking for the type doubles
        # the time.
        if type(result) is str and not "A" <= result[:1] <= "Z":
            return result
        kind = value.type()
        if kind == self.string:
            return str(result)
        name = kind.name()
        if name == "ERROR":
            raise CelError(runtime_words(str(result)))
        raise CelError(
            f"unsupported type conversion from '{name.lower()}' to string (wrap it in string(...))"
        )


class Batch:
    """Expressions that are evaluated at once, which costs little more than evaluating one of them."""

    def __init__(self, expression: cel.Expression, programs: Sequence[CelProgram]) -> None:
        self._eval = expression.eval
        self._cost = BatchCost([program.cost for program in programs])

    def evaluate(self, bindings: Bindings) -> list[str] | None:
        """Return all results; None if one fails or is no string: evaluate singly to find the error."""
        if not self._cost.charge(bindings.values):
            return None
        try:
            results = self._eval(bindings.activation).plain_value()
        except RuntimeError:
            return None
        if type(results) is not list or any(type(result) is not str for result in results):
            return None
        return results


class Environment:
    """The variables that an expression may name, each "string" or "dyn". Every text is compiled once."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        try:
            from cel_expr_python import cel
        except ImportError as error:
            raise missing("CEL expressions", error, "cel") from None
        types = {"string": cel.Type.STRING, "dyn": cel.Type.DYN}
        self._string = cel.Type.STRING
        self.variables = frozenset(variables)
        self._new_env = partial(cel.NewEnv, variables={name: types[kind] for name, kind in variables.items()})
        self._env: cel.Env = self._new_env()
        self._converting: cel.Env | None = None
        self._programs: dict[str, CelProgram | CelError] = {}

    def compile(self, text: str) -> CelProgram:
        """Return the program of an expression. Raises CelError, with its place and a caret."""
        program = self._programs.get(text)
        if program is None:
            try:
                program = self._compile(text)
            except CelError as error:
                program = error
            self._programs[text] = program
        if isinstance(program, CelError):
            raise program
        return program

    def _compile(self, text: str) -> CelProgram:
        if len(text) > MAX_TEXT:
            raise CelError(
                f"the size of an expression must be at most {MAX_TEXT:,} characters, got {len(text):,} (krmkit.libraries.cel.expressions.MAX_TEXT)"
            )
        from krmkit.libraries.cel.golang import GoTypes, admitted, unsupported

        charge_compiling(text)
        if (tick := unsupported(text)) >= 0:
            raise CelError(placed(text, tick, "unsupported syntax: '`'"))
        try:
            expression = self._env.compile(text)
            tree = CheckedTree(expression.serialize(), text)
        except RuntimeError as error:
            found = self._unchecked(text)
            if found is None or not admitted(str(error), found[1]):
                raise CelError(compile_words(str(error))) from None
            expression, tree = found
        types = GoTypes(tree)
        if mixed := types.mixed():
            raise CelError("\n".join(mixed))
        renamed = types.renamed()
        if renamed != text:
            expression = self._functions.compile(renamed)
        return CelProgram(renamed, expression, self.variables & tree.names(), Cost(tree), self._string)

    def _unchecked(self, text: str) -> tuple[cel.Expression, CheckedTree] | None:
        """Compile an expression without checking types; None if it does not parse."""
        try:
            expression = self._env.compile(text, disable_check=True)
            return expression, CheckedTree(expression.serialize(), text)
        except RuntimeError:
            return None

    @property
    def _functions(self) -> cel.Env:
        if self._converting is None:
            from krmkit.libraries.cel.golang import functions

            self._converting = self._new_env(functions=functions())
        return self._converting

    def batch(self, programs: Sequence[CelProgram]) -> Batch | None:
        """Return the programs as one; None if they exceed the library's limits together."""
        # A line break ends a comment that an expression may end with.
        text = ", ".join(f"({program.text}\n)" for program in programs)
        env = self._functions if PREFIX in text else self._env
        try:
            return Batch(env.compile(f"[{text}]"), programs)
        except RuntimeError:
            return None

    def bind(self, values: Mapping[str, object]) -> Bindings:
        """Bind values (strings, and maps of strings to values) to variables. Some may stay unbound."""
        return Bindings(self._env.Activation(values), Values(values))


def _unwrapped(message: str) -> tuple[str, str]:
    """Return (status, text) of the library's `STATUS: text [STATUS]`."""
    status, colon, text = message.partition(": ")
    if not colon or not status.isupper():
        return "", message
    return status, text.removesuffix(f" [{status}]")


def compile_words(message: str) -> str:
    """Return the text of a compile error, without its status."""
    text = _unwrapped(message)[1]
    if "recursion" in text:
        return (
            "the expression nests deeper than 32, or chains more than 32 operands"
            " (cel-expr-python's limit; group a long chain with parentheses)"
        )
    return text


def runtime_words(message: str) -> str:
    """Return the text of an evaluation error, in cel-go's words."""
    text = _unwrapped(message)[1].replace(PREFIX, "").replace(f": {REFUSED}", ": ")
    if text.startswith("Key not found in map : "):
        return "no such key: " + text.removeprefix("Key not found in map : ").strip('"')
    if text.startswith('No value with name "'):
        return "no such attribute(s): " + text.split('"')[1]
    if text.startswith("No matching overloads found : "):
        return "no such overload: " + text.removeprefix("No matching overloads found : ")
    if text == "divide by zero":
        return "division by zero"
    return text
