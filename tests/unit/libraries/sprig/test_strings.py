"""String functions: positions count bytes, nil is left out, results are counted before they are made."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core import limits
from krmkit.libraries.go.core.values import StringList, StringMap
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call, strings


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("trim", ("\u00a0 pod \n",), "pod", id="trim takes Unicode white space"),
        pytest.param("trimAll", ("-_", "_-a-b-_"), "a-b", id="trimAll takes a set"),
        pytest.param("trimPrefix", ("v", "vv1"), "v1", id="trimPrefix once"),
        pytest.param("trimSuffix", (".yaml", "a.yaml.yaml"), "a.yaml", id="trimSuffix once"),
        pytest.param("contains", ("od", "node"), True, id="contains"),
        pytest.param("hasPrefix", ("no", "node"), True, id="hasPrefix"),
        pytest.param("hasSuffix", ("no", "node"), False, id="hasSuffix"),
        pytest.param("repeat", (2, "né"), "néné", id="repeat"),
        pytest.param("substr", (1, 3, "machine"), "ac", id="substr"),
        pytest.param("substr", (2, -1, "machine"), "chine", id="substr to the end"),
        pytest.param("substr", (-5, 2, "machine"), "ma", id="substr from the start"),
        pytest.param("trunc", (3, "été"), "ét", id="trunc counts bytes"),
        pytest.param("trunc", (-2, "pool"), "ol", id="trunc from the end"),
        pytest.param("abbrev", (7, "controlplane"), "cont...", id="abbrev"),
        pytest.param("abbrev", (3, "controlplane"), "controlplane", id="abbrev below four"),
        pytest.param("abbrevboth", (8, 8, "controlplanes"), "...lanes", id="abbrevboth at the end"),
        pytest.param("abbrevboth", (6, 9, "abcdefghijklmnopqrstuvw"), "...ghi...", id="abbrevboth inside"),
        pytest.param("wrap", (4, "to be or notable"), "to\nbe\nor\nnotable", id="wrap leaves long words"),
        pytest.param("wrapWith", (4, "|", "to be notable"), "to|be|nota|ble", id="wrapWith cuts them"),
        pytest.param("quote", ('a"b', None, 2, 1e6), '"a\\"b" "2" "1e+06"', id="quote"),
        pytest.param("squote", ("it's", None, False), "'it's' 'false'", id="squote"),
        pytest.param("cat", ("x", None, 1, " y "), "x 1  y ", id="cat"),
        pytest.param("indent", (2, "a\n\nb"), "  a\n  \n  b", id="indent"),
        pytest.param("nindent", (1, "a"), "\n a", id="nindent"),
        pytest.param("replace", ("", ".", "ab"), ".a.b.", id="replace of nothing"),
        pytest.param("plural", ("node", "nodes", 1), "node", id="plural of one"),
        pytest.param("plural", ("node", "nodes", -1), "nodes", id="plural of minus one"),
        pytest.param("toString", (["a", None],), "[a <nil>]", id="toString"),
        pytest.param("join", (",", ["a", 1, None, 2.5]), "a,1,2.5", id="join drops nil"),
        pytest.param("join", (",", {"k": 1}), "map[k:1]", id="join of a single value"),
        pytest.param("splitList", ("", "aé"), ["a", "é"], id="splitList by nothing"),
        pytest.param("split", (":", "repo:1"), {"_0": "repo", "_1": "1"}, id="split"),
        pytest.param("splitn", ("/", 2, "a/b/c"), {"_0": "a", "_1": "b/c"}, id="splitn"),
        pytest.param("splitn", ("", 2, "abc"), {"_0": "a", "_1": "bc"}, id="splitn by nothing"),
        pytest.param("splitn", ("/", 0, "a/b"), {}, id="splitn of none"),
        pytest.param("sortAlpha", ([10, "b", 9, "B"],), ["10", "9", "B", "b"], id="sortAlpha as text"),
        pytest.param("toStrings", (None,), [], id="toStrings of nil"),
        pytest.param("hello", (), "Hello!", id="hello"),
    ],
)
def test_result(name: str, args: tuple[object, ...], expected: object) -> None:
    """Each function yields what Go's does."""
    assert call(name, *args) == expected


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        pytest.param("repeat", (-3, "a"), "strings: negative Repeat count", id="negative repeat"),
        pytest.param("indent", (-1, "a"), "strings: negative Repeat count", id="negative indent"),
        pytest.param(
            "substr", (4, 2, "abcdef"), "runtime error: slice bounds out of range [4:2]", id="crossed"
        ),
        pytest.param(
            "substr", (9, 99, "abc"), "runtime error: slice bounds out of range [9:3]", id="start behind"
        ),
        pytest.param(
            "substr", (-1, -1, "abc"), "runtime error: slice bounds out of range [:-1]", id="both negative"
        ),
        pytest.param(
            "substr",
            (-1, 8, "abc"),
            "runtime error: slice bounds out of range [:8] with length 3",
            id="end behind",
        ),
    ],
)
def test_failure(name: str, args: tuple[object, ...], message: str) -> None:
    """Go's panics become the errors of the call."""
    with pytest.raises(GoError) as caught:
        call(name, *args)

    assert caught.value.message == message


def test_a_cut_rune_is_kept_as_its_bytes() -> None:
    """Cutting inside of a rune leaves its bytes, and two halves make it whole again."""
    head, tail = strings.trunc(2, "日"), strings.trunc(-1, "日")

    assert head.encode("utf-8", "surrogateescape") == "日".encode()[:2]
    assert (head + tail).encode("utf-8", "surrogateescape").decode() == "日"


def test_types_of_results() -> None:
    """Lists of strings and maps of strings are types of their own."""
    assert type(call("splitList", ",", "a")) is StringList
    assert type(call("split", ",", "a")) is StringMap


def test_sort_alpha_sorts_a_string_list_in_place() -> None:
    """A []string that is handed in is sorted itself, as in Go; any other list is left alone."""
    names, others = StringList(["b", "a"]), ["b", "a"]

    assert call("sortAlpha", names) is names
    assert names == ["a", "b"]
    assert call("sortAlpha", others) == ["a", "b"]
    assert others == ["b", "a"]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        pytest.param("repeat", (10**15, "ab"), id="repeat"),
        pytest.param("indent", (10**12, "a\nb"), id="indent"),
        pytest.param("replace", ("a", "b" * 20_000, "a" * 20_000), id="replace"),
        pytest.param("join", ("x" * 10_000, [""] * 10_000), id="join"),
        pytest.param("wrapWith", (1, "x" * 10_000, "y" * 10_000), id="wrapWith"),
    ],
)
def test_long_results_are_refused(name: str, args: tuple[object, ...]) -> None:
    """A result beyond the limit is an error that names the limit."""
    with pytest.raises(GoError, match="MAX_LENGTH"):
        call(name, *args)


def test_the_limits_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are read at each call."""
    monkeypatch.setattr(limits, "MAX_LENGTH", 3)
    with pytest.raises(GoError):
        call("repeat", 4, "a")

    monkeypatch.setattr(limits, "MAX_LENGTH", 4)
    assert call("repeat", 4, "a") == "aaaa"
