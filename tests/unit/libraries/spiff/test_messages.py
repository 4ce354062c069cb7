"""Whole messages of spiff: what has no value, where it stands, and why, as the real one prints it."""

from __future__ import annotations

import pytest

from krmkit.libraries.spiff import Options, SpiffError, merge

ERRORS: dict[str, tuple[str, list[str], str]] = {
    "errors, then what waits, then what depends": (
        "b: (( c ))\na: (( 1 / 0 ))\nc: (( b ))\nd: (( a ))\nz: (( zz ))", [],
        "\t(( 1 / 0 ))\tin template\ta\t()\t*division by zero\n\t(( zz ))\tin template\tz\t()\t*'zz' not found\n"
        "\t(( c ))\tin template\tb\t()\t@'c' unresolved\n\t(( b ))\tin template\tc\t()\t@'b' unresolved\n"
        "\t(( a ))\tin template\td\t()\t-'a' unresolved",
    ),
    "keys in order": ("b: (( y ))\na: (( x ))", [], "\t(( x ))\tin template\ta\t()\t*'x' not found\n\t(( y ))\tin template\tb\t()\t*'y' not found"),
    "an entry of a list in which not every entry has a name": (
        "l:\n- {name: a, v: (( no ))}\n- {w: 1}", [], "\t(( no ))\tin template\tl.[0].v\t()\t*'no' not found",
    ),
    "what depends on a part": (
        "a: {b: (( 1 / 0 ))}\nd: (( a.b ))\ne: (( d ))", [],
        "\t(( 1 / 0 ))\tin template\ta.b\t()\t*division by zero\n\t(( a.b ))\tin template\td\t()\t-'a.b' unresolved\n\t(( d ))\tin template\te\t()\t-'d' unresolved",
    ),
    "a map that is not complete": (
        "a: {<<: (( q )), b: 1}\nc: (( a.b ))", [],
        "\t(( q ))\tin template\ta.<<\t(a)\t*'q' not found\n\t(( a.b ))\tin template\tc\t()\t@'a' not complete",
    ),
    "the chain of calls": (
        "a: (( (|x|->1 / 0)({$b = 1, $a = 2}) ))", [],
        '\t(( ( lambda|x|->1 / 0 )({ "b" = 1, "a" = 2 }) ))\tin template\ta\t()\t*evaluation of lambda expression failed:'
        " lambda|x|->1 / 0: {x: {a: 2, b: 1}}\n\t\t... division by zero",
    ),
    "long values": (
        'a: (( (|x|->1 / 0)("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz") ))', [],
        '\t(( ( lambda|x|->1 / 0 )("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz") ))\tin template\ta\t()\t*evaluation of'
        ' lambda expression failed: lambda|x|->1 / 0: {x: "abcdefghijkl ... lmnopqrstuvwxyz"}\n\t\t... division by zero',
    ),
    "the document hides a binding whole": ("a: (( m.y ))\nm: {x: 1}", [], "\t(( m.y ))\tin template\ta\t()\t*'m.y' not found"),
    "a lambda inside a mapping has no self": ("a: (( map[[1]|x|->_] ))", [], "\t(( map[[1]|x|->_] ))\tin template\ta\t()\t*evaluation of lambda expression failed: lambda|x|->_: {x: 1}\n\t\t... '_' not found"),
    "named arguments are not curried": ("a: (( (|x,y|->x)(y=1) ))", [], "\t(( ( lambda|x,y|->x )(y=1) ))\tin template\ta\t()\t*missing named argument for x"),
    "nor are lambdas with a default": ("a: (( (|x,y,z=1|->x)(1) ))", [], "\t(( ( lambda|x,y,z=1|->x )(1) ))\tin template\ta\t()\t*expected at least 2 arguments (1 optional), but found 1"),
    "nor are those with a rest": ("a: (( (|x,y,z...|->x)(1) ))", [], "\t(( ( lambda|x,y,z...|->x )(1) ))\tin template\ta\t()\t*expected at least 2 arguments (0 optional), but found 1"),
    "sync gives the error": ("a: (( sync[1 / 0|v,e|->false] ))", [], "\t(( sync(1 / 0) ))\tin template\ta\t()\t*division by zero"),
    "what is undefined is not found": ("x: (( ~~ ))\na: (( x ))", [], "\t(( x ))\tin template\ta\t()\t*'x' not found"),
    "two tags on a level": (
        "a: (( &tag:t:x ( { $v = 1 } ) ))\nb: (( &tag:t:y ( { $v = 2 } ) ))\nc: (( t::v ))", [],
        "\t(( t::v ))\tin template\tc\t()\t*ambigious tag resolution for t::v: t:x <-> t:y",
    ),
    "a certificate": ("a: (( x509cert({}) ))", [], "\t(( x509cert({ }) ))\tin template\ta\t()\t*x509cert: not supported: how long a certificate is valid depends on the clock"),
    "exec by its inner name": ('a: (( exec_uncached("x") ))', [], '\t(( exec_uncached("x") ))\tin template\ta\t()\t*exec: no OS operations supported in this execution environment'),
    "a fallback that waits": ("a: (( b || 3 ))\nb: (( a ))", [], "\t(( b || 3 ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb\t()\t@'a' unresolved"),
    "valid waits for what comes first": ("a: (( valid(b, c) ))\nb: (( a ))\nc: ~", [], "\t(( valid(b, c) ))\tin template\ta\t()\n\t(( a ))\tin template\tb\t()\t@'a' unresolved"),
    "a named argument that waits": (
        "a: (( (|x|->1)(x=b) ))\nb: {c: (( a ))}", [],
        "\t(( ( lambda|x|->1 )(x=b) ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "a sum waits for its first value": (
        "a: (( sum[[1]|b|s,x|->5] ))\nb: (( a ))", [],
        "\t(( sum[[1]|b|s,x|->5] ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb\t()\t@'a' unresolved",
    ),
    "what had to wait is shown whole": ("a: (( b == 5 ? 1 :1 / b ))\nb: (( c ))\nc: (( 0 ))", [], "\t(( b == 5 ? 1 : 1 / b ))\tin template\ta\t()\t*division by zero"),
    "the step that is missing below the outermost map": ("- name: a\n  v: (( .__map.q.r ))", [], "\t(( .__map.q.r ))\tin template\t[0].v\t(name:a.v)\t*'.__map.q' not found"),
    "an open node of a template without an issue": (
        "t: {<<: (( &temporary &template )), d: (( defined(e) )), e: (( d ))}\na: (( *t ))", [],
        "\t(( *(t) ))\tin template\ta\t()\t*resolution of template 't' failed\n\t\t\t(( defined(e) ))\tin template\td\t(a.d)"
        "\n\t\t\t(( d ))\tin template\te\t(a.e)@'d' unresolved",
    ),
    "the timeout of sync is an int": ('a: (( sync(5, valid, value, "x") ))', [], '\t(( sync(5, valid, value, "x") ))\tin template\ta\t()\t*integer operand required'),
    "auto is for sizes": (
        "resource_pools: {small: {other: (( auto ))}}\njobs: []", [],
        "\t(( auto ))\tin template\tresource_pools.small.other\t(resource_pools.small.other)\t*auto only allowed for size entry in resource pools",
    ),
    "a netmask is no length": ('a: (( "10.0.0.0/255.0.0.0" * 1 ))', [], '\t(( "10.0.0.0/255.0.0.0" * 1 ))\tin template\ta\t()\t*first argument of multiplication must be CIDR or number: invalid CIDR address: 10.0.0.0/255.0.0.0'),
    "an operator without a right side": ("a: (( sum[b |0|s,x|->s] ))\nb: [1]", [], "\t(( sum[b |0|s,x|->s] ))\tin template\ta\t()\t*parse error near symbol 7 - symbol 8: ' '"),
    "text behind brackets": ("a: (( map[b|x|->x]) ))\nb: [1]", [], "\t(( map[b|x|->x]) ))\tin template\ta\t()\t*parse error near symbol 2 - symbol 14: 'map[b|x|->x]'"),
    "a catch that waits": ("a: (( catch[b|v,e|->5] ))\nb: (( a ))", [], "\t(( catch[b|v,e|->5] ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb\t()\t@'a' unresolved"),
    "what depends on a map that failed": (
        "a: (( b ))\nb: {<<: (( 5 )), c: (( q ))}", [],
        "\t(( q ))\tin template\tb.c\t()\t*'q' not found\n\t<map>\tin template\tb\t()\t*require map value for '<<' insert, found 'int'\n"
        "\t(( b ))\tin template\ta\t()\t-'b' unresolved",
    ),
    "a template that fails waits for nothing": (
        "t: {<<: (( &temporary &template )), d: (( e )), e: (( 1 / 0 ))}\na: (( true ? *t :0 ))", [],
        "\t(( true ? *(t) : 0 ))\tin template\ta\t()\t*resolution of template 't' failed\n"
        "\t\t\t(( 1 / 0 ))\tin template\te\t(a.e)*division by zero\n\t\t\t(( e ))\tin template\td\t(a.d)-'e' unresolved",
    ),
    "a template as an argument": (
        "t: (( &temporary &template ( 1 ) ))\na: (( (|x|->1 / 0)(t) ))", [],
        "\t(( ( lambda|x|->1 / 0 )(t) ))\tin template\ta\t()\t*evaluation of lambda expression failed: lambda|x|->1 / 0: {x: {template t}}"
        "\n\t\t... division by zero",
    ),
    "a call waits for its function": (
        "a: (( .f(1) ))\nf: {c: (( a ))}", [],
        "\t(( .f(1) ))\tin template\ta\t()\n\t(( a ))\tin template\tf.c\t()\t@'a' unresolved",
    ),
    "and for its arguments": (
        "a: (( type(b) ))\nb: {c: (( a ))}", [],
        "\t(( type(b) ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "optional waits for its value": (
        "a: (( optional(true, b) ))\nb: (( a ))", [],
        "\t(( optional(true, b) ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb\t()\t@'a' unresolved",
    ),
    "an or waits": (
        "a: (( b -or false ))\nb: {c: (( a ))}", [],
        "\t(( b -or false ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "an and waits for its right side": (
        "a: (( true -and b ))\nb: {c: (( a ))}", [],
        "\t(( true -and b ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "a fallback waits for a whole map": (
        "a: (( b || 1 ))\nb: {c: (( a ))}", [],
        "\t(( b || 1 ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "optional waits for its condition": (
        "a: (( optional(b, 1) ))\nb: (( a ))", [],
        "\t(( optional(b, 1) ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb\t()\t@'a' unresolved",
    ),
    "sync in brackets waits for its condition": (
        "a: (( sync[5|b] ))\nb: {c: (( a ))}", [],
        "\t(( sync(5) ))\tin template\ta\t()\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "a condition waits": (
        "a: (( b ? 1 :2 ))\nb: {c: (( a ))}", [],
        "\t(( b ? 1 : 2 ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "a negation waits": (
        "a: (( !b ))\nb: {c: (( a ))}", [],
        "\t(( !(b) ))\tin template\ta\t()\t@'b' unresolved\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "sync waits for its condition": (
        "a: (( sync(5, b) ))\nb: {c: (( a ))}", [],
        "\t(( sync(5) ))\tin template\ta\t()\n\t(( a ))\tin template\tb.c\t()\t@'a' unresolved",
    ),
    "a part that had to wait is shown alone": (
        "b: (( 0 ))\nc: (( true ? 1 / b :2 ))", [],
        "\t(( 1 / b ))\tin template\tc\t()\t*division by zero",
    ),
    "an assignment without a name": (
        "a: (( {= 5} ))", [],
        "\t(( {= 5} ))\tin template\ta\t()\t*parse error near symbol 1 - symbol 2: ' '",
    ),
    "a merge that replaces": ("a: {b: (( merge replace ))}", [], "\t(( merge required ))\tin template\ta.b\t(a.b)\t*'a.b' not found in any stub"),
    "the file that an expression came from": ("a: (( merge x ))", ["x: 1\nz: (( q ))"], "\t(( q ))\tin stub1\tz\t()\t*'q' not found"),
    "a merge without a stub": ("a: {<<: (( merge required ))}", [], "\t(( merge ))\tin template\ta.<<\t(a)\t*'a' not found in any stub"),
}  # fmt: skip


@pytest.mark.parametrize(("template", "stubs", "lines"), ERRORS.values(), ids=ERRORS.keys())
def test_whole_message(template: str, stubs: list[str], lines: str) -> None:
    """A message says what, where and why, line by line."""
    with pytest.raises(SpiffError) as error:
        merge(template, stubs, Options(bindings={"m": {"y": 2}}))

    assert error.value.message == "unresolved nodes:\n" + lines
