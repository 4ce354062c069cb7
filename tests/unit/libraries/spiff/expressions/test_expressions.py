"""The expressions of dynaml: operators, calls, lambdas, mappings, references, validators, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.spiff import Options, SpiffError, merge

OPERATORS: dict[str, Any] = {
    "[1] nil": [1],
    "[1] 2": [1, 2],
    "{ $a = 1 } nil": {"a": 1},
    "{ $a = 1, $b = 1 } { $b = 2 }": {"a": 1, "b": 2},
    'true "x"': "truex",
    "6 -and 3": 2,
    "5 -or 2": 7,
    "true -or (1 / 0 > 1)": True,
    "false -and (1 / 0 > 1)": False,
    '"a" -and 0': False,
    '"" -or 1': True,
    "0 -or 0": 0,
    '"a" < "b"': True,
    '"b" <= "b"': True,
    '"ä" > "z"': True,
    "1 >= 2": False,
    "true < 1": False,
    '"1" == 1': True,
    "1 == true": True,
    "true == 1": False,
    '"true" == true': True,
    "1 != 2": True,
    "1.5 == 1.5": False,
    "nil == nil": True,
    "[1, nil] == [1, nil]": False,
    "[1, 2] == [1, 2]": True,
    "[1] == [1, 2]": False,
    "{ $a = 1 } == { $a = 1 }": True,
    "{ $a = 1 } == { $b = 1 }": False,
    "{ $a = 1 } == 5": False,
    '(|x|->x) == "lambda|x|->x"': True,
    "(|x|->x) == (|x|->x)": True,
    "!5": False,
    "!0.0": False,
    '!""': True,
    "5 - 2.5": 2.5,
    "2 * 2.5": 5,
    "7 % 3": 1,
    "1 - 3": -2,
    "nil ? 1 :2": 2,
    "0.0 ? 1 :2": 1,
    "~~ || 5": 5,
    "nil || 5": None,
    "nil // 5": 5,
    '"" // 5': "",
    "(1 / 0) // 5": 5,
    "$text": "text",
    "10.1.2.3": "10.1.2.3",
    "[3..1]": [3, 2, 1],
    "[1, [2, 3]..., 4]": [1, 2, 3, 4],
    "1_000": 1000,
    '{ "a" "b" = 1 }': {"ab": 1},
}
LAMBDAS: dict[str, Any] = {
    "(|x|->x)(1)": 1,
    "(|x,y=2|->x y)(1)": "12",
    "(|x,y=2|->x y)(1, 3)": "13",
    "(|x,y|->x - y)(y=1, x=5)": 4,
    "(|x,y|->x - y)(2=1, 1=5)": 4,
    "(|x,y|->x - y)*(5)(1)": 4,
    "(|x...|->x)()": [],
    "(lambda |x|->x + 1)(1)": 2,
    '(lambda "|x|->x + 1")(1)': 2,
    'join*(",")("a", "b")': "a,b",
    "map[[1, 2, 3]|x|->x > 1 ? x :nil]": [2, 3],
    "map[{ $b = 1, $a = 2 }|k,v|->k v]": ["a2", "b1"],
    'map{["a"]|i,x|->i}': {"a": 0},
    "map{{ $a = 1 }|k,v|->k v}": {"a": "a1"},
    "select[{ $a = 1, $b = 2 }|v|->v > 1]": [2],
    "select{{ $a = 1, $b = 2 }|v|->v > 1}": {"b": 2},
    "filter[[1, 2]|x|->x > 1]": [2],
    "filter{{ $a = 1, $b = 2 }|k,v|->v > 1}": {"b": 2},
    "sum[[1, 2]|10|s,i,x|->s + i * x]": 12,
    "sum[{ $a = 1, $b = 2 }|0|s,k,v|->s + v]": 3,
    "catch[1 / 0|v,e|->e]": "division by zero",
    "catch[5|v,e|->e]": None,
    "catch[5|v|->v]": 5,
    "sync[5|v,e|->v == 5, v + 1]": 6,
    "sync(5, true)": 5,
    "(|x|->_(x))*(1) ? 1 :2": 1,
}
VALIDATORS: dict[str, Any] = {
    'check([1], "list")': True,
    'check({}, "list")': False,
    'check({ $a = 1 }, "map")': True,
    'check([], "map")': False,
    'check({ $a = 1 }, ["map", ["type", "int"]])': True,
    'check({ $a = "x" }, ["map", ["type", "int"]])': False,
    'check({ $a = 1 }, ["map", "dnslabel", ["type", "int"]])': True,
    'check({ $A = 1 }, ["map", "dnslabel", ["type", "int"]])': False,
    'check([1, 2], ["list", ["type", "int"]])': True,
    'check([1, "a"], ["list", ["type", "int"]])': False,
    'check({ $a = 1 }, ["mapfield", "a"])': True,
    'check({ $a = 1 }, ["mapfield", "b"])': False,
    'check(5, ["mapfield", "b"])': False,
    'check({ $a = 1 }, ["optionalfield", "b", ["type", "int"]])': True,
    'check({ $b = "x" }, ["optionalfield", "b", ["type", "int"]])': False,
    'check(5, ["and", ["gt", 3], ["lt", 7]])': True,
    'check(5, ["and", ["gt", 3], ["lt", 4]])': False,
    'check(5, ["!", ["gt", 7]])': True,
    'check(5, ["or", ["gt", 7], ["lt", 6]])': True,
    'check(5, ["or", ["gt", 7], ["lt", 4]])': False,
    'check(5, ["not", ["gt", 7]])': True,
    'check(5, ["not", ["gt", 3]])': False,
    'check(5, ["!gt", 7])': True,
    'check("", "empty")': True,
    'check([1], "empty")': False,
    'check("", "!empty")': False,
    'check(5, ["valueset", [1, 5]])': True,
    'check(5, ["valueset", [1]])': False,
    'check(5, ["value", 5])': True,
    'check(5, ["=", 6])': False,
    'check(5, [">", 4])': True,
    'check(5, ["<", 4])': False,
    'check(5, ["ge", 5])': True,
    'check(5, ["le", 4])': False,
    'check("b", ["gt", "a"])': True,
    'check("abc", ["match", "^a"])': True,
    'check("abc", ["~=", "^b"])': False,
    'check(5, ["type", "string", "int"])': True,
    'check(5, ["type", "string", "list"])': False,
    'check("a.b", "dnsname")': True,
    'check("a.b", "dnslabel")': False,
    'check("*.b", "wildcarddnsdomain")': True,
    'check("*.b", "dnsdomain")': False,
    'check("10.0.0.1", "ip")': True,
    'check("10.0.0", "ip")': False,
    'check("10.0.0.0/8", "cidr")': True,
    'check("10.0.0.0", "cidr")': False,
    'check("1.2.3", "semver")': True,
    'check("x", "semver")': False,
    'check("1.2.3", ["semver", ">1.0.0"])': True,
    'check("1.2.3", ["semver", ">2"])': False,
    "check(5, |x|->x > 3)": True,
    "check(5, |x|->[false, $good, $bad])": False,
    "check(5, |x|->[true, $good])": True,
    'check("x", "privatekey")': False,
    'check("x", "publickey")': False,
    'check("x", "certificate")': False,
    'check("x", "ca")': False,
}
VALUES = OPERATORS | LAMBDAS | VALIDATORS


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=VALUES.keys())
def test_values(text: str, value: Any) -> None:
    """An expression has its value."""
    assert merge(f"a: >-\n  (( {text} ))\n").documents == [{"a": value}]


FAILURES = {
    "1 + []": "non-IP address addition requires number arguments",
    '"10.0.0.1" + "a"': "addition argument for an IP address requires an integer argument",
    "[] - 1": "non-IP address subtration requires number arguments",
    "[] * 1": "non-CIDR multiplication requires number arguments",
    '"10.0.0.0/24" / "a"': "IP address division requires an integer argument",
    '"10.0.0.0/24" / 0': "IP address division requires a positive integer argument",
    "[] / 1": "non-CIDR division requires number arguments",
    "5 % 0": "division by zero",
    "5.5 % 2": "integer operand required",
    '"a" < 1': "comparision < only for strings or integers",
    "1 < nil": "comparision < only for integers or strings",
    "nil == 1": "\t(( nil == 1 ))\tin template\ta\t()",
    "1.5 / 0": "division by zero",
    "[1..a]": "'a' unresolved",
    "[1..$x]": "integer operand required",
    "[1][5]": "not found",
    "[1][-5..0]": "mixed negative and non-negative range not possible for slice",
    "(|x|->x)(1, 2)": "found 2 argument(s), but expects 1",
    "(|x|->x)(z=1)": "z",
    "(|x|->x)(5=1)": "argument index 5 too large for 1 parameters",
    "(|x,y|->x)(x=1)": "missing named argument for y",
    "(|x|->x)(x=1, x=2)": "duplicate named argument x",
    "(|x|->1 / 0)(1)": "evaluation of lambda expression failed",
    "lambda 5": "lambda reference must resolve to lambda value or string",
    'lambda "5"': "'5' is no lambda expression",
    'lambda "|x|->("': "cannot parse lamba expression '|x|->('",
    "stub*(a)": "no currying for intrinsic builtin function (stub)",
    "upper(x=1)": "no named arguments for builtin function (upper)",
    "require()": "one argument expected for 'require'",
    "require(nil)": 'required expression "nil" undefined',
    "optional(1)": "condition and template required for optional()",
    "stub(1, 2)": "a maximum of one argument expected for 'stub'",
    "stub(5)": "stub() requires a string or reference argument",
    "stub([5])": "stub() requires a string entries in list",
    "catch()": "catch requires a single argument",
    "sync(1)": "2 or 3 arguments required for sync",
    "sync(1, 5)": "condition must evaluate to bool",
    "sync[1|v|->false]": "sync timeout reached",
    "sync[1 / 0|v|->false]": "division by zero",
    "sync[1|v|->5]": "condition must evaluate to bool",
    "catch[1|a,b,c|->1]": "catch function takes a maximum of 2 arguments",
    "map[5|x|->x]": "map[] does not support int values",
    "map[[1]|5]": "requires a lambda value",
    "map[[1]|a,b,c|->1]": "mapping expression takes a maximum of 2 arguments",
    "map{[1]|x|->x}": "list element must be string, but found int",
    "select{[1]|x|->x}": "select{} does not support list values",
    "filter{[1]|x|->x}": "filter{} does not support list values",
    "filter[{ $a = 1 }|x|->x]": "filter[] does not support map values",
    "sum[5|0|s,x|->s]": "map or list required for sum",
    "sum[[1]|0|s|->s]": "mapping expression take a minimum of 2 arguments",
    "sum[[1]|0|a,b,c,d|->1]": "mapping expression take a maximum of 3 arguments",
    '(|x|->1 / 0)([1.5, "a", true, nil, { $k = false }])': '{x: [1.5, "a", true, <nil>, {k: false}]}',
    "auto": "auto only allowed for size entry in resource pools",
    "*5": "template value required",
    "( 5 = 1 ) 2": "assignment target must evaluate to string",
    "x::y": "tag 'x' not found",
    "doc.-1::x": "doc.-1",
    'validate(5, ["gt"])': "gt requires a value argument",
    'validate(5, ["gt", 3, 4])': "gt requires a value argument",
    'validate([], ["gt", 3])': "gt: cannot compare list with int",
    'validate(5, ["match", 5])': "match requires a regexp argument",
    'validate("a", ["match", "("])': "regexp (:",
    'validate(5, ["match", "a"])': "no string to match regexp",
    'validate(5, ["type", 5])': "type: type arg requires string, but got int",
    'validate(5, ["type", "list"])': "is not of type list",
    'validate(5, ["and"])': "validator argument required",
    'validate(5, ["or"])': "validator argument required",
    'validate(5, ["valueset", 5])': "valueset requires a list argument with possible values",
    'validate(5, ["valueset", [1]])': "condition 1 failed: invalid value 5",
    'validate([], ["valueset", [1]])': "condition 1 failed: invalid value",
    'validate(5, ["value"])': "value requires a value argument",
    'validate(5, "empty")': "invalid type for empty: int",
    'validate({}, ["mapfield"])': "mapfield requires one or two arguments",
    'validate({}, ["mapfield", 5])': "field name must be string",
    'validate({ $a = 1 }, ["map", 1, 2, 3])': "map validator takes a maximum of two arguments, got 3",
    "validate(5, [])": "validation type missing",
    "validate(5, 5)": "invalid validation check type: int",
    "validate(5, [5])": 'unexpected validation type "int"',
    'validate(5, "")': "empty validator type",
    "validate(5, |x|->[])": "invalid result length of validator",
    'validate("10.0.0", "ip")': "is no ip address: 10.0.0",
    'validate(5, "ip")': "ip: ip requires string, but got int",
    'validate("1.2.3", ["semver", "<1", ">2"])': "1.2.3",
    "validate(5, |x|->[false, $good, $bad])": "condition 1 failed: bad",
    'validate({ $a = 1 }, ["mapfield", "b"])': 'condition 1 failed: has no field "b"',
    'validate([1, "a"], ["list", ["type", "int"]])': "entry 1 condition 0 is not of type int",
    'validate("x.y", "dnslabel")': "is no dns label",
    'validate(["a"], ["list", ["nope"]])': "list entry 0",
}


@pytest.mark.parametrize(("text", "message"), FAILURES.items(), ids=FAILURES.keys())
def test_failures(text: str, message: str) -> None:
    """A wrong expression fails and says why."""
    with pytest.raises(SpiffError) as error:
        merge(f"a: >-\n  (( {text} ))\n")

    assert message in error.value.message


Case = tuple[str, list[str], Any]
DOCUMENTS: dict[str, Case] = {
    "a default through a scope": ("a: {b: 1, c: (( __.b ))}", [], {"a": {"b": 1, "c": 1}}),
    "the outermost document": ("x: 1\na: {x: 2, v: (( ___.x || 5 ))}", [], {"x": 1, "a": {"x": 2, "v": 5}}),
    "the host past a scope": ("x: 1\na: (( ( $x = 5 ) __.x ))", [], {"x": 1, "a": 1}),
    "a path given by a list": ("a: {b: [1, 2]}\nv: (( .[[\"a\", \"b\", 1]] ))", [], {"a": {"b": [1, 2]}, "v": 2}),
    "a path in several parts": ('a: {b: [1, 2]}\nv: (( a.["b", 1] ))', [], {"a": {"b": [1, 2]}, "v": 2}),
    "a list by a key": ("l: [{id: a, v: 1}]\nv: (( l.id:a.v ))", [], {"l": [{"id": "a", "v": 1}], "v": 1}),
    "from the end": ("l: [1, 2, 3]\nv: (( l.[-1] ))", [], {"l": [1, 2, 3], "v": 3}),
    "a slice to the end": ("l: [1, 2, 3]\nv: (( l[1..] ))\nw: (( l[..-2] ))", [], {"l": [1, 2, 3], "v": [2, 3], "w": [1, 2]}),
    "a projection of a map": ("m: {b: {v: 2}, a: {v: 1}}\nv: (( m.[*].v ))", [], {"m": {"a": {"v": 1}, "b": {"v": 2}}, "v": [1, 2]}),
    "a stub by a text": ('a: (( stub("x.z") ))', ["x: {z: 5}"], {"a": 5}),
    "a stub by a list": ('a: (( stub(["x", "z"]) ))', ["x: {z: 5}"], {"a": 5}),
    "the own place in a stub": ("a: (( stub() ))", ["a: 5"], {"a": 5}),
    "instances of a job": (
        "jobs: [{name: j, resource_pool: p, instances: 2}, {name: k, resource_pool: q, instances: 4}, {name: l, resource_pool: p, instances: 1}]\n"
        "resource_pools: [{name: p, size: (( auto ))}]", [],
        {"jobs": [{"name": "j", "resource_pool": "p", "instances": 2}, {"name": "k", "resource_pool": "q", "instances": 4}, {"name": "l", "resource_pool": "p", "instances": 1}], "resource_pools": [{"name": "p", "size": 3}]},
    ),
    "static addresses": (
        "name: net\ninstances: 2\nnetworks: {net: {subnets: [{static: [10.0.0.4 - 10.0.0.9]}]}}\nips: (( static_ips(0, 2) ))", [],
        {"name": "net", "instances": 2, "networks": {"net": {"subnets": [{"static": ["10.0.0.4 - 10.0.0.9"]}]}}, "ips": ["10.0.0.4", "10.0.0.6"]},
    ),
    "the type of an undefined field": ('a: (( type(b.c) || "none" ))\nb: {}', [], {"a": "none", "b": {}}),
    "a tag on the whole document": ("m:\n  <<: (( &tag:top ))\n  a: 1\nb: (( top::a ))", [], {"m": {"a": 1}, "b": 1}),
    "a tag by a function": ('a: (( tagdef("t", {$x = 1}) ))\nb: (( t::x ))', [], {"a": {"x": 1}, "b": 1}),
    "a template with a scope": ("t: (( &template ( x + 1 ) ))\na: (( ( $x = 1 ) *t ))", [], {"t": "(( &template (( x + 1 )) ))", "a": 2}),
    "a template in a lambda": ("t:\n  <<: (( &template ))\n  v: (( p ))\nf: (( |p|->*_.t ))\na: (( .f(5) ))", [], {"t": {"<<": "(( &template ))", "v": "(( p ))"}, "f": "(( lambda|p|->*(_.t) ))", "a": {"v": 5}}),
    "a template of a list": ("t:\n- <<: (( &template ))\n- (( x ))\na: (( ( $x = 1 ) *t ))", [], {"t": [{"<<": "(( &template ))"}, "(( x ))"], "a": [1]}),
    "the context": ("a: {b: (( __ctx.PATHNAME ))}\nc: (( __ctx.STUBPATH ))", [], {"a": {"b": "a.b"}, "c": ["c"]}),
    "a required merge": ("a:\n  <<: (( merge required ))\n  b: 1", ["a: {b: 2}"], {"a": {"b": 2}}),
    "a whole list replaced": ("l:\n- <<: (( merge replace ))\n- 1", ["l: [2]"], {"l": [2]}),
    "merge on another key": ("l:\n- <<: (( merge on id ))\n- {id: a, v: 1}", ["l: [{id: a, v: 2}, {id: b, v: 3}]"], {"l": [{"id": "b", "v": 3}, {"id": "a", "v": 2}]}),
    "lists by index on demand": ("l: [{'key:!name': a, v: 1}]", ["l: [{name: z, v: 5}]"], {"l": [{"name": "z", "v": 5}]}),
    "injected into a list": ("l: [1]", ["l:\n- <<: (( &inject ))\n- 7"], {"l": [1]}),
    "a key in a name by an expression": ("l:\n- {name: (( k ))}\nk: a", ["l: [{name: a}]"], {"l": [{"name": "a"}], "k": "a"}),
    "YAML's tags": ("a: !!int '5'\nb: !!str 5\nc: !!float 5\nd: !!bool 'yes'\ne: !!null ''", [], {"a": 5, "b": "5", "c": 5, "d": True, "e": None}),
    "YAML's numbers": (
        "a: 0b101\nb: 1e+3\nc: 1e-3\nd: 0o17\ne: 017\nf: 0x1F\ng: -1_0\nh: .5\ni: +7\nj: 1.0", [],
        {"a": 5, "b": 1000, "c": 0.001, "d": 15, "e": 15, "f": 31, "g": -10, "h": 0.5, "i": 7, "j": 1},
    ),
    "the nearest level of tags": ("a:\n  <<: (( &tag:t ))\n  v: 1\nb:\n  <<: (( &tag:t:u ))\n  v: 2\nc: (( t::v ))", [], {"a": {"v": 1}, "b": {"v": 2}, "c": 1}),
    "the context's files": (
        "a: (( __ctx.FILE ))\nb: (( __ctx.DIR ))\nc: (( __ctx.RESOLVED_FILE ))\nd: (( __ctx.RESOLVED_DIR ))\ne: {f: (( __ctx.PATH ))}", [],
        {"a": "template", "b": ".", "c": "template", "d": ".", "e": {"f": ["e", "f"]}},
    ),
    "a lambda as text": (
        'f: (( |x|->x == false ))\ng: (( |x|->[~~, nil, true, 1.5, "a"] ))', [],
        {"f": "(( lambda|x|->x == false ))", "g": '(( lambda|x|->[~~, nil, true, 1.5, "a"] ))'},
    ),
    "a slice from the start": ("l: [1, 2, 3]\nv: (( l[0..1] ))", [], {"l": [1, 2, 3], "v": [1, 2]}),
    "a template many times": (
        "t: (( &template ( 1 ) ))\nl: (( map[[1..250]|x|->*.t] ))", [], {"t": "(( &template (( 1 )) ))", "l": [1] * 250},
    ),
    "numbers that are none": ("a: 1e+\nb: 0x\nd: e5", [], {"a": "1e+", "b": "0x", "d": "e5"}),
    "a sum that waits": ("a: (( sum[[1]|b|s,x|->s + x] ))\nb: (( c ))\nc: 5", [], {"a": 6, "b": 5, "c": 5}),
    "three arrows": ("a:\n  <<<: (( b ))\n  v: 1\nb: {w: 2}", [], {"a": {"v": 1, "w": 2}, "b": {"w": 2}}),
    "an escaped merge key": ('a: {"<<!x": 1, "<<<!v": 2}', [], {"a": {"<<x": 1, "<<<v": 2}}),
    "a null merged": ("a:\n  <<: (( ~ ))\n  b: 1", [], {"a": {"b": 1}}),
    "an undefined map": ("a:\n  <<: (( ~~ ))\n  b: 1\nc: 1", [], {"c": 1}),
}  # fmt: skip


@pytest.mark.parametrize(("template", "stubs", "value"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_documents(template: str, stubs: list[str], value: Any) -> None:
    """A template with its stubs gives a document."""
    assert merge(template, stubs).documents == [value]


WRONG: dict[str, tuple[str, list[str], str]] = {
    "both merge keys": ("a: {<<: (( b )), <<<: (( b ))}\nb: {}", [], "multiple merge keys not allowed"),
    "a merge of a number": ("a: {<<: (( 5 ))}", [], "require map value for '<<' insert, found 'int'"),
    "a required merge without a stub": ("a: {<<: (( merge required ))}", [], "a"),
    "several tags": ("a:\n  <<: (( &tag:t:x ))\n  v: 1\nb:\n  <<: (( &tag:t:z ))\n  v: 1\nc: (( t::v ))", [], "t::v"),
    "a boolean key": ("a: {yes: 1}", [], "map key must be a string: true"),
    "an expression that is none": ("a: (( 1 + ))", [], "parse error near"),
    "a name that is not there": ("a: (( b.c ))\nb: {}", [], "'b.c' not found"),
    "a name further in": ("a: {b: {}}\nv: (( a.b.c.d ))", [], "'a.b.c' not found"),
    "two that wait for each other": ("a: (( b ))\nb: (( a ))", [], "unresolved"),
    "a stub of two documents": ("a: 1", ["a: 1\n---\nb: 2"], "a stub is one document, got 2"),
    "no YAML": ("a: [", [], "error parsing"),
    "no jobs": ("resource_pools: {p: {size: (( auto ))}}", [], "no jobs found"),
    "jobs that are no list": ("jobs: 5\nresource_pools: {p: {size: (( auto ))}}", [], "jobs must be a list"),
    "jobs without a number": ("jobs: [{name: j, resource_pool: p}]\nresource_pools: {p: {size: (( auto ))}}", [], "instances must be a number"),
    "no network": ("name: 5\ninstances: 1\nips: (( static_ips(0) ))", [], "name field must be string"),
    "too few addresses": ("name: net\ninstances: 3\nnetworks: {net: {subnets: [{static: [10.0.0.4]}]}}\nips: (( static_ips(0) ))", [], "too less static IPs for 3 instances"),
    "an index too large": ("name: net\ninstances: 1\nnetworks: {net: {subnets: [{static: [10.0.0.4]}]}}\nips: (( static_ips(5) ))", [], "ip index 5 out of range (1 IP(s) available)"),
    "no static addresses": ("name: net\ninstances: 1\nnetworks: {net: {subnets: [{}]}}\nips: (( static_ips(0) ))", [], "no static ips for network net"),
}  # fmt: skip


@pytest.mark.parametrize(("template", "stubs", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_documents(template: str, stubs: list[str], message: str) -> None:
    """A document that cannot be made says why."""
    with pytest.raises(SpiffError) as error:
        merge(template, stubs)

    assert message in error.value.message


def test_streams() -> None:
    """The documents of a stream see those before them; an error says in which one it is."""
    merged = merge("a: 1\n---\nb: (( doc.-1::a ))\n---\nc: (( doc.1::a ))\n")

    assert merged.documents == [{"a": 1}, {"b": 1}, {"c": 1}]
    with pytest.raises(SpiffError) as error:
        merge("a: 1\n---\nb: (( zz ))\n")
    assert error.value.message.startswith("document 2: unresolved nodes:")


CONTROLS = {
    "a switch on a number": ("a: {<<switch: (( 5 )), k: 1}", "invalid switch value type: int"),
    "cases that are no list": ("a: {<<switch: k, <<cases: 5}", "case must be a list but got int"),
    "a case that is no map": ("a: {<<switch: k, <<cases: [5]}", "case 0 must be a map, but got int"),
    "a case without a case": ("a: {<<switch: k, <<cases: [{value: 1}]}", "case 0 requires 'case' or `'match' field"),
    "a case with both": ("a: {<<switch: k, <<cases: [{case: 1, match: 2}]}", "case 0 requires either 'case' or `'match' field"),
    "a match that fails": ("a: {<<switch: k, <<cases: [{match: (( |x|->1 / 0 )), value: 1}]}", "case 0 match failed"),
    "no case fits": ("a: {<<switch: '(( [] ))', <<cases: [{case: 1, value: 1}]}", "invalid switch value: []"),
    "no type fits": ("a: {<<type: 5, list: 1}", 'invalid type switch type: "int"'),
    "fields of a for": ("a: {<<for: {x: [1]}, <<do: 1, b: 2}", "no regular fields allowed in for control"),
    "variables that are a number": ("a: {<<for: 5, <<do: 1}", "value field must be map but got int"),
    "a variable without values": ("a: {<<for: [{name: x}], <<do: 1}", "control variable list entry requires values field"),
    "a variable that is a number": ("a: {<<for: [5], <<do: 1}", "control variable list entry requires may but got int"),
    "a variable with more": ("a: {<<for: [{name: x, values: [], more: 1}], <<do: 1}", "requires two or three fields: name, values and optionally index"),
    "a name that is a number": ("a: {<<for: [{name: 5, values: []}], <<do: 1}", "control variable name must be of type string but got int"),
    "a key that is a number": ("a: {<<for: {x: [1]}, <<mapkey: (( x )), <<do: 1}", "map key must be string, but found int"),
    "a list that merges a number": ("a: {<<merge: [5]}", "entry 0: invalid entry type: int"),
}  # fmt: skip


@pytest.mark.parametrize(("template", "message"), CONTROLS.values(), ids=CONTROLS.keys())
def test_wrong_controls(template: str, message: str) -> None:
    """A control structure that is not well-formed says what is wrong."""
    with pytest.raises(SpiffError) as error:
        merge(template, [], Options(features=["control"]))

    assert message in error.value.message
