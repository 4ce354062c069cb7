"""The proof by lines: what closes on its line is known to, whatever may not is left to the parser."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.lines import all_close

CASES = {
    "flow mapping": ("a: {b: c, d: [e, f]}", True),
    "json": ('a: {"b":"c","d":["e"]}', True),
    "quotes in flow": ("a: ['b, ]', \"c}\"]", True),
    "quoted look-alike of a quote": ("a: ['x, \"', \"y']", False),
    "plain text with a quote in flow": ("a: {b:'x: '}", False),
    "plain text with a quote behind a blank": ("a: [b 'c]", False),
    "escaped quote in flow": ("a: ['b''c']", False),
    "escaped quote at the end of a text in flow": ("a: ['b'']", False),
    "escaped quote at the end of another text in flow": ("a: ['b', 'c'']", False),
    "empty texts in flow": ("a: ['', '']", True),
    "control character": ("a: b\x01", False),
    "many dashes": ("- " * 5 + "'b'", True),
    "quoted texts in flow": ('a: ["b", "c"]', True),
    "quoted texts in flow, the last one open": ('a: [b", c, "d", "]', False),
    "quoted texts in flow, a bracket in the last one": ('a: ["b", "c, d]', False),
    "quoted texts of two kinds in flow": ("a: [\"'\", 'b']", True),
    "quoted text of the other kind in flow, open": ('a: ["\'", \'b"]', False),
    "backslash in flow": ('a: ["b\\"]', False),
    "open flow": ("a: [b,", False),
    "closed too often": ("a: [b]]", False),
    "comment behind flow": ("a: [b] # it's", True),
    "number sign right behind flow": ("a: [b]#'", False),
    "comment in flow": ("a: [b # ]", False),
    "flow as a key": ("{a: b}: c", False),
    "anchor in flow": ("a: [&b 'c']", False),
    "tag in flow": ("a: [!b'c 'd']", False),
    "item": ("- {a: b}", True),
    "item in an item": ("- - 'a'", True),
    "quoted": ("a: 'b' # it's", True),
    "quoted, a blank at its end": ("a: 'b '", True),
    "quote that opens at the end": ("it's: '", False),
    "quotes in plain text": ("a: 5' by 6'", True),
    "brackets with blanks inside": ("a: { b: c }", True),
    "bracket that opens at the end": ("a}: {", False),
    "quoted, more behind": ("a: 'b' c", False),
    "escaped quote": ("a: 'b''c'", False),
    "backslash": ('a: "b\\" # "', False),
    "apostrophe": ("a: it's {x", True),
    "apostrophe in a key": ("it's: {a: b}", True),
    "comment": ("# 'a {", True),
    "comment behind a key": ("a: # 'b {", True),
    "comment in front of a look-alike of a key": ("a # b: 'c", True),
    "key after an explicit mark": ("? 'a", False),
    "tagged quote": ("a: !b 'c'", False),
    "block scalar's header": ("a: |- # 'b", False),
    "letter that is not ASCII": ("ключ: 'b'", True),
    "tab": ("a:\tb", False),
    "anchor": ("a: &b c", True),
    "alias as an item": ("- *b", True),
    "brackets that only close": ("a }]", True),
    "dash alone": ("- ", True),
    "dashes that are text": ("--- 'a: '", False),
}


@pytest.mark.parametrize(("line", "expected"), CASES.values(), ids=CASES.keys())
def test_lines(line: str, expected: bool) -> None:
    """One line among harmless ones."""
    assert all_close(f"x: 1\n  {line}\n  y: 1\n") is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('a: "b {c}', False),
        ("a: 'b [c]", False),
        ('a: [{b}, "c"]', True),
        ("a: [{b]", False),
        ("a: {b: [c}", False),
        ("a: {}", True),
        ("a: [{}]", True),
        ("a: {b #}", False),
        ("a: {b: *c}", False),
    ],
)
def test_brackets_and_quotes_on_one_line(line: str, expected: bool) -> None:
    """A bracket that closes says nothing about a quote in front of it."""
    assert all_close(f"x: 1\n  {line}\n  y: 1\n") is expected


LITERALS = {
    "text": ("a: |\n  {\n  'x\n\n  - \"y\n", True),
    "tab in a text": ("a: |\n  x\ty\n", True),
    "other control character": ("a: |\n  {\x01\n", False),
    "in a list": ("a:\n- b.c: |-\n    {\n", True),
    "not below the key of the dash": ("a:\n- b: |\n  {\n", False),
    "literal in a text": ("a: |\n  b: |\n    {\n  'x\n", True),
    "left of the text": ("a: |\n    x\n  {\n", False),
    "behind the text": ("a: |\n  {\nb: {\n  }\n", False),
    "comment that looks like a key": ("# a: |\n  {\n", False),
    "text that looks like a key": ("a: 'b\n\n  c: |\n    {'\n", False),
    "quoted key": ("'a': |\n  {\n", False),
}


@pytest.mark.parametrize(("text", "expected"), LITERALS.values(), ids=LITERALS.keys())
def test_texts_of_literal_blocks_open_nothing(text: str, expected: bool) -> None:
    """A line below `key: |` is text as long as it stands where the first one does."""
    assert all_close(text) is expected
