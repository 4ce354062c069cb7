"""Trees and the errors of the parser."""

from __future__ import annotations

import pytest

from krmkit.libraries.gotemplate import TemplateError
from krmkit.libraries.gotemplate.builtins import BUILTINS
from krmkit.libraries.gotemplate.limits import DEFAULT_LIMITS, TemplateLimits
from krmkit.libraries.gotemplate.nodes import Action, Control, Pipe
from krmkit.libraries.gotemplate.parser import parse_trees


def nodes(text: str, limits: TemplateLimits = DEFAULT_LIMITS) -> list[object]:
    return list(parse_trees("t", text, BUILTINS, "", "", limits)["t"].nodes)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("{{ .a.b   1 | print  `x` }}", ".a.b 1 | print `x`"),
        ("{{$x:=(print 1).a}}", "$x := (print 1).a"),
        ("{{ $.a }}", "$.a"),
        ("{{print \"\\t\" 'a' 0x10 true nil .}}", "print \"\\t\" 'a' 0x10 true nil ."),
        ("{{print.a}}", "print.a"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    """How messages show a pipeline: one blank between words, literals as written."""
    (action,) = nodes(text)

    assert isinstance(action, Action)
    assert str(action.pipe) == canonical


def test_positions() -> None:
    """A chain of fields is where its second field begins, a command where its first word does."""
    (action,) = nodes("{{ print .a.b }}")

    assert isinstance(action, Action)
    command = action.pipe.commands[0]
    assert (command.pos, command.args[1].pos) == (3, 11)


def test_else_if_is_a_control_in_the_else() -> None:
    """A chain may be as long as it likes: it is no nesting."""
    text = "{{if 0}}" + "{{else if 0}}" * 5000 + "{{end}}"
    (node,) = nodes(text)

    count = 0
    while isinstance(node, Control):
        count += 1
        node = node.otherwise[0] if node.otherwise else None
    assert count == 5001


def test_definitions_are_trees_of_their_own() -> None:
    """define and block; an empty definition does not replace another one."""
    text = "{{define `a`}}x{{end}}{{block `b` .}}y{{end}}{{define `a`}} {{/* c */}} {{end}}"
    trees = parse_trees("t", text, BUILTINS, "", "", DEFAULT_LIMITS)

    assert sorted(trees) == ["a", "b", "t"]
    assert not trees["a"].empty


def test_ranges_declare_up_to_two_variables() -> None:
    """Index and element."""
    (node,) = nodes("{{range $i, $v := .l}}{{end}}")

    assert isinstance(node, Control)
    assert isinstance(node.pipe, Pipe)
    assert (node.pipe.names, node.pipe.assign) == (["$i", "$v"], False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{}}", "template: t:1: missing value for command"),
        ("\n{{if}}", "template: t:2: missing value for if"),
        ("{{if 1}}", "template: t:1: unexpected EOF"),
        ("{{end}}", "template: t:1: unexpected {{end}}"),
        ("{{if 1}}{{else}}{{else}}{{end}}", "template: t:1: expected end; found {{else}}"),
        ("{{with 1}}{{else if 2}}{{end}}", "template: t:1: unexpected <if> in input"),
        ("{{range 1}}{{else range 2}}{{end}}", "template: t:1: unexpected <range> in else"),
        ("{{nope 1}}", 'template: t:1: function "nope" not defined'),
        ("{{$x}}", 'template: t:1: undefined variable "$x"'),
        ("{{if 1}}{{$x := 1}}{{end}}{{$x}}", 'template: t:1: undefined variable "$x"'),
        ("{{$x := 1}}{{define `d`}}{{$x}}{{end}}", 'template: t:1: undefined variable "$x"'),
        ("{{$a, $b := 1}}", "template: t:1: too many declarations in command"),
        ("{{range $a, $b, $c := .}}{{end}}", "template: t:1: too many declarations in range"),
        ("{{range $a, 1}}{{end}}", "template: t:1: range can only initialize variables"),
        ("{{break}}", "template: t:1: {{break}} outside {{range}}"),
        ("{{range .}}{{define `x`}}{{end}}{{end}}", "template: t:1: unexpected <define> in command"),
        ("{{range .}}{{block `x` .}}{{continue}}{{end}}{{end}}", "template: t:1: {{continue}} outside {{range}}"),
        ("{{1 | 2}}", "template: t:1: non executable command in pipeline stage 2"),
        ("{{print | }}{{| print}}", 'template: t:1: unexpected "|" in command'),
        ("{{nil.a}}", 'template: t:1: unexpected . after term "nil"'),
        ("{{(1) (2)(3)}}", 'template: t:1: unexpected "(" in operand'),
        ('{{"abcdefghijklmn" 1`x`}}', 'template: t:1: unexpected "`x`" in operand'),
        ('{{define "abcdefghijkl" "mnopqrstuvw"}}', 'template: t:1: unexpected "\\"mnopqrstu"... in define clause'),
        ("{{template 1}}", 'template: t:1: unexpected "1" in template clause'),
        ("{{block `x`}}{{end}}", "template: t:1: missing value for block clause"),
        ("{{define `x`}}a{{end}}{{define `x`}}b{{end}}", 'template: t:1: template: multiple definition of template "x"'),
        ("{{if .a\n\n", "template: t:3: unclosed action started at t:1"),
        ("{{.a\n#}}", 'template: t:2: unexpected "#" in operand'),
        ("{{.a\n\x01}}", "template: t:2: unrecognized character in action: U+0001 in action started at t:1"),
        ('{{"\\z"}}', "template: t:1: invalid syntax"),
        ("{{08}}", 'template: t:1: integer overflow: "08"'),
    ],
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    """Go's messages, with the line of the furthest token that was looked at."""
    with pytest.raises(TemplateError) as caught:
        nodes(text)

    error = caught.value
    assert (error.message, error.phase, error.column) == (message, "parse", None)
    assert f":{error.line}:" in message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{{" + "(" * 9 + "1" + ")" * 9 + "}}", id="parentheses"),
        pytest.param("{{if 1}}" * 9 + "{{end}}" * 9, id="control structures"),
        pytest.param("{{range 1}}{{with (((((((1)))))))}}{{end}}{{end}}", id="both"),
    ],
)
def test_nesting_is_limited(text: str) -> None:
    """By the limit, not by Python's stack."""
    nodes(text)
    with pytest.raises(TemplateError, match=r"more than 8 .*Limits\.nesting"):
        nodes(text, TemplateLimits(nesting=8))
