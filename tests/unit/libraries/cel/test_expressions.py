"""krmkit.libraries.cel.expressions: what cel-go accepts, refuses and gives, on another library."""

from __future__ import annotations

import pytest

from krmkit.libraries.cel.expressions import CelError, Environment

VALUES = {
    "repo": "north",
    "target": {
        "name": "site-1",
        "namespace": "ns",
        "labels": {"env": "prod", "b/c": "x", "n": "7"},
        "annotations": {},
    },
}


@pytest.fixture(scope="module", name="env")
def environment() -> Environment:
    return Environment({"repo": "string", "target": "dyn", "unbound": "dyn"})


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("'a'", "a"),
        ("''", ""),
        ("repo + '-' + target.name", "north-site-1"),
        ("target.labels['b/c']", "x"),
        ("has(target.labels.tier) ? target.labels.tier : 'none'", "none"),
        ("'tier' in target.labels ? 'yes' : 'no'", "no"),
        ("string(target.labels.size())", "3"),
        ("[1, 2, 3].map(n, string(n))[2]", "3"),
        ("['a', target.labels['b/c']][1]", "x"),
        ("[target.name, target.namespace][0]", "site-1"),
        ("{target.name: target.labels['b/c'], target.namespace: 'a'}[target.name]", "x"),
        ("true ? 'a' : string(int(target.labels['n']))", "a"),
        ("string(int(target.labels.n) + 1)", "8"),
        ("string(int(target.labels['n'] + '0'))", "70"),
        ("string(uint(target.labels.n)) + string (  double( '1.50' ) )", "71.5"),
        ("string(timestamp('2024-05-01T10:00:00.50+02:00'))", "2024-05-01T10:00:00.5+02:00"),
        ("string(timestamp('2024-05-01T10:00:00+00:00'))", "2024-05-01T10:00:00Z"),
        ("string(duration('1.5s')) + string(duration('-90m'))", "1.5s-5400s"),
        ("[1, 2].exists(x, x > 1.5) && [1].all(x, x <= 1u) ? 'yes' : 'no'", "yes"),
        ("string(size(target.labels['n'] + target.labels['b/c']))", "2"),
        ("string(1.0 / 0.0) + string(1000000.0) + string(1.0 / 3.0)", "+Inf1e+060.3333333333333333"),
        ('\'`\' + r\'\\`\' + """`""" // `', "`\\``"),
        ("{'a': repo}.a", "north"),
        ("// why\n'a' +\n  'b'", "ab"),
        ("repo.matches('^n.*h$') ? 'm' : 'n'", "m"),
        ("string(timestamp('2024-03-01T00:30:00Z').getDate())", "1"),
        ("string(size('é€'))", "2"),
        ("string([1, 2].exists_one(n, n > 1))", "true"),
    ],
)
def test_result(env: Environment, text: str, result: str) -> None:
    """The standard library, its macros, comments and line breaks work; the result is a string."""
    assert env.compile(text).evaluate(env.bind(VALUES)) == result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Syntax error"),
        ("/", "<input>:1:1: Syntax error"),
        ("nothing", "undeclared reference to 'nothing'"),
        ("repo + 1", "found no matching overload for '_+_' applied to '(string, int)'"),
        ("true ? 'a' : 1", "no matching overload"),
        ("false && (1 == 'a') ? 'a' : 'b'", "no matching overload"),
        ("['a', 1][0]", "<input>:1:7: expected type 'string' but found 'int'"),
        ("['a',\n\n  1][0]", "<input>:3:3: expected type 'string' but found 'int'"),
        ("{'a': 'b', 'c': 1}.a", "expected type 'string' but found 'int'"),
        ("{'a': 'b', 1: 'c'}['a']", "expected type 'string' but found 'int'"),
        ("[[1], ['a']].size() == 2 ? 'a' : 'b'", "expected type 'list(int)' but found 'list(string)'"),
        ("[1, 1.0, 2u].size() > 0 ? 'a' : 'b'", "expected type 'int' but found 'double'"),
        ("[null, 'a'][1]", "expected type 'null' but found 'string'"),
        (
            "repo in [target.name, 'edge'] ? 'in' : 'out'",
            "<input>:1:23: expected type 'dyn' but found 'string'",
        ),
        ("{'a': 'big', 'b': target.name}['a']", "<input>:1:25: expected type 'string' but found 'dyn'"),
        ("[[target.name], ['a']][0][0]", "expected type 'list(dyn)' but found 'list(string)'"),
        ("target.labels.`n`", "<input>:1:15: unsupported syntax: '`'"),
        ("krmkit_int('5')", "undeclared reference to 'krmkit_int'"),
        ("1 == 1.0 ? 'a' : 'b'", "no matching overload"),
        ("1 > 1.0 ? 'a' : 'b'", "no matching overload"),
        ("[1].exists(x, x > 1.5 && x < 'a') ? 'a' : 'b'", "'_<_' applied to '(int, string)'"),
        ("[1].exists(x, x > 1.5 && nothing) ? 'a' : 'b'", "undeclared reference to 'nothing'"),
        ("string(size(1 + 2))", "'size' applied to '(int)'"),
        ("'a,b'.split(',')[0]", "undeclared reference to 'split'"),
        ("'A'.lowerAscii()", "undeclared reference to 'lowerAscii'"),
        ("['a'].join('-')", "undeclared reference to 'join'"),
        ("target.?name", "unsupported syntax"),
        ("+".join(["repo"] * 40), "32"),
        ("'" + "x" * 100_001 + "'", "size"),
    ],
)
def test_does_not_compile(env: Environment, text: str, message: str) -> None:
    """Types are checked before anything runs, literals are of one type, extensions are unknown; the place is shown."""
    with pytest.raises(CelError) as caught:
        env.compile(text)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target.labels['tier']", "no such key: tier"),
        ("target.kind", "no such key: kind"),
        ("unbound.name", "no such attribute(s): unbound"),
        ("has(unbound.name) ? 'a' : 'b'", "no such attribute(s): unbound"),
        ("target.name + 1", "no such overload"),
        ("string(int(target.labels['n']) + 1)", "no such overload: int(string)"),
        ("string(double(target['labels']['n']))", "no such overload: double(string)"),
        ("string(target.name + target.labels['n'])", "no such overload: string(string)"),
        ("string(int(' 7'))", "type conversion error from 'string' to 'int'"),
        ("string(uint('+7'))", "type conversion error from 'string' to 'uint'"),
        ("string(int('9223372036854775808'))", "type conversion error from 'string' to 'int'"),
        ("string(int(target.labels))", "no such overload: int(map)"),
        ("string(timestamp('2024-13-01T00:00:00Z'))", "type conversion error from 'string' to"),
        ("string(1 / 0)", "division by zero"),
        ("'a'.matches('[') ? 'a' : 'b'", "regular expression"),
        ("1", "unsupported type conversion from 'int'"),
        ("1u", "'uint'"),
        ("1.5", "'double'"),
        ("true", "'bool'"),
        ("b'a'", "'bytes'"),
        ("null", "'null'"),
        ("['a']", "'list"),
        ("target", "'map"),
        ("type('a')", "'type"),
        ("timestamp(0)", "'timestamp'"),
        ("duration('1s')", "'duration'"),
        (
            "string([1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, [1,2,3,4,5,6,7,8,9,10].map(c,"
            " [1,2,3,4,5,6,7,8,9,10].map(d, [1,2,3,4,5,6,7,8,9,10].map(e, 1))))).size())",
            "budget",
        ),
    ],
)
def test_fails(env: Environment, text: str, message: str) -> None:
    """What compiles can fail: missing keys, unbound variables, results of another type, too much work."""
    program = env.compile(text)
    with pytest.raises(CelError) as caught:
        program.evaluate(env.bind(VALUES))

    assert message in str(caught.value)


def test_an_error_text_as_result_is_a_result(env: Environment) -> None:
    """A string that looks like the library's error is still only a string."""
    text = "'NOT_FOUND: Key not found in map : \"x\"'"

    assert env.compile(text).evaluate(env.bind(VALUES)) == text[1:-1]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("'a'", set()),
        ("repo", {"repo"}),
        (".repo", {"repo"}),
        ("target.name + repo", {"repo", "target"}),
        ("has(unbound.x) ? 'a' : 'b'", {"unbound"}),
        ("[1].map(n, n > 0 ? target.name : '')[0]", {"target"}),
        ("{repo: 'a'}[repo]", {"repo"}),
    ],
)
def test_names(env: Environment, text: str, names: set[str]) -> None:
    """A program knows which variables it mentions, macros and literals included."""
    assert env.compile(text).names == names


def test_a_text_is_compiled_once(env: Environment) -> None:
    """The same text gives the same program, and the same error."""
    assert env.compile("repo + 'x'") is env.compile("repo + 'x'")
    errors = []
    for _ in range(2):
        with pytest.raises(CelError) as caught:
            env.compile("repo + 7")
        errors.append(caught.value)
    assert errors[0] is errors[1]
