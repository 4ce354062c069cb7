"""Compile and evaluate rules with cel-expr-python (Google's C++ implementation of CEL).

A rule is compiled twice: first against the schema's types, which takes protocol buffer descriptors, to find
what cel-go's checker refuses; then without types, to run it on plain data, because a message cannot tell an
absent field from an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from krmkit.libraries.cel.cost import Cost, Values, charge_compiling
from krmkit.libraries.cel.expressions import Bindings, CelError, compile_words, runtime_words
from krmkit.libraries.cel.kubernetes import types as celvalues
from krmkit.libraries.cel.kubernetes.library import ALWAYS, Overload, functions
from krmkit.libraries.cel.tree import CheckedTree
from krmkit.libraries.messages.extras import missing

if TYPE_CHECKING:
    from cel_expr_python import cel

NEWEST = (1, 99)
"""All libraries; (1, 29) are those of Kubernetes 1.29, which has no ip()."""

_EXTENSIONS = "name: kubernetes\nextensions:\n- name: strings\n  version: 2\n- name: sets\n- name: bindings\n- name: optional\n"
# The checker's standard library compares only equal types; Kubernetes also compares numbers of different
# types.
_COMPARISONS = ("_<_", "_<=_", "_>_", "_>=_")
_WITHOUT_COMPARISONS = "stdlib:\n  exclude_functions:\n" + "".join(
    f"  - name: {name}\n" for name in _COMPARISONS
)
_NUMBERS = ("int", "uint", "double")
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")
_TYPES = (*_NUMBERS, *_ORDERED, "dyn")
_OBJECTS = {
    "ip": celvalues.IP,
    "cidr": celvalues.CIDR,
    "quantity": celvalues.QUANTITY,
    "url": celvalues.URL,
    "semver": celvalues.SEMVER,
}
_BUDGET = "Iteration budget exceeded"
OUT_OF_STEPS = "operation cancelled: actual cost limit exceeded"
"""The text of an evaluation that takes too many steps."""


class KubeProgram:
    """A compiled rule or message expression. `uses_old_self` marks a transition rule."""

    def __init__(self, expression: cel.Expression, tree: CheckedTree) -> None:
        self._expression = expression
        self._cost = Cost(tree)
        self.uses_old_self = "oldSelf" in tree.names()

    def evaluate(self, bindings: Bindings) -> object:
        """Return the result as plain data. Raises CelError if it fails or would take too many steps."""
        if not self._cost.charge(bindings.values):
            raise CelError(OUT_OF_STEPS)
        try:
            value = self._expression.eval(bindings.activation)
            name = value.type().name()
            result = value.value() if name in _PLAIN else None
        except RuntimeError as error:
            raise CelError(_words(str(error))) from None
        if name == "ERROR":
            raise CelError(_words(str(value.value())))
        return result


_PLAIN = frozenset(("BOOL", "STRING", "INT", "DOUBLE"))


def _words(message: str) -> str:
    """Return an error's text in cel-go's words, which name no types if no overload fits."""
    text = OUT_OF_STEPS if _BUDGET in message else runtime_words(message)
    if text.startswith("Index error: index="):
        return "index out of bounds: " + text.removeprefix("Index error: index=").partition(" ")[0]
    return "no such overload" if text.startswith("no such overload") else text


def _checker_words(text: str) -> str:
    out: list[str] = []
    for line in text.split("\n"):
        head, _, struct = line.partition(" not found in struct '")
        if struct and "undefined field" in head:
            line = head
        head, operand, _ = line.partition("' cannot be the operand of a select operation")
        if operand:
            line = head.replace("expression of type '", "type '") + "' does not support field selection"
        out.append(line)
    return "\n".join(out)


class KubeEnvironment:
    """The libraries of one Kubernetes version. Made once, it compiles any number of rules.

    >>> environment = KubeEnvironment()
    >>> program = environment.compile("self > 1", environment.scope({"self": "int"}), "BOOL")
    >>> program.evaluate(environment.bind({"self": 2}))
    True
    """

    def __init__(self, version: tuple[int, int] = NEWEST) -> None:
        try:
            import google.protobuf as _  # noqa: F401  # the types of schemas need it
            from cel_expr_python import cel as library
        except ImportError as error:
            raise missing("CEL rules", error, "cel") from None
        self._cel: Any = library
        offered = [function for function in functions() if function.since <= version]
        self._config: Any = library.NewEnvConfigFromYaml(_EXTENSIONS + _WITHOUT_COMPARISONS)
        self._checked = self._declare([*offered, *_comparisons()])
        merged = _merged(offered, self._run_type)
        dynamic = library.Type.DYN
        self._run: Any = library.NewEnv(
            config=library.NewEnvConfigFromYaml(_EXTENSIONS),
            variables={"self": dynamic, "oldSelf": dynamic},
            functions=[
                library.FunctionDecl(
                    name,
                    [
                        library.Overload(f"{name}_{at}", dynamic, list(parameters), member, run)
                        for at, (parameters, member, run) in enumerate(overloads)
                    ],
                )
                for name, overloads in merged.items()
            ],
        )

    def scope(self, variables: Mapping[str, str], pool: object = None) -> object:
        """Return the names of a rule: variables with their CEL types, messages from a descriptor pool."""
        types = {name: self._type(text) for name, text in variables.items()}
        return self._cel.NewEnv(
            descriptor_pool=pool, config=self._config, variables=types, functions=self._checked
        )

    def compile(self, text: str, scope: object, result: str) -> KubeProgram:
        """Return the program of a text that gives `result` (BOOL, STRING). Raises CelError."""
        checker: Any = scope
        charge_compiling(text)
        try:
            checked = checker.compile(text)
            kind = checked.return_type().name()
            if kind != result:
                raise CelError(f"must evaluate to a {result.lower()}")
            tree = CheckedTree(checked.serialize(), text)
            mixed = tree.mixed_literals()
            if mixed:
                raise CelError("compilation failed: " + "\n".join(mixed))
            expression = self._run.compile(text, disable_check=True)
            return KubeProgram(expression, tree)
        except RuntimeError as error:
            raise CelError("compilation failed: " + _checker_words(compile_words(str(error)))) from None

    def bind(self, values: Mapping[str, object]) -> Bindings:
        """Convert the values of one evaluation. Raises CelError."""
        try:
            return Bindings(self._run.Activation(values), Values(values))
        except (RuntimeError, ValueError, TypeError, OverflowError) as error:
            raise CelError(f"the value cannot be used in CEL: {error}") from None

    def _declare(self, offered: list[Overload]) -> list[Any]:
        """Return declarations of the functions for the checker, which never runs them."""
        overloads: dict[str, list[Any]] = {}
        for function in offered:
            listed = overloads.setdefault(function.name, [])
            parameters = [self._checked_type(name) for name in function.parameters]
            identifier = f"{function.name}_{len(listed)}"
            listed.append(
                self._cel.Overload(
                    identifier, self._checked_type(function.result), parameters, function.member, function.run
                )
            )
        return [self._cel.FunctionDecl(name, listed) for name, listed in overloads.items()]

    def _type(self, text: str) -> Any:
        """Return a CEL type from text: int, list(string), map(string, dyn), a message's full name."""
        kinds = self._cel.Type
        head, bracket, rest = text.partition("(")
        if bracket:
            inside = rest.removesuffix(")")
            if head == "list":
                return kinds.List(self._type(inside))
            return kinds.Map(kinds.STRING, self._type(inside.partition(", ")[2]))
        return getattr(kinds, text.upper()) if text in _TYPES else kinds(text)

    def _checked_type(self, name: str) -> Any:
        if name in _OBJECTS:
            return self._cel.Type.AbstractType(_OBJECTS[name])
        return self._type({"strings": "list(string)", "query": "map(string, list(string))"}.get(name, name))

    def _run_type(self, name: str) -> Any:
        """Return a type at run time, when objects are maps and lists hold anything."""
        kinds = self._cel.Type
        if name in _OBJECTS:
            return kinds.MAP
        return kinds.List(kinds.DYN) if name.startswith("list(") else self._type(name)


def _comparisons() -> list[Overload]:
    """Return the operators on equal types, and on two types of numbers."""
    pairs = [(one, other) for one in _NUMBERS for other in _NUMBERS] + [(kind, kind) for kind in _ORDERED]
    return [Overload(name, pair, "bool", False, ALWAYS, _never) for name in _COMPARISONS for pair in pairs]


def _never(*_: object) -> None: ...


def _merged(
    offered: list[Overload], type_: Callable[[str], Any]
) -> dict[str, list[tuple[tuple[Any, ...], bool, Callable[..., Any]]]]:
    """Return overloads by name. Overloads alike at run time become one, which checks its argument."""
    grouped: dict[tuple[str, bool, tuple[str, ...]], list[Overload]] = {}
    for function in offered:
        shape = tuple(_shape(name) for name in function.parameters)
        grouped.setdefault((function.name, function.member, shape), []).append(function)
    found: dict[str, list[tuple[tuple[Any, ...], bool, Callable[..., Any]]]] = {}
    for (name, member, _), alike in grouped.items():
        parameters = tuple(type_(parameter) for parameter in alike[0].parameters)
        kinds = {_OBJECTS.get(function.parameters[0]): function.run for function in alike}
        run = alike[0].run if len(kinds) == 1 else _by_kind(kinds)
        found.setdefault(name, []).append((parameters, member, run))
    return found


def _shape(name: str) -> str:
    return "map" if name in _OBJECTS else "list" if name.startswith("list(") else name


def _by_kind(kinds: dict[str | None, Callable[..., Any]]) -> Callable[..., Any]:
    def run(first: Any, *others: Any) -> Any:
        chosen = kinds.get(first.get("type"))
        if chosen is None:
            raise ValueError("no such overload")
        return chosen(first, *others)

    return run
