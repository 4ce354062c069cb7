"""Whatever else stands in a resource, an everyday function changes what it is for and leaves the rest, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.fn import loader
from krmkit.fn.run import run
from krmkit.fn.testing import resource_list

WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=8)
VALUES = st.one_of(
    WORDS,
    WORDS.map(lambda word: f'"{word}"'),
    WORDS.map(lambda word: f"'{word}' # note {word}"),
    st.sampled_from(
        ["yes", "010", "1e3", "~", "[a,   b]", "{x: 1}  # flow", "|\n      text\n      # no comment", "&a b"]
    ),
)
CONFIGS = {
    "set-namespace": "namespace: shop",
    "set-labels": "team: shop",
    "set-annotations": "note: shop",
    "set-image": "{name: nginx, newTag: '9'}",
    "apply-setters": "tag: '9'",
    "search-replace": "{by-value: nginx-old, put-value: nginx-new}",
    "delete-annotations": "annotationKeys: zz",
}
# Lines that may differ: those that a function is for.
MEANT = ("namespace: ", "labels:", "team: ", "annotations:", "note: ", "image: ")


def resource(fields: list[tuple[str, str]]) -> str:
    lines = "".join(f"    k{number}-{key}: {value}\n" for number, (key, value) in enumerate(fields))
    return (
        "# head\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a # the name\n  namespace: old\n"
        f"spec:\n  other:\n    first: 1\n{lines}  containers:\n"
        "  # above\n  - name: main\n    image: nginx:1 # kpt-set: nginx:${tag}\n# foot\n"
    )


@pytest.mark.parametrize("name", CONFIGS)
@settings(max_examples=40, deadline=None)
@given(fields=st.lists(st.tuples(WORDS, VALUES), max_size=6))
def test_other_lines_stay(name: str, fields: list[tuple[str, str]], project: Path) -> None:
    """Each line that a function is not for comes out as it went in, and a second run changes nothing."""
    del project
    function = loader.load(name)
    data = CONFIGS[name]
    config = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {data if data[0] == '{' else '{' + data + '}'}\n"
    text = resource_list([resource(fields)], config)

    once = run(function.definition, function.process, text)
    twice = run(function.definition, function.process, once.stdout)

    assert once.exit_code == 0, once.stderr
    kept = [line for line in text.split("\n") if not line.lstrip("- ").startswith(MEANT)]
    left = once.stdout.partition("\nresults:")[0].split("\n")
    position = 0
    for line in kept[:-1]:
        position = left.index(line, position) + 1
    assert twice.stdout.partition("\nresults:")[0] == once.stdout.partition("\nresults:")[0]
