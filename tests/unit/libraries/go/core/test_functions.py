"""Functions of one's own: how arguments are checked and converted, and methods of objects."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.functions import GoFunction, can_be_nil
from krmkit.libraries.go.core.values import GoObject, Int64, StringList, StringMap, type_of
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.gotemplate import TemplateError, function_set, parse


def show(*values: object) -> str:
    """Types and values of the arguments."""
    return " ".join(f"{type_of(value)}:{value}" for value in values)


def fail(message: str) -> str:
    raise GoError(message)


class Box(GoObject):
    """An object with a method for each number of arguments, and a field."""

    go_type = "*box.Box"
    go_kind = "ptr"
    go_methods = {
        "Name": GoFunction(lambda box: "box", result="string"),
        "Add": GoFunction(lambda box, one, other: one + other, ("int", "int"), result="int"),
        "Open": GoFunction(lambda box: fail("it is locked")),
        "Nothing": GoFunction(lambda box: None),
    }
    go_fields = {"Size": lambda box: 7}

    def go_string(self) -> str:
        return "a box"


FUNCTIONS = {
    "any": GoFunction(show, ("any",)),
    "anys": GoFunction(show, ("any",), True),
    "str": GoFunction(show, ("string",)),
    "int": GoFunction(show, ("int",)),
    "int64": GoFunction(show, ("int64",)),
    "float": GoFunction(show, ("float64",)),
    "bool": GoFunction(show, ("bool",)),
    "list": GoFunction(show, ("list",)),
    "map": GoFunction(show, ("map",)),
    "boxed": GoFunction(show, ("*box.Box",)),
    "many": GoFunction(show, ("int", "string"), True),
    "nothing": GoFunction(show),
    "three": GoFunction(lambda: 3, result="int"),
    "number": GoFunction(lambda: Int64(3)),
    "words": GoFunction(lambda: StringList(["a"]), result="[]string"),
    "pairs": GoFunction(lambda: StringMap({"k": "v"}), result="map[string]string"),
    "fail": GoFunction(fail, ("string",)),
    "break": GoFunction(lambda: "broken"),
}
DATA = {"s": "text", "f": 1.5, "null": None, "l": [], "m": {}, "box": Box()}


def run(text: str) -> str:
    return parse(text, name="t", functions=FUNCTIONS).execute(DATA)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("{{any nil}} {{any .no}} {{any .null}}", "<nil>:None <nil>:None <nil>:None"),
        ("{{str `a`}} {{str .s}} {{.s | str}}", "string:a string:text string:text"),
        ("{{int 3}} {{int 3.0}} {{int 'a'}} {{int three}}", "int:3 int:3 int:97 int:3"),
        ("{{int64 3}} {{number | int64}}", "int64:3 int64:3"),
        ("{{float 3}} {{float .f}}", "float64:3.0 float64:1.5"),
        ("{{bool true}} {{bool (eq 1 1)}}", "bool:True bool:True"),
        ("{{list .l}} {{list .no}} {{list nil}}", "[]interface {}:[] <nil>:None <nil>:None"),
        ("{{map .m}} {{map .no}}", "map[string]interface {}:{} <nil>:None"),
        ("{{many 1}} {{many 1 `a` .s}} {{`z` | many 1 `a`}} {{1 | many}}", "int:1 int:1 string:a string:text int:1 string:a string:z int:1"),
        ("{{nothing}}{{anys}} {{break}}", " broken"),
        ("{{range words}}{{.}}{{end}} {{(pairs).k}}", "a v"),
        ("{{.box}} {{.box.Name}} {{.box.Size}} {{.box.Add 1 2}} {{2 | .box.Add 1}}", "a box box 7 3 3"),
        ("{{with .box}}{{.Name}}{{$b := .}}{{$b.Add 3 4}}{{(any 1) | len}}{{end}}", "box75"),
    ],
)  # fmt: skip
def test_arguments(text: str, output: str) -> None:
    """Literals take the parameter's type; nil is allowed where Go has a nil."""
    assert run(text) == output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{str .f}}", "at <.f>: wrong type for value; expected string; got float64"),
        ("{{str 1}}", "at <1>: expected string; found 1"),
        ("{{str .no}}", "at <.no>: invalid value; expected string"),
        ("{{.no | str}}", "at <str>: invalid value; expected string"),
        ("{{int .f}}", "at <.f>: wrong type for value; expected int; got float64"),
        ("{{int 1.5}}", "at <1.5>: expected integer; found 1.5"),
        ("{{int64 three}}", "at <three>: wrong type for value; expected int64; got int"),
        ("{{float `1`}}", "at <`1`>: expected float; found `1`"),
        ("{{bool nil}}", "at <nil>: cannot assign nil to bool"),
        ("{{bool 1}}", "at <1>: expected bool; found 1"),
        ("{{list 1}}", "at <1>: can't handle 1 for arg of type []interface {}"),
        ("{{list words}}", "at <words>: wrong type for value; expected []interface {}; got []string"),
        ("{{map .null}}", "at <.null>: wrong type for value; expected map[string]interface {}; got interface {}"),
        ("{{boxed .s}}", "at <.s>: wrong type for value; expected *box.Box; got string"),
        ("{{many}}", "at <many>: wrong number of args for many: want at least 1 got 0"),
        ("{{any 1 2}}", "at <any>: wrong number of args for any: want 1 got 2"),
        ("{{nothing 1}}", "at <nothing>: wrong number of args for nothing: want 0 got 1"),
        ("{{fail `so`}}", "at <fail `so`>: error calling fail: so"),
        ("{{`so` | fail}}", "at <fail>: error calling fail: so"),
        ("{{.box.Open}}", "at <.box.Open>: error calling Open: it is locked"),
        ("{{.box.Add 1}}", "at <.box.Add>: wrong number of args for Add: want 2 got 1"),
        ("{{.box.Add 1 `a`}}", "at <`a`>: expected integer; found `a`"),
        ("{{.box.Size 1}}", "at <.box.Size>: Size has arguments but cannot be invoked as function"),
        ("{{.box.Name.x}}", "at <.box.Name.x>: can't evaluate field x in type string"),
        ("{{.box.Nothing.x}}", "at <.box.Nothing.x>: nil pointer evaluating interface {}.x"),
        ("{{.box.no}}", "at <.box.no>: can't evaluate field no in type interface {}"),
        ("{{(pairs).k.x}}", "at <pairs>: can't evaluate field x in type string"),
        ("{{range words}}{{.x}}{{end}}", "at <.x>: can't evaluate field x in type string"),
    ],
)  # fmt: skip
def test_wrong_arguments(text: str, message: str) -> None:
    """Go's messages, at the argument."""
    with pytest.raises(TemplateError) as caught:
        run(text)

    assert message in caught.value.message


def test_nil() -> None:
    """Slices, maps, pointers, functions and interfaces can be nil."""
    assert [name for name in ("[]int", "map[string]string", "*x.Y", "interface {}", "string", "int") if can_be_nil(name)] == [
        "[]int", "map[string]string", "*x.Y", "interface {}"
    ]  # fmt: skip


def test_sets() -> None:
    """The names of the sets; each is a copy."""
    assert function_set(None) == function_set("builtins") == {}
    assert "env" not in function_set("sprig")
    assert "now" not in function_set("hermetic")
    assert "toYaml" in function_set("landscaper")
    with pytest.raises(ValueError, match="no function set 'all'"):
        function_set("all")
