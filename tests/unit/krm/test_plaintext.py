"""What of a text can be judged without parsing it."""

from __future__ import annotations

import pytest

from krmkit.krm.plaintext import is_line_safe
from krmkit.krm.resource import Resource

DOUBTFUL = [
    ("a quote over lines", 'a: "x\n  kind: y"\nkind: z\n'),
    ("a flow map over lines", "a: {b: c,\n kind: d}\nkind: z\n"),
    ("flow", "{kind: z}\n"),
    ("a tab", "a:\tb\nkind: z\n"),
    ("CRLF", "kind: z\r\n"),
    ("a second document", "kind: z\n...\nkind: y\n"),
    ("an odd line break", "a: x\u2028kind: y\nkind: z\n"),
]


@pytest.mark.parametrize("text", [case[1] for case in DOUBTFUL], ids=[case[0] for case in DOUBTFUL])
def test_line_safe_is_cautious(text: str) -> None:
    """Where lines could deceive, the parser is asked."""
    assert not is_line_safe(text)


def test_clean_reading_is_the_parsers() -> None:
    """What is read without parsing is what the parser reads."""
    text = "# head\napiVersion: v1\nkind: 'ConfigMap' # eol\nmetadata: {name: x}\ndata:\n  kind: |\n    kind: no\n"
    assert is_line_safe(text)
    item = Resource(text, lazy=True)
    assert (item.kind, item.name, item.api_version) == ("ConfigMap", "x", "v1")
