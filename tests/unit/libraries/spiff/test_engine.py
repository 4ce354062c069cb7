"""Options of a run: bindings, state, files, features, partial results; and what bounds a run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.libraries.spiff import Options, SpiffError, SpiffLimits, evaluate, merge
from krmkit.libraries.spiff.functions.registry import MODULES


def result(template: str, **options: Any) -> Any:
    return merge(template, [], Options(**options)).documents[0]


def test_bindings_are_floats() -> None:
    """Numbers of bindings are floats, as JSON makes them in Go: they cannot be concatenated."""
    assert result("a: (( n + 1 ))\nb: (( type(n) ))", bindings={"n": 1}) == {"a": 2, "b": "float"}
    with pytest.raises(SpiffError, match="type 'float'"):
        result('a: (( "x" n ))', bindings={"n": 1})
    assert result('a: (( "x" n ))', bindings={"n": 1}, floats=False) == {"a": "x1"}


def test_the_document_hides_bindings() -> None:
    """A name of the document hides that of a binding; `___` reaches it."""
    assert result("x: 1\na: (( x ))\nb: (( ___.x ))", bindings={"x": 2}) == {"x": 1, "a": 1, "b": 2}


def test_state() -> None:
    """What is marked &state comes back and stays."""
    first = merge("p: (( &state ( q ) ))\nq: 1\n")
    second = merge("p: (( &state ( q ) ))\nq: 2\n", [], Options(state=first.state))

    assert first.state == {"p": 1}
    assert second.documents == [{"p": 1, "q": 2}]


FILES = {"/d/a.yml": "x: (( v ))\n", "/d/b.txt": "text", "/d/e/c.json": '{"k": 1}'}


def test_files() -> None:
    """Files of the run are read in several modes, and listed."""
    template = (
        'v: 5\na: (( read("/d/a.yml") ))\nb: (( read("d/b.txt") ))\nc: (( (read("/d/e/c.json")).k ))\n'
        'l: (( list_files("/d") ))\nd: (( list_dirs("/d") ))\nf: (( lookup_file("b.txt", "/x", "/d") ))\n'
        'i: (( read("/d/b.txt", "binary") ))\n'
    )

    assert result(template, files=FILES, access="files") == {
        "v": 5, "a": {"x": 5}, "b": "text", "c": 1, "l": ["a.yml", "b.txt"], "d": ["e"], "f": ["/d/b.txt"], "i": "dGV4dA==",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/etc/passwd", "../etc/passwd", "/d/../../etc/passwd"])
def test_files_outside_do_not_exist(path: str) -> None:
    """Nothing but the given files is there."""
    with pytest.raises(SpiffError, match="file does not exist"):
        result(f'a: (( read("{path}", "text") ))', files=FILES, access="files")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("d/c.txt", "read: error reading [d/c.txt]: file does not exist"),
        ("/e/f/c.txt", "read: error reading [/e/f/c.txt]:  /e: file does not exist"),
        ("/d/b.txt/c", "read: error reading [/d/b.txt/c]:  /d/b.txt: is no directory"),
    ],
)
def test_files_that_are_absent(path: str, said: str) -> None:
    """The message has the path once, and the folder where it ends."""
    with pytest.raises(SpiffError) as caught:
        result(f'a: (( read("{path}") ))', files=FILES, access="files")

    assert caught.value.message.endswith(f"*{said}")


OFF = {
    'read("/d/b.txt")': "read", 'read_uncached("/d/b.txt")': "read", 'lookup_file("a", "b")': "lookup", 'lookup_dir("a", "b")': "lookup",
    'list_files("/")': "listFiles", 'list_dirs("/")': "listFiles", 'exec("ls")': "exec", 'exec_uncached("ls")': "exec",
    'pipe("a", "b", "c")': "pipe", 'pipe_uncached("a", "b", "c")': "pipe", 'write("a", "b")': "write", 'tempfile("a")': "tempfile",
    'mkdir("a")': "mkdir", 'env("HOME")': "env", 'eval("env($HOME)")': "env",
}  # fmt: skip


@pytest.mark.parametrize(("call", "name"), OFF.items(), ids=OFF.keys())
def test_refused(call: str, name: str) -> None:
    """A function that would reach outside fails and says its name; the failure can be caught."""
    message = f"{name}: no OS operations supported in this execution environment"

    assert result(f"a: (( catch({call}) ))\nb: (( {call} || 1 ))\nc: (( defined({call}) ))") == {
        "a": {"error": message, "valid": False}, "b": 1, "c": False,
    }  # fmt: skip


CLOCK = ("x509cert", "x509parsecert")


@pytest.mark.parametrize("name", CLOCK)
def test_the_clock_is_refused(name: str) -> None:
    """A function that depends on the time fails and says its name."""
    with pytest.raises(SpiffError, match=rf"\*{name}: not supported: .* depends on the clock"):
        result(f'a: (( {name}("x") ))')


def test_every_function_that_is_off_is_tried() -> None:
    """The cases above name all functions of the modules that reach outside."""
    off = {name for name, module in MODULES.items() if module in ("files", "refused")}

    assert off <= {call.partition("(")[0] for call in OFF} | set(CLOCK)


@pytest.mark.parametrize(
    "call", ["rand()", 'bcrypt("a")', 'md5crypt("a")', 'encrypt("a", "b")', "x509genkey()", "wggenkey()"]
)
def test_chance_is_refused(call: str) -> None:
    """A function whose result differs from run to run fails and says its name."""
    with pytest.raises(SpiffError, match=rf"\*{call.partition('(')[0]}: not supported"):
        result(f"a: (( {call} ))")


def test_network_is_refused() -> None:
    """A URL is not read, with files or without."""
    with pytest.raises(SpiffError, match="no OS operations supported"):
        result('a: (( read("http://localhost:1/x", "text") ))', files={}, access="files")


def test_interpolation() -> None:
    """Texts embed expressions only when the feature is on."""
    template = "m: 5\na: x (( m )) y (( m + 1 ))\nb: ((!m)) (( m ))\n"

    assert result(template)["a"] == "x (( m )) y (( m + 1 ))"
    assert result(template, features=["interpolation"]) == {"m": 5, "a": "x 5 y 6", "b": "((m)) 5"}


def test_partial() -> None:
    """Open expressions stay as texts, and the error is at hand."""
    merged = merge("a: (( b ))\nc: (( 1 + 1 ))\n", [], Options(partial=True))

    assert merged.documents == [{"a": "(( b ))", "c": 2}]
    assert merged.error is not None and "'b' not found" in merged.error.message


def test_preserved() -> None:
    """Temporary nodes and escapes stay on request."""
    template = "a: (( &temporary ( 1 ) ))\nb: ((!x))\n"

    assert result(template, preserve_temporary=True, preserve_escapes=True) == {"a": 1, "b": "((!x))"}


def test_data() -> None:
    """Data are templates too."""
    assert evaluate({"a": "(( b + 1 ))", "b": 1}, [{"b": 4}]).documents == [{"a": 5, "b": 4}]


@pytest.mark.parametrize("options", [{"access": "full"}, {"features": ["magic"]}])
def test_wrong_options(options: dict[str, Any]) -> None:
    """An option that nobody knows is an error."""
    with pytest.raises(ValueError, match="must be"):
        Options(**options)


ENDLESS = {
    "a lambda that calls itself": "f: (( |x|->_(x) ))\na: (( .f(1) ))",
    "two lambdas": "f: (( |x|->.g(x) ))\ng: (( |x|->.f(x) ))\na: (( .f(1) ))",
    "a template in itself": "t: (( &template ( *t ) ))\na: (( *t ))",
    "doubling": "f: (( |s|->_(s s) ))\na: (( .f([1]) ))",
    "a range": "a: (( [1..999999999999] ))",
    "ranges in ranges": "a: (( map[[1..3000]|x|->[1..3000]] ))",
    "eval": 'a: (( eval(a) ))\nb: (( (|x|->eval("_(x)"))(1) ))',
    "powers": "a: (( sum[[1..100]|[1]|s,x|->s s] ))",
    "lists in lists": "a: (( sum[[1..100]|[1]|s,x|->[s, s] ] ))",
    "a list twice": "a0: [1]\n" + "".join(f"a{i + 1}: (( [a{i}, a{i}] ))\n" for i in range(60)),
    "a map twice": "a0: {v: 1}\n" + "".join(f"a{i + 1}: {{k: (( a{i} )), l: (( a{i} ))}}\n" for i in range(60)),
    "maps in maps": 'a: (( sum[[1..100]|{}|s,x|->deepmerge(s, {"k" = s, "l" = s})] ))',
    "equal lists": "a: (( sum[[1..100]|[1]|s,x|->[s, s] ] == sum[[1..100]|[1]|s,x|->[s, s] ] ))",
    "texts": 'a: (( sum[[1..100]|"xxxxxxxx"|s,x|->s s] ))',
    "aliases": "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{i}: &a{i} [{', '.join(['*a' + (str(i - 1) if i else '')] * 10)}]\n" for i in range(9)),
}  # fmt: skip


@pytest.mark.parametrize("template", ENDLESS.values(), ids=ENDLESS.keys())
def test_endless_templates_end(template: str) -> None:
    """A template that would never end, or fill the memory, ends in an error."""
    with pytest.raises(SpiffError):
        result(template, limits=SpiffLimits(nodes=200_000, held=200_000, steps=200_000, output=1_000_000))


LIMITS: dict[str, tuple[str, SpiffLimits, str]] = {
    "evaluations": ("f: (( |n|->n < 1 ? 1 :_(n - 1) + _(n - 1) ))\na: (( .f(16) ))", SpiffLimits(steps=20_000), "more than 20000 evaluations"),
    "nodes": ("a: (( [1..100000] ))", SpiffLimits(nodes=1_000), "more than 1000 nodes"),
    "calls": ("f: (( |x|->x < 1 ? 1 :_(x - 1) ))\na: (( .f(60) ))", SpiffLimits(depth=50), "calls inside each other"),
    "output": ("a: a text that is too long", SpiffLimits(output=10), "more than 10 characters of output"),
}  # fmt: skip


@pytest.mark.parametrize(("template", "limits", "message"), LIMITS.values(), ids=LIMITS.keys())
def test_each_limit(template: str, limits: SpiffLimits, message: str) -> None:
    """Each limit is counted by itself, and named; without it the template ends."""
    assert merge(template).documents

    with pytest.raises(SpiffError) as caught:
        result(template, limits=limits)

    assert message in caught.value.message


def test_deep_data() -> None:
    """Nesting at the limit of YAML goes through."""
    assert result("a: " + "[" * 400 + "]" * 400)["a"] is not None


def test_references_cost_no_passes() -> None:
    """A chain against the order of keys needs no pass for each link."""
    count = 300
    template = "".join(f"a{i:03d}: (( a{i + 1:03d} ))\n" for i in range(count)) + f"a{count}: 7\n"

    assert result(template, limits=SpiffLimits(passes=20))["a000"] == 7


WORDS = ["(( ", " ))", "merge", "a", ".a", "*", "_", "(", ")", "[", "]", "|x|->", "x", "||", "~~", "1", '"s"', " ", "&template", "&inject ", "map[", "..", "\n", "b: ", "- ", "<<: "]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25), st.booleans())
def test_random_templates(words: list[str], control: bool) -> None:
    """Whatever a template holds: a result or a SpiffError."""
    options = Options(features=["control"] if control else [], limits=SpiffLimits(nodes=20_000, steps=20_000))
    ended = ""
    try:
        ended = str(merge("a: " + "".join(words), ["a: {b: 1}"], options).documents)
    except SpiffError as error:
        ended = error.message

    assert ended
