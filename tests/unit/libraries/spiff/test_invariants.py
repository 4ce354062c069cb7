"""The rules of spiff, one by one: each case fails as soon as its rule is broken."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from krmkit.libraries.spiff import Merged, Options, SpiffError, SpiffLimits, merge
from krmkit.libraries.yaml import effort

Case = tuple[str, list[str], Any]


def result(template: str, stubs: list[str] | None = None, **options: Any) -> Any:
    """The document that a template gives."""
    return merge(template, stubs or [], Options(**options)).documents[0]


MARKERS: dict[str, Case] = {
    "local is left out": ("a: (( &local ( 1 ) ))\nb: (( a ))", [], {"b": 1}),
    "marked entries of a list are left out": ("l: [(( &temporary ( 1 ) )), 2, {a: (( &local ( 1 ) ))}]", [], {"l": [2, {}]}),
    "a map is temporary as its stub": ("a: {b: 1}\nc: (( a.b ))", ["a: {<<: (( &temporary )), b: 5}"], {"c": 5}),
    "a list is temporary as its stub": ("a: [1]\nc: (( a.[0] ))", ["a: [<<: (( &temporary ))]"], {"c": 1}),
    "a scalar is temporary as its stub": ("a: 1\nc: (( a ))", ["a: (( &temporary ( 2 ) ))"], {"c": 2}),
    "an overridden node stays temporary": ("a: (( &temporary ( 1 ) ))\nb: (( a ))", ["a: 3"], {"b": 3}),
    "a merged value is temporary as its stub": ("a: (( merge ))\nb: (( a ))", ["a: (( &temporary ( 3 ) ))"], {"b": 3}),
    "inject replaces as any stub": ("a: {b: 1}", ["a: {b: (( &inject ( 2 ) )), c: (( &inject ( 3 ) ))}"], {"a": {"b": 2, "c": 3}}),
    "injected entries of a list come first, once": ("l: [(( z )), 2]\nz: 1", ["l: [(( &inject ( 7 ) )), (( &inject ( 8 ) )), 9]"], {"l": [7, 8, 1, 2], "z": 1}),
    "a default does not replace what an expression gives": ("a: {b: (( 1 + 1 ))}", ["a: {b: (( &default ( 9 ) ))}"], {"a": {"b": 2}}),
    "the entries of a default map replace nothing": ("a: {b: {c: 1}}", ["a: {b: {<<: (( &default )), c: 5, d: 6}}"], {"a": {"b": {"c": 1}}}),
    "those further in do, in plain data": ("a: {b: {c: {e: 1}}}", ["a: {b: {<<: (( &default )), c: {e: 5}}}"], {"a": {"b": {"c": {"e": 5}}}}),
    "those further in do, beside expressions": ("a: {b: {c: {e: 1, f: (( 1 ))}}}", ["a: {b: {<<: (( &default )), c: {e: 5}}}"], {"a": {"b": {"c": {"e": 5, "f": 1}}}}),
    "a merge asks for those of a default map": ("a: {b: {<<: (( merge )), c: 1}}", ["a: {b: {<<: (( &default )), c: 5, d: 6}}"], {"a": {"b": {"c": 1, "d": 6}}}),
    "a default goes through stubs": ("a: {}", ["a: {}", "a: {b: (( &default ( 9 ) ))}"], {"a": {"b": 9}}),
    "dynamic has the names of where it is injected": ("m: {x: 1}", ["x: 5\nm: {t: (( &dynamic &template &inject ( x ) ))}"], {"m": {"x": 1, "t": 1}}),
    "dynamic goes through stubs": ("m: {x: 1}", ["m: {x: 2}", "x: 5\nm: {t: (( &dynamic &template &inject ( x ) ))}"], {"m": {"x": 2, "t": 2}}),
    "dynamic in place of a scalar": ("m: {x: 1, t: 0}", ["x: 5\nm: {t: (( &dynamic &template ( x ) ))}"], {"m": {"x": 1, "t": 1}}),
    "a dynamic map": ("m: {x: 1}", ["x: 5\nm: {t: {<<: (( &dynamic &template &inject )), v: (( x ))}}"], {"m": {"x": 1, "t": {"v": 1}}}),
    "dynamic in its own document": ("x: 1\nt: (( &dynamic &template ( x ) ))", [], {"x": 1, "t": 1}),
    "a reference to a dynamic one": ("x: 1\nt: (( &temporary &dynamic &template ( x ) ))\nu: (( t ))", [], {"x": 1, "u": 1}),
    "dynamic in a list": ("m: {x: 1, l: []}", ["x: 5\nm: {l: [(( &inject &dynamic &template ( x ) ))]}"], {"m": {"x": 1, "l": [1]}}),
}  # fmt: skip
MERGES: dict[str, Case] = {
    "stubs see those on their right": ("a: 1\nb: 2", ["a: (( stub(c) ))", "c: 7\nb: 3"], {"a": 7, "b": 3}),
    "a nil of merge none": ("a: (( merge none ))\nb: {c: (( merge none ))}", ["a: 5\nb: {c: 5}"], {"a": None, "b": {"c": None}}),
    "a merged expression has its file": ("a: {b: (( merge ))}\nc: (( a.b ))", ["a: {b: (( __ctx.FILE ))}"], {"a": {"b": "stub1"}, "c": "stub1"}),
    "the first stub wins": ("a: (( stub(q) ))", ["q: {x: 1}", "q: 5"], {"a": {"x": 1}}),
    "a merged value is not replaced again": ("a: (( merge b ))", ["a: 1\nb: 2"], {"a": 2}),
    "a failed expression takes the stub's value": ("a: (( 1 / 0 ))\nc: (( a ))", ["a: 3"], {"a": 3, "c": 3}),
    "merge none reaches all below": ("a: {<<: (( merge none )), b: 1, c: {d: 2}, e: (( 1 + 1 )), f: [{v: 1}]}", ["a: {b: 5, c: {d: 6}, e: 7, f: [{v: 8}]}"], {"a": {"b": 1, "c": {"d": 2}, "e": 2, "f": [{"v": 1}]}}),
    "a path leads all below": ("a: {<<: (( merge x )), b: {c: 1}, d: (( 0 + 1 ))}", ["x: {b: {c: 2}, d: 4}\na: {b: {c: 3}, d: 5}"], {"a": {"b": {"c": 2}, "d": 4}}),
    "a path below merge none": ("a: {<<: (( merge none )), b: {<<: (( merge x )), c: 1, e: {f: 1}}}", ["x: {c: 2, e: {f: 3}}\na: {b: {c: 9}}"], {"a": {"b": {"c": 2, "e": {"f": 3}}}}),
    "a path of a list": ("l:\n- <<: (( merge x ))\n- {name: a, v: 1}", ["x: [{name: a, v: 5}, {name: b, v: 6}]\nl: [{name: a, v: 7}]"], {"l": [{"name": "b", "v": 6}, {"name": "a", "v": 5}]}),
    "replace by nil": ("a: {<<: (( merge replace )), b: 1}", ["a: ~"], {"a": {}}),
    "replace by a map": ("a: {<<: (( merge replace )), b: 1}", ["a: {c: (( 1 + 1 ))}"], {"a": {"c": 2}}),
    "an insertion leaves the others alone": ("l:\n- {v: 1}\n- <<: (( merge ))", ["l: [{v: 2}, {v: 3}]"], {"l": [{"v": 1}, {"v": 2}, {"v": 3}]}),
    "names that stand twice are none": ("l: [{name: a, v: 1}, {name: a, v: 2}]", ["l: [{name: b, v: 8}, {name: c, v: 9}]"], {"l": [{"name": "b", "v": 8}, {"name": "c", "v": 9}]}),
    "an index on demand": ("l: [{'key:!name': a, v: 1}]", ["l: [{v: 5}]"], {"l": [{"name": "a", "v": 5}]}),
    "a name that is merged": ("l:\n- name: (( merge ))\n  v: 2", ["l: [{name: b, v: 3}]"], {"l": [{"name": "b", "v": 3}]}),
    "a name that is an expression": ("l:\n- name: (( \"b\" ))\n  v: 2", ["l: [{name: a, v: 9}, {name: b, v: 3}]"], {"l": [{"name": "b", "v": 3}]}),
    "only a merge that replaces alone does": ("a:\n  <<: (( (merge replace b) { $c = 2 } ))\n  z: 1", ["b: {x: 1}"], {"a": {"x": 1, "c": 2, "z": 1}}),
    "an index for all entries": ("l:\n- {'key:!id': a, v: 1}\n- {id: b, v: 2}", ["l: [{id: b, v: 5}, {id: a, v: 6}]"], {"l": [{"id": "b", "v": 5}, {"id": "a", "v": 6}]}),
    "merge on a key": ("l:\n- <<: (( merge on id ))\n- {id: a, v: 1}", ["l: [{id: b, v: 3}, {id: a, v: 2}, {v: 9}]"], {"l": [{"id": "b", "v": 3}, {"v": 9}, {"id": "a", "v": 2}]}),
    "a list inserted takes nothing injected": ("l:\n- <<: (( m ))\n- 1\nm: [2]", ["l: [(( &inject ( 7 ) ))]"], {"l": [2, 1], "m": [2]}),
    "entries of the map win over merged ones": ("a: {<<: (( m )), b: 1}\nm: {b: 2, c: 3}", [], {"a": {"b": 1, "c": 3}, "m": {"b": 2, "c": 3}}),
    "the key field goes with a list": ("l: (( m ))\nm: [{'key:id': a, v: 1}]\nv: (( l.a.v ))\nw: (( (m).a.v ))", ["l: [{id: a, v: 2}]"], {"l": [{"id": "a", "v": 2}], "m": [{"id": "a", "v": 1}], "v": 2, "w": 1}),
    "a tag stays on a replaced node": ("a: (( &tag:t ( 1 ) ))\nb: (( t::. ))", ["a: 3"], {"a": 3, "b": 3}),
    "undefined entries of a list": ("l:\n- (( ~~ ))\n- 1\n- (( ~~ ))\nm: (( l ))", [], {"l": [1], "m": [1]}),
}  # fmt: skip
EXPRESSIONS: dict[str, Case] = {
    "a projection in the order of keys": ("m: {b: 1, a: 2}\nv: (( m.[*] ))", [], {"m": {"a": 2, "b": 1}, "v": [2, 1]}),
    "mappings and sums in the order of keys": ("m: {b: 1, a: 2}\nv: (( map[m|k,v|->k v] ))\nw: (( sum[m|\"\"|s,k,v|->s k] ))", [], {"m": {"a": 2, "b": 1}, "v": ["a2", "b1"], "w": "ab"}),
    "nil is dropped": ("a: (( map[[1,2]|x|->x == 1 ? nil :x] ))", [], {"a": [2]}),
    "a mapping over what comes later": ("m: (( map[l|x|->x] ))\nl: [(( z )), 2]\nz: 3", [], {"m": [3, 2], "l": [3, 2], "z": 3}),
    "a sum over what comes later": ("m: (( sum[l|0|s,x|->s + x] ))\nl: [(( z )), 2]\nz: 3", [], {"m": 5, "l": [3, 2], "z": 3}),
    "catch of what comes later": ("a: (( catch(b) ))\nb: (( c ))\nc: 1", [], {"a": {"error": "", "valid": True, "value": 1}, "b": 1, "c": 1}),
    "a closure": ("a: (( (|x|->|y|->x * 10 + y)(1)(2) ))", [], {"a": 12}),
    "parameters hide a closure's": ("a: (( (|x|->|x|->x)(1)(2) ))", [], {"a": 2}),
    "currying with all arguments": ("a: (( (|x,y|->x - y)*(10)*(3)() ))", [], {"a": 7}),
    "a default has the names of its definition": ("b: 1\nf: (( |x=b|->x ))\nm: {b: 2, v: (( .f() ))}", [], {"b": 1, "f": "(( lambda|x=1|->x ))", "m": {"b": 2, "v": 1}}),
    "a lambda in a lambda has its place": ("lib:\n  v: 5\n  f: (( &temporary ( |x|->|y|->_.v + x + y ) ))\nv: 1\na: {v: 7, c: (( .lib.f(1)(1) ))}", [], {"lib": {"v": 5}, "v": 1, "a": {"v": 7, "c": 7}}),
    "a curried lambda has its place": ("lib:\n  v: 5\n  f: (( &temporary ( |x,y|->_.v + x + y ) ))\na: {v: 7, c: (( .lib.f(1)(1) ))}", [], {"lib": {"v": 5}, "a": {"v": 7, "c": 7}}),
    "an undefined template": ("t: (( &temporary &template ( ~~ ) ))\na: (( *t ))\nb: 1", [], {"b": 1}),
    "a template twice": ("t: {<<: (( &temporary &template )), v: (( x ))}\na: (( ($x = 1) *t ))\nb: (( ($x = 2) *t ))", [], {"a": {"v": 1}, "b": {"v": 2}}),
    "a template's own place": ("lib: {v: 5, t: {<<: (( &temporary &template )), a: (( _.v )), b: (( v ))}}\nv: 1\nx: (( *lib.t ))", [], {"lib": {"v": 5}, "v": 1, "x": {"a": 5, "b": 1}}),
    "undefined, nil and empty": ('a: (( ~~ || 3 ))\nb: (( nil || 3 ))\nc: (( nil // 3 ))\nd: (( "" // 3 ))', [], {"a": 3, "b": None, "c": 3, "d": ""}),
    "a fallback waits": ("a: (( b || 3 ))\nb: (( c ))\nc: 4", [], {"a": 4, "b": 4, "c": 4}),
    "a fallback forgets the error": ("a: (( q || 3 ))\nb: (( a ))", [], {"a": 3, "b": 3}),
    "sync of a value and of an error": ("a: (( sync[1 / 0|v,e|->true] ))\nb: (( sync[5|v,e|->true] ))\nc: (( sync(5, valid, value + 1) ))", [], {"a": "division by zero", "b": 5, "c": 6}),
    "numbers as Go prints them": ("a: (( 1.0 ))\nb: (( 2.5 ))\nc: 1e19", [], {"a": 1, "b": 2.5, "c": 1e19}),
    "numbers have 64 bits": ("a: (( 9223372036854775807 + 1 ))\nb: (( -9223372036854775807 - 2 ))\nc: (( 9223372036854775807 * 2 ))", [], {"a": -(1 << 63), "b": (1 << 63) - 1, "c": -2}),
    "floats have no limit": ("c: 1e19\na: (( c * 2 ))\nb: (( c + c ))\nd: (( c - 2.5 ))", [], {"c": 1e19, "a": 2e19, "b": 2e19, "d": 1e19}),
    "the outermost map of a list": ("- name: a\n  b: {c: 1}\n  v: (( .__map.b.c ))", [], [{"name": "a", "b": {"c": 1}, "v": 1}]),
    "a key with the name of the outermost map": ("__map: {a: 1}\nm: (( .__map.a ))", [], {"__map": {"a": 1}, "m": 1}),
    "division goes to zero": ("a: (( -7 / 2 ))\nb: (( -7 % 3 ))\nc: (( 7 % -3 ))\nd: (( -6 / -4 ))", [], {"a": -3, "b": -1, "c": 1, "d": 1}),
    "a float is true": ("a: (( 0.0 ? 1 :2 ))\nb: (( [] ? 1 :2 ))", [], {"a": 1, "b": 2}),
    "nil entries are not equal": ("a: (( [nil] == [nil] ))\nb: (( {$x = nil} == {$x = nil} ))", [], {"a": False, "b": False}),
    "an undefined entry on the way": ("m: {a: (( ~~ )), c: 1}\nb: (( m.a || 5 ))\nx: (( ~~ ))\nz: (( x || 6 ))", [], {"m": {"c": 1}, "b": 5, "z": 6}),
    "a tag with dots": ("a: (( &tag:t.x ( 5 ) ))\nc: (( t:x::. ))", [], {"a": 5, "c": 5}),
    "stubs leave no tags": ("c: (( t::. || 7 ))\nd: (( u::. || 8 ))", ["a: (( &tag:t ( 1 ) ))\nb: (( &tag:*u ( 2 ) ))"], {"c": 7, "d": 8}),
}  # fmt: skip


@pytest.mark.parametrize(
    ("template", "stubs", "value"),
    [pytest.param(*case, id=name) for name, case in {**MARKERS, **MERGES, **EXPRESSIONS}.items()],
)
def test_rule(template: str, stubs: list[str], value: Any) -> None:
    """A template with its stubs gives this document."""
    assert result(template, stubs) == value


STATES: dict[str, tuple[str, list[str], Any]] = {
    "the state comes last": ("a: (( &state ( 1 ) ))", ["a: 5"], {"a": 9}),
    "only what is marked": ("a: (( &state ( 1 ) ))\nb: 2\nm: {c: (( &state ( 1 ) ))}", [], {"a": 9}),
    "a map is state as its stub": ("a: {b: 1}\nc: 3", ["a: {<<: (( &state )), b: 5}"], {"a": {"b": 5}}),
    "an overridden node stays state": ("a: (( &state ( 1 ) ))", ["b: 3"], {"a": 9}),
    "a merged value is state as its stub": ("c: (( merge x ))", ["x: (( &state ( 3 ) ))"], {"c": 3}),
    "entries of a list": ("- (( &state ( 1 ) ))\n- 2", [], [1]),
}  # fmt: skip


@pytest.mark.parametrize(("template", "stubs", "state"), STATES.values(), ids=STATES.keys())
def test_state(template: str, stubs: list[str], state: Any) -> None:
    """The next state holds the marked nodes; that of the last run replaces what no stub has."""
    assert merge(template, stubs, Options(state={"a": 9})).state == state


def test_order() -> None:
    """Keys are sorted, with escapes or without."""
    assert list(result("b: 1\na: 2")) == ["a", "b"]
    assert list(result('b: 1\na: 2\n"<<!x": 3')) == ["<<x", "a", "b"]
    assert result('"<<!x": 1', preserve_escapes=True) == {"<<!x": 1}


def partial(template: str, stubs: list[str] | None = None) -> Merged:
    return merge(template, stubs or [], Options(partial=True))


def test_partial() -> None:
    """What is open is text, and nothing is removed or unescaped; a document without anything open is as always."""
    found = partial("t: (( &temporary ( 1 ) ))\na: (( q ))\nm: {b: (( 1 + 1 )), c: [(( r ))]}\ne: ((!x))")

    assert found.documents == [{"t": 1, "a": "(( q ))", "m": {"b": 2, "c": ["(( r ))"]}, "e": "((!x))"}]
    assert partial("t: (( &temporary ( 1 ) ))\ne: ((!x))").documents == [{"e": "((x))"}]


def test_partial_stub() -> None:
    """An open expression of a stub is one of the document that takes it."""
    found = partial("a: 1\nb: 2", ["a: (( q ))\nb: 5"])

    assert found.documents == [{"a": "(( q ))", "b": 5}]
    assert found.error is not None and "(( q ))\tin stub1\ta\t()\t*'q' not found" in found.error.message


def test_partial_merge() -> None:
    """An expression that `merge` takes keeps the file that it came from."""
    found = partial("a: (( merge b ))", ["b: (( q ))"])

    assert found.error is not None and found.error.message.endswith(
        "\t(( q ))\tin stub1\ta\t()\t*'q' not found"
    )


def test_partial_merge_that_replaces() -> None:
    """An open expression that replaces stays as it is: it is not evaluated again where it is now."""
    found = partial("a: (( merge replace b ))", ["b: (( q ))"])

    assert found.documents == [{"a": "(( q ))"}]
    assert found.error is not None and found.error.message.endswith("\t(( q ))\tin stub1\ta\t()")


def test_partial_stub_that_is_not_complete() -> None:
    """Nothing is taken from a map of a stub whose merge is open."""
    assert partial("a: {b: 1}", ["a: {<<: (( q )), b: 2}"]).documents == [{"a": {"b": 1}}]


def test_partial_tag() -> None:
    """A tag that is taken ends no flow: what its node asked for first is done to the end."""
    opening = "a: (( &tag:t ( 1 ) ))\nb: (( &tag:t ( valid(c) ) ))\n"
    late = "d: {<<: (( e ))}\ne: {<<: (( f ))}\nf: {x: 1}\n"
    found = partial(opening + 'c: (( { $v = "((" " 1 + 1 ))", $w = d.x } ))\n' + late)

    assert found.documents[0]["c"] == {"v": 2, "w": 1}
    assert found.error is not None and "duplicate tag" in found.error.message


def test_partial_stream() -> None:
    """The first error counts; it names its document."""
    found = partial("a: (( q ))\n---\nb: (( r ))\n")

    assert found.documents == [{"a": "(( q ))"}, {"b": "(( r ))"}]
    assert found.error is not None and found.error.message.startswith(
        "document 1: unresolved nodes:\n\t(( q ))"
    )


def test_streams() -> None:
    """Documents have numbers from both ends; an empty document at the end is none."""
    numbers = "b: (( doc.1::a ))\nc: (( doc.2::a ))\nd: (( doc.-1::a ))\ne: (( doc.-2::a ))\nf: (( doc.0::a || 7 ))\ng: (( doc.3::a || 8 ))"
    found = merge(f"a: 1\n---\na: 2\n---\n{numbers}\n").documents

    assert found[2] == {"b": 1, "c": 2, "d": 2, "e": 1, "f": 7, "g": 8}
    assert merge("a: 1\n---\n---\n").documents == [{"a": 1}]


def test_tags_of_a_stream() -> None:
    """A global tag stays, a local one goes; a global one is set once."""
    template = "a: (( &tag:*t ( 1 ) ))\nb: (( &tag:u ( 2 ) ))\n---\nc: (( t::. ))\nd: (( u::. || 3 ))\n"

    assert merge(template).documents == [{"a": 1, "b": 2}, {"c": 1, "d": 3}]
    with pytest.raises(SpiffError, match='duplicate tag "t": a in foreign document'):
        merge("a: (( &tag:*t ( 1 ) ))\n---\na: (( &tag:t ( 2 ) ))\n")


CONTROLS: dict[str, tuple[str, Any]] = {
    "a missing branch is undefined": ("a: {<<if: false, <<then: 1}\nb: 1", {"b": 1}),
    "markers stay": ("a:\n  <<: (( &temporary ))\n  <<if: true\n  <<then: 1\nb: (( a ))", {"b": 1}),
    "the index": ("a:\n  <<for: {x: [7, 8]}\n  <<do: (( x index-x ))", {"a": ["70", "81"]}),
    "the last variable runs fastest": ("a: {<<for: {x: [1, 2], i: [3, 4]}, <<do: (( i * 10 + x ))}", {"a": [31, 32, 41, 42]}),
    "undefined rounds": ("a: {<<for: {x: [7, 8]}, <<do: (( x == 7 ? ~~ :x ))}", {"a": [8]}),
    "undefined keys": ('a: {<<for: {x: [7, 8]}, <<mapkey: (( x == 7 ? ~~ :"k" )), <<do: (( x ))}', {"a": {"k": 8}}),
    "nil keys": ('a: {<<for: {x: [7, 8]}, <<mapkey: (( x == 7 ? nil :"k" )), <<do: (( x ))}', {"a": {"k": 8}}),
    "a merge wins": ("a: {<<merge: {b: 2}, b: 1}", {"a": {"b": 2}}),
}  # fmt: skip


@pytest.mark.parametrize(("template", "value"), CONTROLS.values(), ids=CONTROLS.keys())
def test_control(template: str, value: Any) -> None:
    """A control structure stands for this."""
    assert result(template, features=["control"]) == value


def test_the_place_in_a_branch() -> None:
    """A message says where below the structure an expression stands."""
    with pytest.raises(SpiffError) as error:
        result("a: {<<if: true, <<then: (( q ))}", features=["control"])

    assert error.value.message == "unresolved nodes:\n\t(( q ))\tin template\ta\t(...<<then)\t*'q' not found"


def test_a_number_is_no_condition() -> None:
    """Only bools and nil decide."""
    with pytest.raises(SpiffError, match=r"<if control>.*invalid condition value type: int"):
        result("a: {<<if: 0, <<then: 1}", features=["control"])


Limited = tuple[str, str, int]
LIMITS: dict[str, Limited] = {
    "passes: text, expression, value": ("a: (( 1 ))", "passes", 2),
    "passes: merges of merges": ("a: {<<: (( b ))}\nb: {<<: (( c ))}\nc: {<<: (( d ))}\nd: {e: 1}", "passes", 5),
    "passes: a value behind and before what asks for it": ("a: (( b ))\nb: (( 1 ))\nc: (( b ))", "passes", 2),
    "passes: a dynamic template": ("t: (( &dynamic &template ( 1 ) ))", "passes", 3),
    "passes: mappings of what comes later": ("a: (( map[b|x|->x] ))\nb:\n- (( map[c|x|->x] ))\nc:\n- (( 1 ))", "passes", 2),
    "passes: sums of what comes later": ("a: (( sum[b|0|s,x|->s + x] ))\nb:\n- (( sum[c|0|s,x|->s + x] ))\nc:\n- (( 1 ))", "passes", 2),
    "evaluations: a map twice and an expression": ("a: (( 1 ))", "steps", 3),
    "evaluations: a lambda": ("t: (( |x|->1 ))\na: (( .t(1) ))", "steps", 7),
    "evaluations: a function": ('a: (( length("") ))', "steps", 4),
    "evaluations: a function of the caller": ("a: (( own() ))", "steps", 4),
    "nodes: a range": ("a: (( [1..10] ))", "nodes", 10),
    "nodes: a list": ("a: (( [1, 2, 3] ))", "nodes", 3),
    "nodes: a map": ("a: (( {$x = 1, $z = 2} ))", "nodes", 2),
    "nodes: a mapping": ("a: (( map[l|x|->x] ))\nl: [1, 2, 3]", "nodes", 3),
    "nodes: a projection": ("a: (( l.[*].v ))\nl: [{v: 1}, {v: 2}, {v: 3}]", "nodes", 3),
    "nodes: a set of addresses": ('a: (( ipset("10.0.0.0/24", 3) ))', "nodes", 3),
    "nodes: a set of fewer than none": ('a: (( ipset("10.0.0.0/24", -5) ))\nb: (( [1, 2, 3] ))', "nodes", 3),
    "nodes: lists": ("a: (( l l ))\nl: [1, 2, 3]", "nodes", 4),
    "nodes: texts": (f"a: (( l l ))\nl: {'x' * 64}", "nodes", 2),
    "nodes: rounds": ("a: {<<for: {x: [1, 2, 3]}, <<do: 1}", "nodes", 3),
    "held: lists in a list": ("a: (( [[1, 2], [3]] ))", "held", 5),
    "held: one list twice": ("a: (( [l, l] ))\nl: [1, 2, 3]", "held", 8),
    "held: what is compared": ("a: (( [1, 2] == [1, 2] ))", "held", 2),
    "depth: calls": ("f: (( |x|->x < 1 ? 1 :_(x - 1) ))\na: (( .f(3) ))", "depth", 4),
    "depth: one call after another": ("f: (( |x|->x ))\na: (( .f(1) + .f(2) + .f(3) ))", "depth", 1),
    "depth: one template after another": ("t: (( &template ( 1 ) ))\na: (( *t + *t + *t ))", "depth", 1),
    "output: texts": ("a: abc", "output", 19),
    "output: numbers": ("[1, 2, 3]", "output", 32),
}  # fmt: skip


@pytest.mark.parametrize(("template", "limit", "count"), LIMITS.values(), ids=LIMITS.keys())
def test_limit(template: str, limit: str, count: int) -> None:
    """What needs so many ends with so many, and fails with one less."""
    options: dict[str, Any] = {"features": ["control"], "functions": {"own": lambda: 1}}

    assert result(template, limits=SpiffLimits(**{limit: count}), **options)
    with pytest.raises(SpiffError, match=f"the template needs more than {count - 1} ") as error:
        result(template, limits=SpiffLimits(**{limit: count - 1}), **options)
    assert error.value.kind == "limit"


def test_nothing_made_counts_nothing() -> None:
    """An empty set of addresses needs no node."""
    assert result('a: (( ipset("10.0.0.0/24", 0) ))', limits=SpiffLimits(nodes=0)) == {"a": []}


def test_the_interpreter_is_left_as_it_was() -> None:
    """A run needs room for deep expressions; afterwards all is as before, also when it fails."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(2_500)
    try:
        merge("a: (( 1 ))")
        with pytest.raises(SpiffError):
            merge("a: (( q ))")
        after = sys.getrecursionlimit()
    finally:
        sys.setrecursionlimit(before)

    assert after == 2_500


def test_a_long_chain() -> None:
    """A chain that is longer than expressions can be nested ends, in some passes more."""
    count = 3_000
    template = "".join(f"a{i:04d}: (( a{i + 1:04d} ))\n" for i in range(count)) + f"a{count}: 7\n"

    assert result(template)["a0000"] == 7


def drawn(template: str) -> int:
    """The effort that a template takes."""
    effort.begin(1_000_000)
    try:
        merge(template + "# a long comment, so that what a document of this size takes anyway is free\n")
        return 1_000_000 - (effort.left() or 0)
    finally:
        effort.end()


def test_effort() -> None:
    """What a document takes anyway is free; many nodes and evaluations draw on the budget."""
    assert drawn("a: (( 1 ))\n") == 0
    assert drawn("a: (( [1..100] ))\n") == 600
    assert drawn("f: (( |n|->n < 1 ? 1 :_(n - 1) ))\na: (( .f(50) ))\n") > 50 * 3 * 16 - 1_000


def test_whole_floats_are_ints() -> None:
    """A float without a fraction is written as an int."""
    assert [type(value) for value in result("- (( 1.0 ))\n- (( 2.5 ))\n- 1e19")] == [int, float, float]
