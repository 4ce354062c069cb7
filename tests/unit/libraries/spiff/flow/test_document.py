"""Templates with stubs: maps, lists, overrides, markers, templates, lambdas."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.spiff import Options, SpiffError, merge

Case = tuple[str, list[str], Any]
CASES: dict[str, Case] = {
    "a reference": ("a: (( b.c ))\nb: {c: 1}", [], {"a": 1, "b": {"c": 1}}),
    "a chain backwards": ("a: (( b ))\nb: (( c ))\nc: (( d ))\nd: 4", [], dict.fromkeys("abcd", 4)),
    "inner names hide outer ones": ("x: 1\nm: {x: 2, v: (( x )), z: (( .x ))}", [], {"x": 1, "m": {"x": 2, "v": 2, "z": 1}}),
    "a stub replaces a scalar": ("a: 1\nb: {c: 2}", ["a: 5\nb: {c: 6, d: 7}"], {"a": 5, "b": {"c": 6}}),
    "a stub with a map replaces a scalar": ("a: 1", ["a: {b: 2}"], {"a": {"b": 2}}),
    "a scalar does not replace a map": ("a: {b: 1}", ["a: 2"], {"a": {"b": 1}}),
    "stubs are processed from the right": ("a: 1\nb: 1", ["a: 2", "a: 3\nb: 3"], {"a": 3, "b": 3}),
    "a stub replaces what an expression gives": ("a: (( {} ))", ["a: {b: 1}"], {"a": {"b": 1}}),
    "prefer merges instead": ("a: (( prefer b ))\nb: {c: 1, d: 2}", ["a: {c: 5}"], {"a": {"c": 5, "d": 2}, "b": {"c": 1, "d": 2}}),
    "merge adds entries": ("a:\n  <<: (( merge ))\n  b: 1", ["a: {b: 2, c: 3}"], {"a": {"b": 2, "c": 3}}),
    "an optional merge": ("a:\n  <<: (( merge ))\n  b: 1", [], {"a": {"b": 1}}),
    "a merge from elsewhere": ("a:\n  <<: (( merge x.v ))\n  b: 1", ["x: {v: {b: 2, c: 3}}"], {"a": {"b": 2, "c": 3}}),
    "merge replace": ("a:\n  <<: (( merge replace ))\n  b: 1", ["a: {c: 3}"], {"a": {"c": 3}}),
    "merge none": ("a:\n  <<: (( merge none ))\n  b: 1", ["a: {b: 3}"], {"a": {"b": 1}}),
    "entries of another map": ("a:\n  <<: (( b ))\n  v: 3\nb: {x: 1, v: 2}", [], {"a": {"x": 1, "v": 3}, "b": {"x": 1, "v": 2}}),
    "lists by name": (
        "l: [{name: a, v: 1}, {name: b, v: 2}]",
        ["l: [{name: b, v: 5}, {name: c, v: 6}]"],
        {"l": [{"name": "a", "v": 1}, {"name": "b", "v": 5}]},
    ),
    "lists by another key": ("l: [{'key:id': a, v: 1}]", ["l: [{id: x, v: 2}, {id: a, v: 3}]"], {"l": [{"id": "a", "v": 3}]}),
    "lists by index": ("l: [{v: 1}, 2]", ["l: [{v: 5}, 6]"], {"l": [{"v": 5}, 2]}),
    "lists by index, where not every entry has the key": (
        "l: [{name: a, v: 1}, {v: 2}]", ["l: [{name: z, v: 8}, {v: 9}]"], {"l": [{"name": "z", "v": 8}, {"v": 9}]},
    ),
    "no name is looked for in such a list": (
        "l: [{name: a, v: 1}, {w: 1}]", ["l: [{w: 2}, {name: a, v: 3}]"], {"l": [{"name": "a", "v": 1}, {"w": 1}]},
    ),
    "lists by index, where an entry is no map": (
        "l: [{name: a, v: 1}, text]", ["l: [{name: z, v: 8}, other]"], {"l": [{"name": "z", "v": 8}, "text"]},
    ),
    "lists by index, where two names are the same": (
        "l: [{name: a, v: 1}, {name: a, v: 2}]", ["l: [{name: a, v: 8}, {name: a, v: 9}]"],
        {"l": [{"name": "a", "v": 8}, {"name": "a", "v": 9}]},
    ),
    "lists by a name that is computed": (
        'l: [{name: (( "a" "b" )), v: 1}, {name: c, v: 2}]', ["l: [{name: c, v: 8}, {name: ab, v: 9}]"],
        {"l": [{"name": "ab", "v": 9}, {"name": "c", "v": 8}]},
    ),
    "insertion": (
        "l:\n- {name: a, v: 1}\n- <<: (( merge ))\n- {name: z, v: 9}",
        ["l: [{name: b, v: 2}, {name: a, v: 5}]"],
        {"l": [{"name": "a", "v": 5}, {"name": "b", "v": 2}, {"name": "z", "v": 9}]},
    ),
    "insertion without keys": ("l:\n- {v: 1}\n- <<: (( merge ))", ["l: [{v: 2}]"], {"l": [{"v": 1}, {"v": 2}]}),
    "another list inserted": ("l:\n- 1\n- <<: (( m ))\nm: [2, 3]", [], {"l": [1, 2, 3], "m": [2, 3]}),
    "undefined entries disappear": ("a: (( ~~ ))\nl: [1, (( ~~ ))]\nb: (( a || 2 ))", [], {"l": [1], "b": 2}),
    "temporary": ("a: (( &temporary ( 1 ) ))\nb: (( a ))\nc:\n  <<: (( &temporary ))\n  d: 1", [], {"b": 1}),
    "temporary in a stub is seen by the template": ("b: (( stub(a) ))", ["a: (( &temporary ( 3 ) ))"], {"b": 3}),
    "local in a stub is not": ("b: (( stub(a) || 1 ))", ["a: (( &local ( 3 ) ))"], {"b": 1}),
    "inject": ("a: {}", ["a: {b: (( &inject ( 1 ) )), c: 2}"], {"a": {"b": 1}}),
    "default": ("a: {b: 5}", ["a: {b: (( &default ( 1 ) )), c: (( &default ( 2 ) ))}"], {"a": {"b": 5, "c": 2}}),
    "escapes": ("a: ((!x))\nb: ((!!x))", [], {"a": "((x))", "b": "((!x))"}),
    "a block scalar with a line break is text": ("a: |\n  (( 1 ))\n", [], {"a": "(( 1 ))\n"}),
    "a folded expression": ("a: >-\n  (( 1 +\n  2 ))", [], {"a": 3}),
    "lambdas": ("f: (( |x,y=2|->x * y ))\na: (( .f(3) ))\nb: (( .f(3, 4) ))\nc: (( .f(y=5, x=1) ))", [], {"f": "(( lambda|x,y=2|->x * y ))", "a": 6, "b": 12, "c": 5}),
    "currying": ("f: (( |x,y|->x - y ))\ng: (( .f(10) ))\na: (( .g(3) ))", [], {"f": "(( lambda|x,y|->x - y ))", "g": "(( lambda|y|->x - y ))", "a": 7}),
    "rest arguments": ("a: (( (|x,r...|->r)(1, 2, 3) ))", [], {"a": [2, 3]}),
    "recursion": ("f: (( |n|->n < 2 ? 1 :n * _(n - 1) ))\na: (( .f(10) ))", [], {"f": "(( lambda|n|->n < 2 ? 1 : n * _(n - 1) ))", "a": 3628800}),
    "scopes": ("a: (( ( $x = 2, $y = 3 ) x * y ))", [], {"a": 6}),
    "templates": ("t:\n  <<: (( &template ))\n  v: (( x ))\na: (( ( $x = 1 ) *t ))", [], {"t": {"<<": "(( &template ))", "v": "(( x ))"}, "a": {"v": 1}}),
    "mappings": ("a: (( map[[1,2]|i,x|->i + x] ))\nb: (( map{$l|x|->1} || map{[$l]|x|->1} ))", [], {"a": [1, 3], "b": {"l": 1}}),
    "selections": ("a: (( select[[1,2,3]|x|->x > 1] ))\nb: (( sum[[1,2]|0|s,x|->s + x] ))", [], {"a": [2, 3], "b": 3}),
    "projections": ("l: [{a: 1}, {a: 2}]\nb: (( l.[*].a ))\nc: (( l[1..].a ))\nd: (( l.[-1].a ))", [], {"l": [{"a": 1}, {"a": 2}], "b": [1, 2], "c": [2], "d": 2}),
    "tags": ("a:\n  <<: (( &tag:lib ))\n  x: 1\nb: (( lib::x ))", [], {"a": {"x": 1}, "b": 1}),
    "a scalar as document": ("(( 1 + 2 ))", [], 3),
    "a list as document": ("- 1\n- (( .[0] ))", [], [1, 1]),
    "anchors": ("a: &x {b: 1}\nc: *x", [], {"a": {"b": 1}, "c": {"b": 1}}),
    "an empty template": ("", [], None),
    "the context": ("a: (( __ctx.PATHNAME ))\nb: (( __ctx.FILE ))", [], {"a": "a", "b": "template"}),
}  # fmt: skip


@pytest.mark.parametrize(("template", "stubs", "expected"), CASES.values(), ids=CASES.keys())
def test_merge(template: str, stubs: list[str], expected: Any) -> None:
    """A template gives its document, and its result given again as template gives the same."""
    found = merge(template, stubs).documents

    assert found == [expected]


ERRORS = {
    "not found": ("a: (( b ))", "(( b ))\tin template\ta\t()\t*'b' not found"),
    "a cycle": ("a: (( b ))\nb: (( a ))", "(( a ))\tin template\tb\t()\t@'a' unresolved"),
    "what depends on a failure": ("a: (( 1 / 0 ))\nb: (( a ))", "(( a ))\tin template\tb\t()\t-'a' unresolved"),
    "a merge without stub": ("a: (( merge ))", "(( merge ))\tin template\ta\t(a)\t*'a' not found in any stub"),
    "two merge keys": ("a: {<<: (( b )), <<<: (( b ))}\nb: {}", "<map>\tin template\ta\t()\t*multiple merge keys not allowed"),
    "a scalar inserted": ("a: {<<: (( 1 ))}", "<map>\tin template\ta\t()\t*require map value for '<<' insert, found 'int'"),
    "a function that nobody knows": ("a: (( g(1) ))", "(( g(1) ))\tin template\ta\t()\t*unknown function 'g'"),
    "too many arguments": ("a: (( (|x|->x)(1, 2) ))", "*found 2 argument(s), but expects 1"),
    "no expression": ("a: (( + ))", "(( + ))\tin template\ta\t()\t*parse error near symbol 1 - symbol 2: ' '"),
    "the path in a list": ("l: [{name: x, v: (( y ))}]", "l.[0].v\t(l.name:x.v)\t*'y' not found"),
    "inside a template": ("t: (( &template ( x ) ))\na: (( *t ))", "*resolution of template 't' failed"),
    "a tag twice": ("a: (( &tag:t ( 1 ) ))\nb: (( &tag:t ( 2 ) ))", '*duplicate tag "t": b <-> a'),
}  # fmt: skip


@pytest.mark.parametrize(("template", "line"), ERRORS.values(), ids=ERRORS.keys())
def test_unresolved(template: str, line: str) -> None:
    """A node without a value is listed with its path and the reason."""
    with pytest.raises(SpiffError) as error:
        merge(template)

    assert error.value.message.startswith("unresolved nodes:\n\t")
    assert line in error.value.message
    assert error.value.unresolved


def test_lines_have_fields() -> None:
    """The lines of an error can be read one by one."""
    with pytest.raises(SpiffError) as error:
        merge("a:\n  b: (( c ))")

    (line,) = error.value.unresolved
    assert (line.text, line.source, line.path, line.issue) == ("(( c ))", "template", "a.b", "*'c' not found")


def test_yaml_that_cannot_be_read() -> None:
    """A text that is no YAML is an error of its own kind."""
    with pytest.raises(SpiffError) as error:
        merge("a: [1")

    assert error.value.kind == "syntax"


def test_a_stub_is_one_document() -> None:
    """Several documents in a stub are an error."""
    with pytest.raises(SpiffError, match="a stub is one document"):
        merge("a: 1", ["a: 1\n---\nb: 1\n"])


def test_streams() -> None:
    """Documents of a template are processed one after the other; later ones see the earlier."""
    assert merge("a: 1\n---\nb: (( doc.1::a ))\nc: (( doc.-1::a ))\n").documents == [
        {"a": 1},
        {"b": 1, "c": 1},
    ]


def test_twice_is_once() -> None:
    """A result is a template that gives itself."""
    found = merge("a: (( 1 + 1 ))\nl: (( [1..3] ))\n").documents[0]

    from krmkit.libraries.spiff import evaluate

    assert evaluate(found).documents == [found]


def test_options_leave_their_input_alone() -> None:
    """Bindings are read and never changed."""
    names = {"a": {"b": [1, 2]}}

    assert merge("x: (( a.b ))", [], Options(bindings=names, floats=False)).documents == [{"x": [1, 2]}]
    assert names == {"a": {"b": [1, 2]}}
