"""Go's own functions, called through templates."""

from __future__ import annotations

import pytest

from krmkit.libraries.gotemplate import TemplateError, parse

DATA = {
    "s": "héllo",
    "n": 3,
    "l": [10, 20, 30],
    "m": {"a": 1, "b": {"c": "deep"}},
    "null": None,
    "html": "<a href='x'>\"&\0",
}


def run(text: str) -> str:
    return parse(text, name="t").execute(DATA)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("{{eq 1 1}} {{eq .n 3.0}} {{eq `a` `b` `a`}} {{eq true true}}", "true true true true"),
        ("{{eq .null nil}} {{eq .m nil}} {{eq .no .null}} {{ne .no `a`}}", "true false true true"),
        ("{{eq .l nil}} {{eq nil nil}}", "false true"),
        ("{{lt 1 2}} {{le 2 2}} {{gt `b` `a`}} {{ge 1.5 2.5}} {{lt `Z` `a`}}", "true true true false true"),
        ("{{eq (index .s 0) 104}} {{lt (index .s 0) 200}}", "true true"),
        (
            "{{not .no}} {{not 1}} {{and 1 0 2}} {{or 0 `` `x`}} {{and 1 2}} {{or 0 nil}}",
            "true false 0 x 2 <no value>",
        ),
        ("{{len .s}} {{len .l}} {{len .m}}", "6 3 2"),
        ("{{index .l 1}} {{index .m `b` `c`}} {{index .m `no`}} {{index .s 1}}", "20 deep <no value> 195"),
        ("{{slice .s 1 3}} {{slice .l 1}} {{slice .l 1 2}} {{slice .s}}", "é [20 30] [20] héllo"),
        ("{{print 1 2 `a` 3 nil}} {{println `x` 1}}", "1 2a3 <nil> x 1\n"),
        ("{{printf `%s=%v` `n` .n}} {{`x` | printf `%s%s` `y`}}", "n=3 yx"),
        ("{{html .html}}", "&lt;a href=&#39;x&#39;&gt;&#34;&amp;\ufffd"),
        (
            "{{js .html}} {{js `=\\` | js}}",
            "\\u003Ca href\\u003D\\'x\\'\\u003E\\\"\\u0026\\u0000 \\\\u003D\\\\\\\\",
        ),
        ("{{urlquery `a b/é&=~`}}", "a+b%2F%C3%A9%26%3D~"),
        ("{{html .null 1 2}} {{js nil}}", "&lt;no value&gt;1 2 \\u003Cno value\\u003E"),
    ],
)
def test_results(text: str, output: str) -> None:
    """What they give."""
    assert run(text) == output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{eq .n 3}}", "error calling eq: incompatible types for comparison: float64 and int"),
        ("{{eq 1}}", "error calling eq: missing argument for comparison"),
        ("{{eq .m .m}}", "error calling eq: non-comparable type map[a:%!s(float64=1) b:map[c:deep]]: map[string]interface {}"),
        ("{{eq .l .m}}", "error calling eq: non-comparable types"),
        ("{{lt true false}}", "error calling lt: invalid type for comparison"),
        ("{{lt 1 `a`}}", "error calling lt: incompatible types for comparison: int and string"),
        ("{{ne 1}}", "wrong number of args for ne: want 2 got 1"),
        ("{{len 3}}", "error calling len: len of type int"),
        ("{{len .null}}", "error calling len: len of nil pointer"),
        ("{{index .l 3}}", "error calling index: reflect: slice index out of range"),
        ("{{index .l 9}}", "error calling index: index out of range: 9"),
        ("{{index .l -1}}", "error calling index: index out of range: -1"),
        ("{{index .l .n}}", "error calling index: cannot index slice/array with type float64"),
        ("{{index .m 1}}", "error calling index: value has type int; should be string"),
        ("{{index .null 1}}", "error calling index: index of untyped nil"),
        ("{{index .m `no` `x`}}", "error calling index: index of nil pointer"),
        ("{{index 1 1}}", "error calling index: can't index item of type int"),
        ("{{slice .l 2 1}}", "error calling slice: invalid slice index: 2 > 1"),
        ("{{slice .s 0 1 2}}", "error calling slice: cannot 3-index slice a string"),
        ("{{slice .m 1}}", "error calling slice: can't slice item of type map[string]interface {}"),
        ("{{slice .l 0 1 2 3}}", "error calling slice: too many slice indexes: 4"),
        ("{{call .s}}", "error calling call: non-function .s of type string"),
        ("{{`f` | call}}", "error calling call: non-function f of type string"),
        ("{{printf 1}}", "expected string; found 1"),
    ],
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    """What they refuse, in Go's words."""
    with pytest.raises(TemplateError) as caught:
        run(text)

    assert message in caught.value.message
