"""Lists cut into verbatim items; tests/property holds both ways against a full parse."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.chunks import Chunks
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.split import split, split_fast

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
ONE = "kind: A\n  metadata:\n    name: one\n"
TWO = "kind: B\n  metadata:\n    name: two\n"


def joined(chunks: Chunks) -> str:
    if chunks.joints is not None:
        gaps = [*chunks.joints, ""]
        body = "".join(item + gap for item, gap in zip(chunks.items, gaps, strict=False))
    else:
        body = "".join(chunks.dash + item for item in chunks.items)
    return chunks.head + body + chunks.tail


FAST = {
    "as kpt sends it": (HEAD + "- " + ONE + "- " + TWO, "", [ONE, TWO]),
    "config behind": (HEAD + "- " + ONE, "functionConfig:\n  data: {a: '- b'}\n", [ONE]),
    "results behind": (HEAD + "- " + ONE, "results:\n- message: a\n- message: b\n", [ONE]),
    "other key behind": (HEAD + "- " + ONE, "zone: x\n", [ONE]),
    "comments above the tail": (HEAD + "- " + ONE, "# one\n# two\nkind: ResourceList\n", [ONE]),
    "config before": ("functionConfig:\n  list:\n  - a\n" + HEAD + "- " + ONE, "", [ONE]),
    "list before": ("results:\n- message: a\n" + HEAD + "- " + ONE, "", [ONE]),
    "comment on the dash line": (HEAD + "- # c\n  " + ONE + "- " + TWO, "", ["# c\n  " + ONE, TWO]),
    "comment between": (HEAD + "- " + ONE + "# c\n- " + TWO, "", [ONE + "# c\n", TWO]),
    "comment above the first": (HEAD + "\n# c\n- " + ONE, "", [ONE]),
    "comment at the end": (HEAD + "- " + ONE + "# end\n\n", "", [ONE + "# end\n\n"]),
    "no final newline": (HEAD + "- a: 1\n- b: 2", "", ["a: 1\n", "b: 2"]),
    "wide dashes": (HEAD + "-   a: 1\n    b: 2\n", "", ["  a: 1\n    b: 2\n"]),
    "null item": (HEAD + "- \n- a: 1\n- ", "", ["\n", "a: 1\n", ""]),
    "list in an item": (HEAD + "- a:\n  - b\n  - c\n- d: 1\n", "", ["a:\n  - b\n  - c\n", "d: 1\n"]),
    "dashes in a literal": (HEAD + "- a: |\n    - b\n\n    - c\n", "", ["a: |\n    - b\n\n    - c\n"]),
    "quotes in a comment": (HEAD + "- a: 1 # it's\n- b: 1\n", "", ["a: 1 # it's\n", "b: 1\n"]),
    "flow in an item": (HEAD + "- a: {b: [c, 'd']}\n- b: 1\n", "", ["a: {b: [c, 'd']}\n", "b: 1\n"]),
    "flow over lines": (HEAD + "- a: {b: c,\n    d: e}\n- b: 1\n", "", ["a: {b: c,\n    d: e}\n", "b: 1\n"]),
    "quotes over lines": (HEAD + "- a: 'b\n    c'\n- b: 1\n", "", ["a: 'b\n    c'\n", "b: 1\n"]),
    "anchors across items": (HEAD + "- a: &x 1\n- b: *x\n", "", ["a: &x 1\n", "b: *x\n"]),
    "other scripts": (HEAD + "- a: é\u00a0\n- b: \U0001f600\n", "", ["a: é\u00a0\n", "b: \U0001f600\n"]),
    "explicit document start": ("---\n" + HEAD + "- " + ONE, "", [ONE]),
}


@pytest.mark.parametrize(("text", "tail", "items"), FAST.values(), ids=FAST.keys())
def test_fast(text: str, tail: str, items: list[str]) -> None:
    """What kpt sends and people write is cut the fast way, in both indentations."""
    chunks = split(text + tail)

    assert (chunks.items, chunks.tail, chunks.dash, chunks.column) == (items, tail, "- ", 2)
    assert joined(chunks) == text + tail

    indented = text[: text.index("items:\n") + 7]
    indented += "".join("  " + line + "\n" if line else "\n" for line in text[len(indented) :].split("\n"))[
        :-1
    ]
    chunks = split(indented + tail)

    assert len(chunks.items) == len(items)
    assert (chunks.tail, chunks.dash, chunks.column) == (tail, "  - ", 4)
    assert joined(chunks) == indented + tail


EXACT = {
    "windows": (HEAD.replace("\n", "\r\n") + "- a: 1\r\n- b: 2\r\n", ["a: 1\r\n", "b: 2\r\n"]),
    "lone returns": (HEAD + "- a: 1\r- b: 2\n", ["a: 1\r", "b: 2\n"]),
    "line separator": (HEAD + "- a: 1\u2028- b: 2\n", ["a: 1\u2028", "b: 2\n"]),
    "byte order mark": ("\ufeff" + HEAD + "- a: 1\n- b: 2\n", ["a: 1\n", "b: 2\n"]),
    "quoted item look-alike": (HEAD + "- a: 'x\n- b: y'\n- c: 1\n", ["a: 'x\n- b: y'\n", "c: 1\n"]),
    "quoted end look-alike": (HEAD + "- a: 'x\nfunctionConfig:'\n", ["a: 'x\nfunctionConfig:'\n"]),
    "quoted items look-alike": ("kind: 'x\nitems:\n- a: 1'\nitems:\n- b: 2\n", ["b: 2\n"]),
    "quoted key": ('"items":\n- a: 1\n', ["a: 1\n"]),
    "comment behind the key": ("items: # all\n- a: 1\n", ["a: 1\n"]),
    "anchor and tag on the list": ("items: &l !!seq\n- a: 1\n", ["a: 1\n"]),
    "end marker": (HEAD + "- a: 1\n...\n", ["a: 1\n"]),
    "empty second document": (HEAD + "- a: 1\n---\n", ["a: 1\n"]),
    "empty first document": ("---\n---\n" + HEAD + "- a: 1\n", ["a: 1\n"]),
    "indented root": ("  items:\n  - a: 1\n  # c\n  kind: x\n", ["a: 1\n"]),
}


@pytest.mark.parametrize(("text", "items"), EXACT.values(), ids=EXACT.keys())
def test_exact(text: str, items: list[str]) -> None:
    """Everything else that YAML allows goes the exact way."""
    chunks = split(text)

    assert chunks.items == items
    assert chunks.unverified == set(range(len(items)))
    assert joined(chunks) == text


def test_content_below_the_dash() -> None:
    """Where an item begins on the line below its dash, the blank or break behind a dash belongs to the item."""
    text = HEAD + "-\n  a: 1\n- b: 2\n"
    chunks = split(text)

    assert chunks.items == ["\n  a: 1\n", " b: 2\n"]
    assert (chunks.dash, chunks.column) == ("-", 1)
    assert joined(chunks) == text


FLOW = {
    "json": ('{"kind": "ResourceList", "items": [{"a": 1}, {"b": "]"}]}', ['{"a": 1}', '{"b": "]"}'], [", "]),
    "json over lines": (
        '{\n "items": [\n  {"a": 1},\n  {"b": 2}\n ]\n}\n',
        ['{"a": 1}', '{"b": 2}'],
        [",\n  "],
    ),
    "in a block list": ("items: [{a: 1}, {b: 2}]\nkind: x\n", ["{a: 1}", "{b: 2}"], [", "]),
    "comma at the end": ("items: [{a: 1}, {b: 2} , ]\n", ["{a: 1}", "{b: 2}"], [", ", " ,"]),
    "comments": ("items: [ # [\n  {a: 1}, # ,\n  {b: 2} # ]\n]\n", ["{a: 1}", "{b: 2}"], [", # ,\n  "]),
    "anchors": ("items: [&a {a: 1}, *a]\n", ["&a {a: 1}", "*a"], [", "]),
}


@pytest.mark.parametrize(("text", "items", "joints"), FLOW.values(), ids=FLOW.keys())
def test_flow(text: str, items: list[str], joints: list[str]) -> None:
    """Flow style and JSON: the exact texts of the items, and what stands between them."""
    chunks = split(text)

    assert chunks.flow
    assert (chunks.items, chunks.joints) == (items, joints)
    assert chunks.head.rstrip(" \n").endswith(("[", "[ # ["))
    assert chunks.tail.lstrip(" #]\n") == text[text.rindex("]") + 1 :].lstrip()
    assert joined(chunks) == text


ABSENT = {
    "no value": "items:\nkind: x\n",
    "no value at the end": "kind: x\nitems:",
    "null": "items: null # none\nkind: x\n",
    "tilde": "items: ~\r\nkind: x\r\n",
    "tagged null": "items: !!null null\nkind: x\n",
    "json null": '{"items": null, "kind": "x"}',
    "no key": "kind: x\n",
    "no key in json": '{"kind": "x"}',
    "empty": "items: []\n",
    "empty json": '{"items": [ ]}',
}


@pytest.mark.parametrize("text", ABSENT.values(), ids=ABSENT.keys())
def test_absent(text: str) -> None:
    """A list without items is its head."""
    chunks = split(text)

    assert (chunks.items, chunks.head, chunks.tail) == ([], text, "")


ERRORS = {
    "empty": ("", "the text is empty"),
    "only comments": ("# c\n", "the text is empty"),
    "text": ("hello\n", "line 1, column 1: a mapping with `items` is expected, not 'hello'"),
    "list": ("- a\n", "line 1, column 1: a mapping with `items` is expected, not a list"),
    "items a mapping": ("items:\n  a: 1\n", "line 2, column 3: `items` must be a list, not a mapping"),
    "items a text": ("items: abc\n", "line 1, column 8: `items` must be a list, not 'abc'"),
    "items a quoted null": ("items: 'null'\n", "`items` must be a list"),
    "items an alias": ("a: &x []\nitems: *x\n", "`items` must be a list, not '*x'"),
    "items twice": ("items:\n- a: 1\nitems:\n- b: 1\n", "line 3, column 1: the key `items` occurs twice"),
    "items twice, null": ("items:\nitems:\n- b: 1\n", "line 2, column 1: the key `items` occurs twice"),
    "two documents": (HEAD + "- a: 1\n---\n" + HEAD + "- b: 1\n", "a second document starts here"),
    "second document a text": (HEAD + "- a: 1\nzone: x\n--- hello\n", "a second document starts here"),
    "open quote": ("items:\n- a: 'x\n", "line 3, column 1"),
    "tab": ("items:\n\t- a: 1\n", "line 2, column 1"),
    "explicit key": (
        "? items\n: - a: 1\n",
        "line 2, column 3: the first item must be on a line of its own",
    ),
    "half a pair": ("items: []\nkind: \ud800\n", "line 2, column 7: the text holds a lone surrogate"),
}


@pytest.mark.parametrize(("text", "message"), ERRORS.values(), ids=ERRORS.keys())
def test_errors(text: str, message: str) -> None:
    """What is not a list is an error that says where and what was expected."""
    with pytest.raises(YamlError) as caught:
        split(text)

    assert message in str(caught.value)


DEEP = "items:\n- a: " + "[" * 30 + "]" * 30 + "\n"
LIMITS = {
    "total size": ("items: []\n", Limits(total_size=5), "total_size"),
    "items": ("items:\n- a: 1\n- b: 1\n", Limits(items=1), "items"),
    "items in flow style": ("items: [{}, {}]\n", Limits(items=1), "items"),
    "item size": ("items:\n- a: 1\n- b: 123456789\n", Limits(item_size=8), "item_size"),
    "depth": ("kind: x\r\n" + DEEP, Limits(depth=20), "depth"),
}


@pytest.mark.parametrize(("text", "limits", "name"), LIMITS.values(), ids=LIMITS.keys())
def test_limits(text: str, limits: Limits, name: str) -> None:
    """Each limit is named together with the way to raise it, and a raised one lets the text through."""
    with pytest.raises(LimitError) as caught:
        split(text, limits)

    assert caught.value.limit == name
    assert f"--limit {name}=N" in str(caught.value)
    assert split(text).items is not None


UNVERIFIED = {
    "key first": ("a: 1\n", False),
    "comment first": ("# c\n  a: 1\n", False),
    "quoted at the end of the line": ("a: 'b'\n", False),
    "quoted in a list": ("a:\n  - 'b'\n", False),
    "quoted, then a comment": ("a: 'b' # c\n", False),
    "apostrophe": ("a: it's\n", False),
    "flow on a line": ("a: {b: 'c'}\n", False),
    "literal": ("a: |\n    'x\n    {\n", False),
    "literal that ends": ("a: |\n    'x\n  b: {\n    }\n", True),
    "literal with a comment behind its sign": ("a: | # c\n    'x\n", True),
    "literal with a depth": ("a: |2\n    'x\n", True),
    "quoted over lines": ("a: 'b\n    c'\n", True),
    "flow over lines": ("a: [\n    b]\n", True),
    "wide dash": ("  a: 1\n", True),
    "literal item": ("|\n  a: 1\n", True),
    "literal item below a comment": ("# c\n  |\n  a: 1\n", True),
    "anchor first": ("&x\n  a: 1\n", True),
    "tab": ("a:\t1\n", True),
    "comment left of the content": ("a: 1\n# c\n  b: 2\n", True),
}


@pytest.mark.parametrize(("item", "unverified"), UNVERIFIED.values(), ids=UNVERIFIED.keys())
def test_unverified(item: str, unverified: bool) -> None:
    """Items whose lines may not be what they look like are marked; the others can be searched by line."""
    chunks = split(HEAD + "- x: 1\n- " + item + "- y: 1\n")

    assert chunks.items[1] == item
    assert chunks.unverified == ({1} if unverified else set())


@pytest.mark.parametrize(
    "text",
    ["items:\n- a: ['x'']\n- b']\n", "items:\n- a: b\n\x01x\n- c: d\n"],
    ids=["open text", "control character"],
)
def test_not_fast(text: str) -> None:
    """A boundary that is none, and a line that no reader accepts."""
    assert split_fast(text) is None


@pytest.mark.parametrize(
    ("tail", "read"),
    [("functionConfig: {kind: A}\n", 1), ("functionConfig: *x\n", 0), ("a: 1\na: 2\n", 0)],
    ids=["plain", "anchor in an item", "key twice"],
)
def test_envelope_is_read_once(tail: str, read: int) -> None:
    """The split hands on the document around the items that it has read, unless it could only look at its form."""
    chunks = split("kind: ResourceList\nitems:\n- a: &x {b: 1}\n" + tail)

    assert chunks.tail == tail
    assert [document.text for document in chunks.envelope] == [chunks.head + tail] * read


@pytest.mark.parametrize("together", [1, 2, 3, 128])
def test_items_are_looked_at_in_groups(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    """Which ones are unverified does not depend on the groups."""
    monkeypatch.setattr("krmkit.libraries.yaml.split._TOGETHER", together)
    unverified = {3, 4, 8, 9}
    items = ["  a: {b: [c]}\n", '  a: ["b", "c"]\n  d: \'e\'\n'] * 5
    items[3] = "  a: 'it''s\n    x'\n"
    items[4] = '  a: "b\n    c"\n'
    items[8] = "  a: b\tc\n"
    items[9] = "  a: [b,\n    c]\n"
    text = "items:\n" + "".join("- n: x\n" + item for item in items)

    chunks = split_fast(text)

    assert chunks is not None
    assert chunks.items == ["n: x\n" + item for item in items]
    assert chunks.unverified == unverified
