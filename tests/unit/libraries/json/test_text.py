"""krmkit.libraries.json.text: JSON read strictly, with places in the errors."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.libraries.json import text as jsontext
from krmkit.libraries.json.text import JsonError

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES, st.sampled_from([None, 1]))
def test_reads_what_json_writes(value: object, indent: int | None) -> None:
    """Every JSON text of the standard library is read back as the same data."""
    assert jsontext.parse(json.dumps(value, indent=indent)) == value


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        pytest.param('{"a": 1, "a": 2}', 'the key "a" occurs twice', None, id="duplicate-key"),
        pytest.param('[{"b": {"a": 1, "a": 1}}]', 'the key "a" occurs twice', None, id="inner-duplicate-key"),
        pytest.param("[NaN]", "NaN is not a JSON number", None, id="nan"),
        pytest.param("-Infinity", "-Infinity is not a JSON number", None, id="infinity"),
        pytest.param("9" * 5000, "more digits", None, id="endless-number"),
        pytest.param("", "a value is expected", (1, 1), id="empty"),
        pytest.param(
            '{\n "a": 1,\n}', "no comma may come before a closing brace", (2, 8), id="trailing-comma"
        ),
        pytest.param(
            '["a" ,\n]', "no comma may come before a closing bracket", (1, 6), id="trailing-comma-in-list"
        ),
        pytest.param("[,]", "a value is expected here", (1, 2), id="leading-comma"),
        pytest.param("{,}", "a key in double quotes is expected here", (1, 2), id="leading-comma-in-object"),
        pytest.param("[1,,2]", "a value is expected here", (1, 4), id="two-commas"),
        pytest.param('{"a" 1}', "colon", (1, 6), id="no-colon"),
        pytest.param("[1 2]", "comma", (1, 4), id="no-comma"),
        pytest.param('["a]', "not closed", (1, 2), id="open-string"),
        pytest.param('"\t"', "control character", (1, 2), id="control-character"),
        pytest.param("[1] x", "goes on", (1, 5), id="rest"),
        pytest.param("\ufeff{}", "byte order mark", (1, 1), id="byte-order-mark"),
        pytest.param("[" * 501, "deeper than 500", (1, 501), id="deep"),
        pytest.param('["\\"[{", ' + '{"a":' * 501, "deeper than 500", None, id="deep-after-quoted-brackets"),
    ],
)
def test_errors(text: str, message: str, place: tuple[int, int] | None) -> None:
    """A fault is named, with line and column where they are known."""
    with pytest.raises(JsonError) as caught:
        jsontext.parse(text)

    assert message in caught.value.message
    if place is not None:
        assert (caught.value.line, caught.value.column) == place


def test_brackets_in_strings_are_no_nesting() -> None:
    """Many brackets that stand side by side, or inside strings, are fine."""
    assert jsontext.parse("[" + ",".join(['"[\\\\"', "[]"] * 600) + "]") == ["[\\", []] * 600


def test_the_package_json_is_loaded_for_errors_only() -> None:
    """Reading costs no import of json; wording an error may."""
    code = (
        "import sys\n"
        "from krmkit.libraries.json import text as jsontext\n"
        "jsontext.parse('{\"a\": [1, 2.5, null]}')\n"
        "assert 'json' not in sys.modules\n"
        "try: jsontext.parse('{')\n"
        "except jsontext.JsonError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    assert done.returncode == 0, done.stderr
    assert "line 1, column 2: a key in double quotes" in done.stdout
