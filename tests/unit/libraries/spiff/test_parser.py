"""The parser of dynaml: canonical texts, and where errors are."""

from __future__ import annotations

import pytest

from krmkit.libraries.spiff.parsing.grammar import Parser
from krmkit.libraries.spiff.tree.errors import Failure

SAME = {
    "number": "12",
    "string": '"a \\"b\\""',
    "reference": "a.b-c.[0]",
    "from the root": ".a",
    "tag": "lib::a.b",
    "concatenation": '"a" b [1]',
    "precedence": "a + b * c == d -or e || f",
    "condition": "a ? b : c",
    "range": "[1..3]",
    "expansion": "[a..., 1]",
    "named arguments": "f.g(x=1, 2)",
    "currying": "f*(1)",
    "mapping": "map{a|k,v|->v}",
    "filter": "filter[a|x|->x > 1]",
    "sum": "sum[a|0|s,x|->s + x]",
    "catch": "catch[a|v,e|->v]",
    "lambda": "lambda|a,b=1,c=2|->a",
    "rest parameter": "lambda|a,b...|->a",
    "scope": '("x" = 1 ) x',
    "map": '{ "a" = 1 }',
    "merge on a key": "merge on id a.b",
    "markers": "&temporary &state",
}
OTHER = {
    "symbol": ("$a", '"a"'),
    "address": ("10.0.0.1", '"10.0.0.1"'),
    "nil": ("~", "nil"),
    "template": ("*a.b", "*(a.b)"),
    "not": ("!a", "!(a)"),
    "chain": ("(a)(1).b", "(( a )(1)).b"),
    "projection": ("a.[*].b", "a.[*] ().b"),
    "marker with an expression": ("&local (1)", "&local ((1))"),
    "underscores in numbers": ("1_000", "1000"),
}
WRONG = {
    "operators need blanks": ("1+2", "parse error near symbol 1 - symbol 2: '1'"),
    "a bracket too much": (' a "." ) ', "parse error near symbol 7 - symbol 8: ' '"),
    "several lines": ('\na "." )\n', "parse error near line 2 symbol 6 - line 2 symbol 7: ' '"),
    "text that does not end": (' a "x', "parse error near symbol 3 - symbol 4: ' '"),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME.keys())
def test_canonical(text: str) -> None:
    """A canonical text is what its expression prints."""
    assert str(Parser().parse(text, ("a",), ("a",))) == text


@pytest.mark.parametrize(("text", "canonical"), OTHER.values(), ids=OTHER.keys())
def test_printed_otherwise(text: str, canonical: str) -> None:
    """Other forms are printed in their canonical one."""
    assert str(Parser().parse(text)) == canonical


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_errors(text: str, message: str) -> None:
    """An error names the word that reaches furthest."""
    with pytest.raises(Failure) as failure:
        Parser().parse(text)

    assert failure.value.issue.text == message


def test_merge_depends_on_its_place() -> None:
    """A merge that stands where stubs are looked up elsewhere redirects."""
    assert str(Parser().parse("merge", ("a",), ("b", "c"))) == "merge b.c"


@pytest.mark.parametrize("text", ["(" * 500, "[" * 500, "!" * 500, "a || " * 3 + "(" * 300 + "1" + ")" * 300])
def test_deep_texts_end(text: str) -> None:
    """Expressions inside each other are counted."""
    with pytest.raises(Failure):
        Parser().parse(text)


def test_many_groups_take_linear_time() -> None:
    """What stands in parentheses is read once, though it could be a scope."""
    text = "(" * 25 + "1" + ")" * 25

    assert str(Parser().parse(text)).count("1") == 1
