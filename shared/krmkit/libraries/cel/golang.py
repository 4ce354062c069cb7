"""Where cel-go decides differently from the library: types of list and map literals, and conversions.

cel-go gives `x['key']` of a dynamic value a free type, which the first fitting overload binds. A conversion
with one overload left refuses a text at run time: `int(labels['n'])` fails, `int(labels.n)` does not. A
conversion that must decide as Go does is renamed in the text, to a function of this module.

Source: cel-go, checker/checker.go (resolveOverload, isAssignable), the validator of homogeneous aggregates,
and common/types.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from krmkit.libraries.cel.nodes import CallNode, Node
from krmkit.libraries.cel.tree import DYN, PREFIX, REFUSED, CheckedTree, Type
from krmkit.libraries.go.fmt.printing import format_float

if TYPE_CHECKING:
    from cel_expr_python import cel

FREE: Type = ("free",)
_FIRST = ("int", "uint", "double", "bool", "bytes", "duration", "timestamp")
_TOKEN = re.compile(
    r"""//[^\n]*|(?:[rR][bB]?|[bB][rR])(?:'''.*?'''|\"{3}.*?\"{3}|'[^'\n]*'|"[^"\n]*")"""
    r"""|'''(?:\\.|[^\\])*?'''|\"{3}(?:\\.|[^\\])*?\"{3}|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`""",
    re.DOTALL,
)
_ERROR = re.compile(r"found no matching overload for ([^\n]*?)(?: \[[A-Z_]+\])?(?=\n|\Z)")
_NUMBERS = re.compile(r"'_[<>]=?_' applied to '\((?:int|uint|double), (?:int|uint|double)\)'")
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class GoTypes:
    """The types that cel-go's checker gives a tree's expressions, where they differ from the library's."""

    tree: CheckedTree

    def of(self, node: Node) -> Type:
        known = self.tree.type_of(node)
        if not isinstance(node, CallNode):
            return known
        function, kinds = node.function, [self.of(one) for one in node.arguments]
        if function == "_[_]":
            return FREE if kinds[0] in (DYN, FREE) else known
        if function == "_+_" and FREE in kinds and all(kind in (DYN, FREE) for kind in kinds):
            return ("bytes",)
        if function == "_?_:_":
            return DYN if DYN in kinds[1:] else FREE if kinds[1:] == [FREE, FREE] else known
        return known

    def mixed(self) -> list[str]:
        """Return a message for each literal element whose type differs from the earlier ones."""
        found: list[str] = []
        for elements in self.tree.aggregates():
            joined = FREE
            for element in elements:
                current = self.of(element)
                if FREE not in (joined, current) and joined != current:
                    found.append(self.tree.mismatch(element, joined, current))
                    break
                joined = current if joined == FREE else joined
        return found

    def renamed(self) -> str:
        """Return the text with the conversions renamed that Go decides differently, if types are known."""
        text = self.tree.text
        places: list[tuple[int, str, str]] = []
        for call in self.tree.calls() if self.tree.checked else ():
            if call.is_member or len(call.arguments) != 1:
                continue
            if name := self._conversion(call.function, call.arguments[0]):
                renamed, function = (
                    (call.arguments[0], "timestamp") if name == "time" else (call, call.function)
                )
                places.append((self.tree.position(renamed), function, name))
        for place, function, name in sorted(places, reverse=True):
            start = len(text[:place].rstrip()) - len(function)
            if text[start:].startswith(function):
                text = text[:start] + PREFIX + name + text[start + len(function) :]
        return text

    def _conversion(self, function: str, argument: Node) -> str:
        """Return the function that decides as Go does, "" if the library's own one does."""
        kind = self.of(argument)
        inner, given = (argument.function, argument.arguments) if isinstance(argument, CallNode) else ("", [])
        if (kind == FREE and function in _FIRST) or (function, kind, inner) == ("string", ("bytes",), "_+_"):
            return f"{REFUSED}{function}"
        if function in ("int", "uint", "double") and kind in (DYN, ("string",)):
            return function
        if function == "string" and kind in (("double",), ("google.protobuf.Duration",)):
            return function
        timed = (function, inner) == ("string", "timestamp") and self.of(given[0]) in (DYN, ("string",))
        return "time" if timed else ""


def admitted(error: str, tree: CheckedTree) -> bool:
    """Return True if cel-go admits everything that the library's checker refuses in an expression.

    It admits comparing numbers of two types in a macro, and the size of the sum of two free types. `tree` is
    the unchecked expression.
    """
    words = _ERROR.findall(error)
    sizes = words.count("'size' applied to '(int)'")
    sums = [GoTypes(tree).of(call.arguments[0]) for call in tree.calls() if call.function == "size"]
    numbers = sum(_NUMBERS.fullmatch(one) is not None for one in words)
    return (
        0 < len(words) == sizes + numbers == error.count("ERROR: ")
        and sums.count(("bytes",)) >= sizes
        and (not numbers or tree.has_loops())
    )


def unsupported(text: str) -> int:
    """Return the offset of the first backtick outside texts and comments, or -1: cel-go refuses it."""
    found = _TOKEN.finditer(text) if "`" in text else ()
    return next((token.start() for token in found if token[0] == "`"), -1)


def functions() -> list[cel.FunctionDecl]:
    """Return the functions that `GoTypes.renamed` names."""
    from cel_expr_python import cel

    text, number = cel.Type.STRING, cel.Type.INT
    kinds = {"int": number, "uint": cel.Type.UINT, "double": cel.Type.DOUBLE, "bool": cel.Type.BOOL}
    kinds |= {"bytes": cel.Type.BYTES, "duration": cel.Type.DURATION, "timestamp": cel.Type.TIMESTAMP}
    # The library's checker takes a free type for an integer, and at run time a text then fits no overload.
    made: list[tuple[str, cel.Type, cel.Type, Callable[..., object]]] = [
        (f"{REFUSED}{one}", kind, number, str) for one, kind in (kinds | {"string": text}).items()
    ]
    made += [(one, kinds[one], text, _number(one)) for one in ("int", "uint", "double")]
    made += [("string", text, cel.Type.DOUBLE, format_float), ("string", text, cel.Type.DURATION, _seconds)]
    made.append(("time", text, text, _time))
    declared: dict[str, list[cel.Overload]] = {}
    for index, (name, result, parameter, run) in enumerate(made):
        overload = cel.Overload(f"{PREFIX}{index}", result, [parameter], False, run)
        declared.setdefault(f"{PREFIX}{name}", []).append(overload)
    return [cel.FunctionDecl(name, overloads) for name, overloads in declared.items()]


def _number(function: str) -> Callable[[str], object]:
    """Return a parser that accepts what strconv.ParseInt, ParseUint or ParseFloat does: no spaces."""
    form = {"int": r"[+-]?[0-9]+", "uint": r"[0-9]+", "double": r"[^\s_]+"}[function]
    low, high = {"int": (-(2**63), 2**63), "uint": (0, 2**64), "double": (0, 0)}[function]

    def run(text: str) -> object:
        try:
            if re.fullmatch(form, text) and (function == "double" or low <= int(text) < high):
                return float(text) if function == "double" else int(text)
        except ValueError:
            pass
        raise RuntimeError(f"type conversion error from 'string' to '{function}'")

    return run


def _time(text: str) -> str:
    """Return a timestamp as Go prints it: with its offset, and without zeros at the end of the fraction."""
    from datetime import datetime

    found = _TIME.fullmatch(text)
    try:
        datetime.fromisoformat(found[1] if found else "")
    except ValueError:
        raise RuntimeError("type conversion error from 'string' to 'google.protobuf.Timestamp'") from None
    assert found is not None
    fraction = (found[2] or "")[:10].rstrip("0").rstrip(".")
    return f"{found[1]}{fraction}{'Z' if found[3][1:] == '00:00' else found[3]}"


def _seconds(given: timedelta) -> str:
    whole, rest = divmod(
        abs(given.days * 86_400_000_000 + given.seconds * 1_000_000 + given.microseconds), 10**6
    )
    fraction = f".{rest:06d}".rstrip("0").rstrip(".")
    return f"{'-' if given.days < 0 else ''}{whole}{fraction}s"
