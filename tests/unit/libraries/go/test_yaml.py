"""toYaml and fromYaml of Landscaper's set, as sigs.k8s.io/yaml."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Int64, NilList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.time.values import Duration, Time
from krmkit.libraries.sprig import functions
from krmkit.libraries.sprig.semvers import semver


def to_yaml(value: object) -> object:
    """toYaml of the landscaper set."""
    return functions("landscaper")["toYaml"].impl(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": [1.0, {"c": None}], "a": {}}, "a: {}\nb:\n- 1\n- c: null", id="compact dashes"),
        pytest.param({"x10": 1.0, "x9": 2.0, "X1": 3.0}, "X1: 3\nx9: 2\nx10: 1", id="keys in natural order"),
        pytest.param({"a1b": 1.0, "a1": 2.0, "a-": 3.0, "a01": 4.0}, "a-: 3\na1: 2\na1b: 1\na01: 4",
                     id="numbers and signs in keys"),
        pytest.param({"y": "no", "n": "on"}, '"n": "on"\n"y": "no"', id="booleans of YAML 1.1"),
        pytest.param(["010", "1e3", "2024-01-01", "1:30", "~", ""], '- "010"\n- "1e3"\n- "2024-01-01"\n- "1:30"\n- "~"\n- ""',
                     id="texts that look like something else"),
        pytest.param("a: b", "'a: b'", id="a text that cannot stand plain"),
        pytest.param({"t": "one\ntwo\n"}, "t: |\n  one\n  two", id="several lines"),
        pytest.param({"t": "one\ntwo"}, "t: |-\n  one\n  two", id="several lines without a last feed"),
        pytest.param([1e6, 1.5, 1e21, 1e-7, 1e18], "- 1000000\n- 1.5\n- 1e+21\n- 1e-07\n- 1000000000000000000",
                     id="numbers"),
        pytest.param([Int64(5), True, NilList()], "- 5\n- true\n- null", id="other values"),
        pytest.param("word " * 19 + "end", "word word word word word word word word word word word word word word word word word\n"
                     "  word word end", id="long lines are folded"),
        pytest.param(semver("v1.2"), "1.2.0", id="a version"),
        pytest.param([], "[]", id="an empty list"),
        pytest.param("to be continued...", "to be continued...", id="dots at the end of a text"),
        pytest.param("and ...", "and ...", id="dots behind a blank"),
        pytest.param({"k": {"m": "more..."}}, "k:\n  m: more...", id="dots at the end of a map"),
        pytest.param(["one", "more..."], "- one\n- more...", id="dots at the end of a list"),
        pytest.param("first\nlast...\n", "|\n  first\n  last...", id="dots at the end of a block"),
        pytest.param({"t": "first\n...\n"}, "t: |\n  first\n  ...", id="a line of dots in a block"),
        pytest.param({"t": "kept...\n\n"}, "t: |+\n  kept...\n", id="dots in front of kept line feeds"),
        pytest.param({"t": "..."}, 't: \'...\'', id="nothing but dots"),
        pytest.param({"t": Time(0, 0)}, 't: "1970-01-01T00:00:00Z"', id="a time is quoted as its text is"),
        pytest.param(Duration(1500), "1500", id="a duration is a number"),
        pytest.param([float("nan")], "", id="what JSON cannot hold"),
        pytest.param("stray \udcff", "stray \ufffd", id="a stray byte"),
    ],
)  # fmt: skip
def test_to_yaml(value: object, expected: str) -> None:
    """No final newline, no document markers."""
    assert to_yaml(value) == expected


def test_loops_are_refused() -> None:
    """A value that contains itself ends in an error."""
    loop: list[object] = []
    loop.append(loop)

    with pytest.raises(GoError, match="contains itself"):
        to_yaml(loop)


def test_from_yaml() -> None:
    """Numbers are float64, bad YAML is an error."""
    read = functions("landscaper")["fromYaml"].impl

    assert read("a: 1\nb: [x, null]\n") == {"a": 1.0, "b": ["x", None]}
    assert type(read("3")) is float
    assert read("") is None
    with pytest.raises(GoError, match="error converting YAML to JSON"):
        read("a: [")
