"""Changes of one expression or statement of a module: each is a bug that a near test should see.

Comparisons, conditions, operands, filters, constants, arithmetic and returns are changed; texts with a space (what messages say),
docstrings, annotations, `__slots__`, the `strict` of zip, which is a check, and what only a type checker reads stay.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_UNREAD = {"__slots__", "__all__", "TYPE_CHECKING"}
_ENCODING = "utf-8"  # Python reads over a sign behind it


@dataclass(frozen=True)
class Mutant:
    """A module with one change. `line` is the number of the first changed line, `old` and `new` the text there, without indentation."""

    path: str
    line: int
    old: str
    new: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What stays the same when the lines above move."""
        return self.path, self.old, self.new


def mutants(path: str, text: str) -> list[Mutant]:
    """All changes of a module's text, in the order of the text."""
    source = text.encode()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    made = {}
    for node, replacement in _changes(ast.parse(text)):
        begin = place(node.lineno, node.col_offset)
        end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        # As many lines as before, so that each function keeps its place.
        breaks = b"\n" * source[begin:end].count(b"\n")
        wide = replacement.encode()
        wide = wide[:-1] + breaks + b")" if wide.endswith(b")") else wide + breaks
        changed = (source[:begin] + wide + source[end:]).decode()
        first, tail = source[starts[node.lineno - 1] : begin].decode(), starts[node.end_lineno or node.lineno]
        rest = source[end:tail].decode()
        old = " ".join((first + source[begin:end].decode() + rest).split())
        one = Mutant(path, node.lineno, old, " ".join((first + replacement + rest).split()), changed)
        if one.old != one.new:
            made[one.line, one.new] = one
    return sorted(made.values(), key=lambda one: (one.line, one.new))


Change = tuple[ast.expr | ast.stmt, str]


def _changes(tree: ast.AST) -> Iterator[Change]:
    for node in _read(tree):
        if isinstance(node, ast.stmt):
            yield from _of_statement(node)
        elif isinstance(node, ast.expr):
            yield from _of_expression(node)


def _read(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that a run reads."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id in _UNREAD:
        return
    if isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id in _UNREAD for one in node.targets
    ):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    if isinstance(node, (ast.Expr, ast.JoinedStr)) and not isinstance(getattr(node, "value", None), ast.Call):
        return  # a docstring, or what a message says
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _read(child)


def _text(node: ast.AST) -> str:
    return f"({ast.unparse(node)})"


def _of_statement(node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, (ast.If, ast.While)):
        yield node.test, f"(not {_text(node.test)})"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node, "return" if ast.unparse(node.value) != "None" else "return 0"
    elif isinstance(node, ast.Expr):
        yield node, "pass"
    elif isinstance(node, ast.Break):
        yield node, "continue"
    elif isinstance(node, ast.Continue):
        yield node, "break"
    elif isinstance(node, ast.AugAssign):
        operator = _ARITHMETIC.get(type(node.op))
        if operator is not None:
            yield node, ast.unparse(ast.AugAssign(node.target, operator(), node.value))


def _of_expression(node: ast.expr) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for index, sign in enumerate(node.ops):
            signs = [*node.ops[:index], _COMPARISONS[type(sign)](), *node.ops[index + 1 :]]
            yield node, _text(ast.Compare(node.left, signs, node.comparators))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, _text(ast.BoolOp(other, node.values))
        for index in range(len(node.values)):
            kept = [*node.values[:index], *node.values[index + 1 :]]
            yield node, _text(ast.BoolOp(node.op, kept) if len(kept) > 1 else kept[0])
    elif isinstance(node, ast.IfExp):
        yield node, _text(node.body)
        yield node, _text(node.orelse)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node, _text(node.operand)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield node, _text(ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right))
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        for loop in node.generators:
            for condition in loop.ifs:
                yield condition, "True"


def _of_constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield node, str(not value)
    elif isinstance(value, int):
        yield node, str(value + 1)
    elif isinstance(value, str) and value not in ("", _ENCODING) and " " not in value and "\n" not in value:
        yield node, repr(f"{value}~")
