"""Execution: control structures, variables, fields, associated templates, errors with their places, limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import krmkit
from krmkit.libraries.gotemplate import Template, TemplateError, parse
from krmkit.libraries.gotemplate.limits import TemplateLimits
from krmkit.libraries.yaml import effort

DATA: dict[str, object] = {
    "name": "edge",
    "n": 3,
    "l": ["a", 1, None],
    "m": {"b": "two", "a": 1, "x": {"y": {"z": "deep"}}},
    "null": None,
    "empty": [],
}


def run(text: str, data: object = DATA, **options: object) -> str:
    return parse(text, name="t", **options).execute(data)  # type: ignore[arg-type]


def error(text: str, data: object = DATA, **options: object) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        run(text, data, **options)
    return caught.value


@pytest.mark.parametrize(
    ("text", "output"),
    [
        pytest.param("a{{- .name -}} b", "aedgeb", id="text and a field"),
        pytest.param("{{.m.x.y.z}} {{$.m.x.y.z}} {{(.m.x).y.z}}", "deep deep deep", id="chains"),
        pytest.param("{{$.name}} {{$.m.a}} {{$x := .m}}{{$x.a}} {{$x.x.y}} {{$x.x.y.z}}", "edge 1 1 map[z:deep] deep", id="chains of variables"),
        pytest.param("{{if .no}}1{{else if .n}}2{{else}}3{{end}}", "2", id="else if"),
        pytest.param("{{with .no}}1{{else with .m}}{{.a}}{{else}}3{{end}}", "1", id="else with"),
        pytest.param("{{with $x := .m}}{{$x.b}}{{.a}}{{end}}", "two1", id="with declares and sets the dot"),
        pytest.param("{{range $i, $v := .l}}{{$i}}={{$v}};{{end}}", "0=a;1=1;2=<no value>;", id="list"),
        pytest.param("{{range $k, $v := .m}}{{$k}}{{end}}", "abx", id="map with sorted keys"),
        pytest.param("{{range 3}}{{.}}{{end}}{{range $i := 2}}{{$i}}{{end}}", "01201", id="numbers"),
        pytest.param("{{range .empty}}x{{else}}none{{end}}{{range .no}}x{{else}}none{{end}}", "nonenone", id="else"),
        pytest.param("{{range $i, $e := .empty}}{{else}}{{$i}}{{end}}", "[]", id="else sees the head's variables"),
        pytest.param("{{range 9}}{{if eq . 2}}{{continue}}{{end}}{{if eq . 4}}{{break}}{{end}}{{.}}{{end}}", "013", id="jumps"),
        pytest.param("{{range $i := 2}}{{range $.empty}}{{else}}{{break}}{{end}}{{$i}}{{end}}", "01", id="break in an inner else stays there"),
        pytest.param("{{range $i := 2}}{{range $.empty}}{{else}}{{continue}}{{end}}{{$i}}{{end}}", "", id="continue in an inner else does not"),
        pytest.param("{{$x := 1}}{{if true}}{{$x = 2}}{{$x := 3}}{{end}}{{$x}}", "2", id="scopes"),
        pytest.param("{{$x := 0}}{{range $x = .l}}{{end}}{{$x}}{{$i := 9}}{{range $i, $x = .l}}{{end}}{{$i}}", "<no value>2", id="range assigns"),
        pytest.param("{{$x := 1}}{{if .no}}{{$x := 2}}{{else}}{{$x}}{{end}}", "1", id="the other branch's variable is not seen"),
        pytest.param("{{define `d`}}[{{.}}{{$}}]{{end}}{{template `d` .name}}{{template `d`}}", "[edgeedge][<no value><no value>]", id="define"),
        pytest.param("{{block `d` .m}}{{.a}}{{end}}", "1", id="block"),
        pytest.param("{{.null}} {{.no}} {{.no.such.key}} {{print .null .no}}", "<no value> <no value> <no value> <nil> <nil>", id="nil"),
        pytest.param("{{.n}} {{.m}} {{.l}} {{1e6}} {{1.0}} {{'a'}}", "3 map[a:1 b:two x:map[y:map[z:deep]]] [a 1 <nil>] 1e+06 1 97", id="printing"),
        pytest.param("{{3 | printf `%d-%d` 2}} {{.name | len | printf `%03d`}}", "2-3 004", id="pipes feed the last argument"),
        pytest.param("{{define `only`}}{{end}}", "", id="definitions only"),
        pytest.param("", "", id="nothing"),
        pytest.param("{{$ = 5}}{{$}}", "5", id="the dollar can be assigned"),
    ],
)  # fmt: skip
def test_output(text: str, output: str) -> None:
    """What templates make of the data."""
    assert run(text) == output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{.name.x}}", 't:1:7: executing "t" at <.name.x>: can\'t evaluate field x in type interface {}'),
        (
            "\n é{{.name.x}}",
            't:2:10: executing "t" at <.name.x>: can\'t evaluate field x in type interface {}',
        ),
        ("{{$x := `s`}}{{$x.y}}", "at <$x.y>: can't evaluate field y in type string"),
        ("{{range .l}}{{.x}}{{end}}", "at <.x>: can't evaluate field x in type interface {}"),
        ("{{range $i, $v := .l}}{{$i.x}}{{end}}", "at <$i.x>: can't evaluate field x in type int"),
        ("{{range 2}}{{.x}}{{end}}", "at <.x>: can't evaluate field x in type int"),
        ("{{with .name}}{{.x}}{{end}}", "at <.x>: can't evaluate field x in type string"),
        ("{{(print 1).x}}", "at <1>: can't evaluate field x in type string"),
        ("{{.null.x}}", "at <.null.x>: nil pointer evaluating interface {}.x"),
        ("{{range .n}}{{end}}", "at <.n>: range can't iterate over 3"),
        ("{{range $i, $v := 3}}{{end}}", "at <3>: can't use 3 to iterate over more than one variable"),
        ("{{.name 1}}", "at <.name>: name is not a method but has arguments"),
        ("{{1 | .name}}", "at <.name>: name is not a method but has arguments"),
        ("{{1 2}}", "at <1>: can't give argument to non-function 1"),
        ("{{(1) 2}}", "at <(1) 2>: can't give argument to non-function 1"),
        ("{{$x := 1}}{{2 | $x}}", "at <$x>: can't give argument to non-function $x"),
        ("{{nil}}", "at <nil>: nil is not a command"),
        ("{{9223372036854775808}}", "at <9223372036854775808>: 9223372036854775808 overflows int"),
        ("{{$x = 1}}", "at <1>: undefined variable: $x"),
        ("{{if .no}}{{$y := 1}}{{else}}{{$y}}{{end}}", "at <$y>: undefined variable: $y"),
        ("{{template `no`}}", 'at <{{template "no"}}>: template "no" not defined'),
        ("{{printf .n}}", "at <.n>: wrong type for value; expected string; got float64"),
        ("{{printf .no}}", "at <.no>: invalid value; expected string"),
        ("{{printf .null}}", "at <.null>: wrong type for value; expected string; got interface {}"),
        ("{{printf nil}}", "at <nil>: cannot assign nil to string"),
        ("{{and 1 (len 1) 2 | printf}}", "at <len 1>: error calling len: len of type int"),
        ("{{printf (or 0 7 9)}}", "at <7>: wrong type for value; expected string; got int"),
        (
            "{{define `d`}}{{.x}}{{end}}{{template `d` 1}}",
            'executing "d" at <.x>: can\'t evaluate field x in type int',
        ),
    ],
)
def test_errors_name_their_place(text: str, message: str) -> None:
    """The node that was visited last, as Go reports it."""
    assert message in error(text).message
    assert error(text).phase == "exec"


def test_an_error_knows_what_was_written() -> None:
    """Line and column are fields, too; the column counts bytes from 0."""
    caught = error("one\n{{range .l}}é{{.}}{{.x}}{{end}}")

    assert (caught.line, caught.column, caught.partial) == (2, 21, "one\néa")


@pytest.mark.parametrize(
    ("option", "text", "output"),
    [
        ("missingkey=default", "{{.no}} {{.no.such}} {{index .m `no`}}", "<no value> <no value> <no value>"),
        ("missingkey=zero", "{{.no}} {{(.no).such}}", "<no value> <no value>"),
        ("missingkey=zero", "{{.no.such}}", "nil pointer evaluating interface {}.such"),
        ("missingkey=error", "{{.no}}", 'map has no entry for key "no"'),
        ("missingkey=error", "{{.null}}{{index .m `no`}}", "<no value><no value>"),
        ("missingkey=error", "{{template `d`}}{{define `d`}}{{.x}}{{end}}", 'nil data; no entry for key "x"'),
    ],
)
def test_missing_keys(option: str, text: str, output: str) -> None:
    """Nil that goes on, nil that does not, an error."""
    try:
        made = run(text, options=[option])
    except TemplateError as caught:
        made = caught.message

    assert made.endswith(output)


def test_a_template_is_executed_as_often_as_needed() -> None:
    """Nothing stays from one execution to the next, and the data stay as they are."""
    template = parse(
        "{{$x := 0}}{{range .l}}{{$x = .}}{{end}}{{$x}}{{set . `new` 1 | len}}", functions="sprig"
    )
    data = {"l": ["a"]}

    assert [template.execute(data), template.execute(data), template.execute({"l": []})] == ["a2", "a2", "02"]
    assert data == {"l": ["a"]}


def test_numbers_of_the_data_have_the_type_asked_for() -> None:
    """float64 as encoding/json has it, or an integer type."""
    template = parse("{{printf `%T` .n}}")

    assert [template.execute({"n": 1}, numbers=kind) for kind in ("float64", "int", "int64")] == [
        "float64",
        "int",
        "int64",
    ]


def test_templates_are_associated() -> None:
    """Each text may use the others; a later one replaces, unless it is empty."""
    main = parse("<{{template `a` .}}>", name="main")
    main.parse_associated("a", "A{{template `b` .}}")
    b = main.parse_associated("b", "{{.}}{{define `c`}}C{{end}}")
    main.parse_associated("c", "  ")

    assert isinstance(b, Template)
    assert main.names == ["a", "b", "c", "main"]
    assert main.execute("x") == "<Ax>"
    assert (b.execute("y"), main.execute("z", name="c")) == ("y", "C")
    with pytest.raises(TemplateError, match='no template "d" associated with template "main"'):
        main.execute(name="d")


def test_a_text_that_does_not_parse_changes_nothing() -> None:
    """The group stays as it was."""
    main = parse("{{template `a`}}{{define `a`}}1{{end}}")
    with pytest.raises(TemplateError):
        main.parse_associated("more", "{{define `a`}}2{{end}}{{end}}")

    assert main.execute() == "1"


def test_delimiters() -> None:
    """Any two texts."""
    assert run("<% .name %>{{.name}}", delims=("<%", "%>")) == "edge{{.name}}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": ["missingkey=no"]}, "missingkey=default"),
        ({"functions": "sprigs"}, "builtins, sprig, hermetic"),
    ],
)
def test_wrong_arguments(options: dict[str, object], message: str) -> None:
    """Options and sets that do not exist; the message lists those that do."""
    with pytest.raises(ValueError, match=message):
        run("", **options)


def test_data_that_are_no_json() -> None:
    """An error of the template, not of Python."""
    assert "takes JSON data" in error("{{.}}", {"a": object()}).message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{{range 1000000000}}{{end}}", "Limits.steps", id="a long loop"),
        pytest.param("{{range .big}}{{range $.big}}{{end}}{{end}}", "Limits.steps", id="loops in loops"),
        pytest.param("{{define `a`}}{{template `b`}}{{end}}{{define `b`}}{{template `a`}}{{end}}{{template `a`}}", "maximum template depth", id="recursion"),
        pytest.param("{{define `a`}}{{if 1}}{{with 1}}{{range 1}}{{template `a`}}{{end}}{{end}}{{end}}{{end}}{{template `a`}}", "maximum template depth", id="recursion inside of control structures"),
        pytest.param("{{define `a`}}{{range 9}}{{range 9}}{{range 9}}{{range 9}}{{range 9}}{{end}}{{end}}{{end}}{{end}}{{end}}{{end}}" + "{{template `a`}}" * 9, "Limits.steps", id="calls count"),
        pytest.param("{{range 9000}}0123456789{{.}}0123456789{{.}}0123456789{{.}}0123456789{{end}}", "Limits.output", id="output of a loop"),
        pytest.param("{{$x := `0123456789`}}" + "{{$x = printf `%s%s` $x $x}}" * 9 + "{{$x}}" * 99, "Limits.output", id="output of long texts"),
        pytest.param("{{$x := `0123456789`}}" + "{{$x = printf `%s%s` $x $x}}" * 40, "Limits.work", id="a text that doubles"),
        pytest.param("{{$x := `0123456789`}}" + "{{$x = printf `%s%s` $x $x}}" * 12 + "{{range 9999}}{{$y := print $x}}{{end}}", "Limits.work", id="work"),
    ],
)  # fmt: skip
def test_hostile_templates_end_by_counting(text: str, message: str) -> None:
    """Each limit is named in the error."""
    limits = TemplateLimits(steps=50_000, output=300_000, depth=60, work=100_000)

    assert message in error(text, {"big": list(range(1000))}, limits=limits).message


def test_limits_can_be_raised() -> None:
    """The same template, with more steps."""
    assert error("{{range 100}}x{{end}}", limits=TemplateLimits(steps=50)).phase == "exec"
    assert run("{{range 100}}x{{end}}", limits=TemplateLimits(steps=500)) == "x" * 100


def test_a_run_s_effort_is_a_limit_of_steps() -> None:
    """A template takes the steps that are left of it; the smaller of both limits is the one that an error names."""
    template = parse("{{range 100}}x{{end}}")
    assert effort.begin(1_000)
    try:
        template.execute()
        taken = 1_000 - (effort.left() or 0)
        assert 100 <= taken < 300
        for _ in range(1_000 // taken - 1):
            template.execute()
        with pytest.raises(TemplateError, match="more than 1,000 steps of effort"):
            template.execute()
    finally:
        effort.end()
    assert effort.begin(1_000)
    try:
        with pytest.raises(TemplateError, match=r"more than 50 steps \(Limits.steps\)"):
            parse("{{range 100}}x{{end}}", limits=TemplateLimits(steps=50)).execute()
    finally:
        effort.end()


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("trunc `5` `b`", "<`5`>: expected integer; found `5`"),
        ("trunc true `b`", "<true>: expected integer; found true"),
        ("trunc 1.5 `b`", "<1.5>: expected integer; found 1.5"),
        ("ternary 1 2 `x`", "<`x`>: expected bool; found `x`"),
        ("ternary 1 2 1", "<1>: expected bool; found 1"),
        ("round 1.5 1 `x`", "<`x`>: expected float; found `x`"),
        ("round 1.5 1 true", "<true>: expected float; found true"),
        ("upper 5", "<5>: expected string; found 5"),
        ("upper true", "<true>: expected string; found true"),
    ],
)
def test_a_literal_of_another_kind(call: str, problem: str) -> None:
    """Go names the kind that the function wants, and the literal as it is written."""
    assert f"at {problem}" in error(f"{{{{{call}}}}}", functions="sprig").message
    assert (
        run("{{trunc 1 `bc`}}{{ternary 1 2 true}}{{round 1.5 0 1.0}}{{upper `a`}}", functions="sprig")
        == "b11A"
    )


@pytest.mark.parametrize("function", ["html", "js", "urlquery"])
def test_escaping_takes_effort(function: str) -> None:
    """More for a longer text: in a run it ends as any other work does."""
    template = parse(f"{{{{{function} .}}}}")
    taken = []
    for size in (400, 400_000):
        assert effort.begin(1_000_000)
        template.execute("<" * size)
        taken.append(1_000_000 - (effort.left() or 0))
        effort.end()

    assert taken[1] > taken[0] + 90_000


def test_deep_data_do_not_use_up_the_stack() -> None:
    """Deep data can be walked; printing them is an error."""
    data: object = "end"
    for _ in range(5000):
        data = {"a": data}

    assert run("{{.a.a.a.a | len}}", data) == "1"
    assert "nested more than" in error("{{.a}}", data).message


def test_pythons_stack_is_the_last_limit() -> None:
    """Too large a depth for the stack is an error of the template all the same."""
    text = "{{define `a`}}{{if 1}}{{template `a`}}{{end}}{{end}}{{template `a`}}"

    assert "stack" in error(text, limits=TemplateLimits(depth=100_000)).message


def test_nothing_is_loaded_that_is_not_needed() -> None:
    """A template without sprig functions loads none of sprig."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(krmkit.__file__).parents[1])!r})\n"
        "from krmkit.libraries.gotemplate import parse\n"
        "print(parse('{{ .a }}{{ printf `%05d` 1 }}').execute({'a': 1}))\n"
        "print([m for m in sys.modules if 'sprig' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "100001\n[]\n"


def test_go_values_are_taken_as_they_are() -> None:
    """Converted once, executed often; functions that change their argument change it."""
    template = parse("{{printf `%T` .n}}{{$_ := set . `n` `x`}}", functions="sprig")
    data: dict[str, object] = {"n": 1}

    assert [template.execute(data, numbers="go"), template.execute(data, numbers="go")] == ["int", "string"]


@pytest.mark.parametrize(("sign", "before"), [(":=", ""), ("=", "{{$v := 1}}")])
def test_messages_show_assignments_as_written(sign: str, before: str) -> None:
    """A pipeline in a message says whether it declares its variable or assigns it."""
    message = error(before + "{{$v " + sign + " (.name | print) .n}}").message

    assert f"at <$v {sign} (.name | print) .n>" in message


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("{{range 0}}x{{else}}none{{end}}", "none"),
        ("{{range 0}}x{{end}}.", "."),
        ("{{range 2}}{{.}}{{else}}none{{end}}", "01"),
        ("{{$a_b := 1}}{{$a_b}}", "1"),
        ("{{$_ := 2}}{{$_}}", "2"),
    ],
)
def test_counts_and_names(text: str, output: str) -> None:
    """A range over nothing takes its else; an underscore is a letter of a name."""
    assert run(text) == output


@pytest.mark.parametrize("text", ["{{lt .l 1}}", "{{lt 1 .l}}", "{{lt .m .m}}", "{{gt .l .l}}"])
def test_what_has_no_order(text: str) -> None:
    """Lists and maps, on either side."""
    assert "invalid type for comparison" in str(error(text))


@pytest.mark.parametrize(
    ("first", "shown"),
    [
        pytest.param("{{.n}}", "<{{.n}}>", id="an action"),
        pytest.param("{{if .n}}{{end}}", "<{{if .n}}>", id="a control structure"),
        pytest.param("{{$y := 1}}", "<{{$y := 1}}>", id="a declaration"),
    ],
)
def test_a_long_list_that_writes_too_much(first: str, shown: str) -> None:
    """The error shows the first node of the list as it is written."""
    text = first + "0123456789{{.n}}" * 3_000
    with pytest.raises(TemplateError) as caught:
        parse(text, name="t", limits=TemplateLimits(output=9_000)).execute({"n": 1})

    assert f"at {shown}: the output has more than 9,000 characters" in caught.value.message
