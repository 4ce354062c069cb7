"""Lists whose first entry is `<<`: what it inserts, replaces or marks."""

from __future__ import annotations

import pytest

from krmkit.libraries.spiff import merge

REPLACED = """\
shops:
- <<: (( merge replace ))
- north
"""
TEMPLATE = """\
greeting:
- <<: (( &template ))
- hello
- (( name ))
name: ann
said: (( *greeting ))
"""


@pytest.mark.parametrize(
    ("template", "stubs", "key", "expected"),
    [
        pytest.param(REPLACED, ["shops: [west, south]\n"], "shops", ["west", "south"], id="merge replace"),
        pytest.param(TEMPLATE, [], "said", ["hello", "ann"], id="a list as a template"),
    ],
)
def test_first_entries(template: str, stubs: list[str], key: str, expected: list[str]) -> None:
    """`merge replace` takes the stub's list alone; `&template` makes the list one that each use evaluates."""
    merged = merge(template, stubs)

    assert merged.documents[0][key] == expected
