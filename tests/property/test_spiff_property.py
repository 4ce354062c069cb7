"""Random expressions of spiff over every operator and function: each ends in a value or a SpiffError, and always in the same."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from krmkit.libraries.spiff import Options, SpiffError, merge
from krmkit.libraries.spiff.expressions.calls import INTRINSICS
from krmkit.libraries.spiff.functions.registry import MODULES
from krmkit.libraries.spiff.tree.limits import SpiffLimits

PRELUDE = """\
text: some words
absent: ~
number: 12
whole: 3.0
part: -1.25
holds: true
list: [4, 5, text]
named: [{name: a, v: 1}, {name: b, v: 2}]
mixed: [{name: a, v: 1}, 7]
map: {k: 1, inner: {k: [1, 2]}}
empty: {}
twice: (( |x|->x + x ))
both: (( |x,y=2|->[x, y] ))
shape: {<<: (( &template )), v: (( number ))}
net: 10.8.0.0/22
version: v1.4.0-rc.2
"""
LITERALS = ('"a"', '""', '"1.2.3"', '"10.0.0.7"', '"[a-c]+("', "0", "-3", "41", "2.5", "true", "false", "~", "~~", "[]", "{}")  # fmt: skip
NAMES = tuple(line.partition(":")[0] for line in PRELUDE.splitlines()) + (
    "map.inner.k", "named.a.v", "mixed.[1]", "list.[-1]", "nothing", ".number", "map.inner.k.[0..1]", "named.[*].v", "tag::x", "_", "__ctx.PATH",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "||", "//", "-or", "-and", "")
FUNCTIONS = tuple(sorted({*MODULES, *INTRINSICS}))
LAMBDAS = ("|x|->x", "|x,y|->x", "|x|->x == 1", "|x|->nothing", "|s,x|->s + x")
MARKERS = ("&temporary", "&local", "&inject", "&default", "&state", "&template", "&dynamic", "&tag:t")


class Writer:
    """Writes expressions and documents from a source of random numbers."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def one(self, choices: tuple[str, ...]) -> str:
        return self.source.choice(choices)

    def expression(self, depth: int = 0) -> str:
        """An expression of at most four levels."""
        if depth > 3 or self.source.random() < 0.25:
            return self.one(LITERALS) if self.source.random() < 0.4 else self.one(NAMES)
        form: Callable[[int], str] = self.source.choice(
            (self.binary, self.binary, self.call, self.call, self.call, self.bracketed, self.chained, self.other)
        )  # fmt: skip
        return form(depth + 1)

    def several(self, depth: int) -> str:
        return ", ".join(self.expression(depth) for _ in range(self.source.randrange(4)))

    def binary(self, depth: int) -> str:
        return f"{self.expression(depth)} {self.one(OPERATORS)} {self.expression(depth)}"

    def call(self, depth: int) -> str:
        return f"{self.one(FUNCTIONS)}({self.several(depth)})"

    def bracketed(self, depth: int) -> str:
        """A mapping, a sum, a catch or a sync."""
        source, function = self.expression(depth), self.one(LAMBDAS)
        word = self.one(
            ("map[", "map{", "select[", "select{", "filter[", "filter{", "sum[", "catch[", "sync[")
        )
        initial = f"|{self.expression(depth)}" if word == "sum[" else ""
        return f"{word}{source}{initial}{function}{'}' if word[-1] == '{' else ']'}"

    def chained(self, depth: int) -> str:
        """An expression with a field, an index, a slice, a projection or arguments behind it."""
        rest = self.one(
            (".k", ".[0]", ".[-1]", ".[1..]", ".[..-1]", ".[*]", ".[*].k", '.["k"]', "(1)", "*(1)")
        )
        return f"({self.expression(depth)}){rest}"

    def other(self, depth: int) -> str:
        inner = self.expression(depth)
        return self.source.choice(
            (
                f"[{self.several(depth)}]",
                f"{{ $k = {inner} }}",
                f"( $x = {inner} ) x",
                f"!{inner}",
                f"*{inner}",
                f"{inner} ? {self.expression(depth)} :2",
                f"[{inner}..{self.expression(depth)}]",
                f"[{inner}...]",
                f"prefer {inner}",
                f"{self.one(MARKERS)} ( {inner} )",
                "merge",
                "merge replace",
                "merge on k",
                "merge map.inner",
                "auto",
            )
        )

    def document(self) -> str:
        """A map whose keys have expressions, values, or maps and lists with merge keys."""
        lines = []
        for key in self.source.sample(
            ("a", "b", "list", "map", "named", "shape"), self.source.randrange(1, 5)
        ):
            form = self.source.randrange(4)
            if form == 0:
                lines.append(
                    f"{key}: {{<<: (( {self.one((*MARKERS, 'merge', 'map'))} )), k: (( {self.plain()} ))}}"
                )
            elif form == 1:
                lines.append(f"{key}:\n- <<: (( merge ))\n- {{name: a, v: (( {self.plain()} ))}}\n- 3")
            else:
                lines.append(f"{key}: >-\n  (( {self.expression()} ))")
        return "\n".join(lines) + "\n"

    def plain(self) -> str:
        return self.one(("number", "text", "1 + 2", "merge", "nothing"))


def answer(template: str, stubs: list[str]) -> str:
    """The documents, or the message of the error."""
    options = Options(
        access="none", features=["control"], limits=SpiffLimits(passes=60, steps=20_000, nodes=20_000, held=20_000)
    )  # fmt: skip
    try:
        return repr(merge(template, stubs, options).documents)
    except SpiffError as error:
        return f"{error.kind}: {error.message}"


@settings(max_examples=600, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
@example(7)
def test_expressions_end(seed: int) -> None:
    """An expression among names of every type has one answer."""
    expression = Writer(random.Random(seed)).expression()
    template = f"{PRELUDE}answer: >-\n  (( {expression} ))\n"

    first = answer(template, [])

    assert first == answer(template, [])
    assert not first.startswith("syntax"), expression


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_merges_end(seed: int) -> None:
    """A template with stubs, all of them random, has one answer; what is empty changes nothing as the last stub."""
    writer = Writer(random.Random(seed))
    template = PRELUDE.replace("list:", "ls:").replace("map:", "mp:").replace("named:", "nm:").replace("shape:", "sh:") + writer.document()  # fmt: skip
    stubs = [writer.document() for _ in range(writer.source.randrange(3))]

    first = answer(template, stubs)

    assert first == answer(template, stubs)
    assert first == answer(template, [*stubs, "{}"])


def test_every_function_is_written() -> None:
    """The generator reaches all functions, those that take expressions included."""
    writer = Writer(random.Random(1))
    written = " ".join(writer.expression() for _ in range(4_000))

    assert [name for name in FUNCTIONS if f"{name}(" not in written] == []
