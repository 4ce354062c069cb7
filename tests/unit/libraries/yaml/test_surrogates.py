r"""Pairs of surrogate escapes, `\ud83d\ude00`, in JSON texts."""

from __future__ import annotations

import json

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.surrogates import joined


def resource_list(value: str) -> dict[str, object]:
    """A ResourceList with one ConfigMap."""
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": value}}
    return {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [item]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"\ud83d\ude00"', '"😀"'),
        (r'["\uD83D\uDE80 \ud800\udc00", "é"]', '["🚀 𐀀", "é"]'),
        (r'{"\ud83d\ude00": 1}', '{"😀": 1}'),
        (r'"\\ud83d\\ude00"', r'"\\ud83d\\ude00"'),
        (r'"\\\ud83d\ude00"', '"\\\\😀"'),
        (r'"é\n"', r'"é\n"'),
        (r"{a: '\ud83d\ude00'}", r"{a: '\ud83d\ude00'}"),
        (r"a: \ud83d\ude00", r"a: \ud83d\ude00"),
    ],
    ids=["a text", "capital letters", "a key", "an escaped backslash", "one in front", "no surrogates", "YAML", "plain YAML"],
)  # fmt: skip
def test_joined(text: str, expected: str) -> None:
    """Only JSON is changed, and only pairs in it."""
    assert joined(text) == expected


@pytest.mark.parametrize(
    ("text", "column", "half"),
    [
        (r'{"a": "x\ud83d"}', 9, "d83d"),
        (r'["\ude00\ud83d"]', 3, "de00"),
        (r'"\ud83d\ud83d\ude00"', 2, "d83d"),
    ],
)
def test_half_a_pair(text: str, column: int, half: str) -> None:
    """Half a pair is not a character; the error has its place."""
    with pytest.raises(YamlError, match=half) as caught:
        joined(text)

    assert (caught.value.line, caught.value.column) == (1, column)


def test_as_a_text() -> None:
    """What json.dumps of Python writes is read as data."""
    data = {"k": ["grin 😀", "\\ud83d"], "😀": None}

    assert go_data(parse(json.dumps(data)).root) == data


def test_as_a_resource_list() -> None:
    """A list in JSON keeps the character; the output holds no pair, which no YAML reader takes."""
    text = json.dumps(resource_list("grin 😀"))
    resources = ResourceList.parse(text)

    assert resources.items[0].get("data", "x") == "grin 😀"
    assert json.loads(resources.render()) == resource_list("grin 😀")
    assert "\\ud83d" not in resources.render()


def test_half_a_pair_in_a_resource_list() -> None:
    """A lone surrogate is refused with its place."""
    with pytest.raises(YamlError, match="half of a surrogate pair"):
        ResourceList.parse(json.dumps(resource_list("\ud83d")))
