"""What Go's yaml.v3 reads where libyaml alone says something else."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError

CASES: dict[str, tuple[str, object]] = {
    "an exclamation mark resolves a plain number": ("a: ! 12\n", {"a": 12}),
    "an exclamation mark resolves null": ("a: ! null\n", {"a": None}),
    "an exclamation mark alone is null": ("a: !\n", {"a": None}),
    "an exclamation mark before quotes is a text": ('a: ! "12"\n', {"a": "12"}),
    "a colon before the bracket": ("a: [1.2.3.4, 001:db8::]\n", {"a": ["1.2.3.4", "001:db8::"]}),
    "a colon before a comma": ("a: [fe80::, x]\n", {"a": ["fe80::", "x"]}),
    "colons in other texts stay": ("a: [b:]\nc: ':,'\nd: |\n  x:,\n", {"a": ["b:"], "c": ":,", "d": "x:,\n"}),
    "a quoted key before a bracket": ('{"a":[1],"b":{"c":2}}\n', {"a": [1], "b": {"c": 2}}),
    "a quoted merge key is a text": ('"<<": {b: 1}\n', {"<<": {"b": 1}}),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_reading(text: str, expected: object) -> None:
    """The text has Go's value."""
    assert go_data(parse(text).root) == expected


def test_other_versions_are_refused() -> None:
    """Go reads no `%YAML` but 1.1."""
    with pytest.raises(YamlError, match=r"1\.1"):
        parse("%YAML 1.2\n---\na: 1\n")
