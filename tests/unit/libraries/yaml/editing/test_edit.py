"""Edits of a span tree: which lines change, and that nothing else does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from krmkit.libraries.yaml.copies import detached
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Entry, Map, Node, Seq

Edit = Callable[[Map], object]


def mapping(node: Node | None) -> Map:
    """The node, which must be a mapping."""
    assert isinstance(node, Map)
    return node


def sequence(node: Node | None) -> Seq:
    """The node, which must be a sequence."""
    assert isinstance(node, Seq)
    return node


def edit_and_swap(items: Seq) -> None:
    """Edit the first of two items inside, and put it last."""
    first = mapping(items.items[0])
    first.set("a", 9)
    first.set("new", "x")
    items.reorder([1, 0])


CASES: list[tuple[str, str, Edit, str]] = [
    ("scalar keeps its comment", "a: 1   # one\nb: 2\n", lambda r: r.set("a", 3), "a: 3   # one\nb: 2\n"),
    ("string keeps its quotes", "a: 'x' # c\n", lambda r: r.set("a", "it's"), "a: 'it''s' # c\n"),
    ("double quotes stay", 'a: "x"\n', lambda r: r.set("a", 'y"\n'), 'a: "y\\"\\n"\n'),
    ("ambiguous string is quoted", "a: x\n", lambda r: r.set("a", "yes"), 'a: "yes"\n'),
    (
        "literal keeps its form",
        "a: |\n    x\n    y\nb: 1\n",
        lambda r: r.set("a", "x\nz\n"),
        "a: |\n    x\n    z\nb: 1\n",
    ),
    ("literal without final break", "a: |\n  x\n", lambda r: r.set("a", "x\ny"), "a: |-\n  x\n  y\n"),
    (
        "literal that begins with a blank",
        "a: |\n  x\n",
        lambda r: r.set("a", " x\ny\n"),
        "a: |2\n   x\n  y\n",
    ),
    ("new key at the end", "a: 1\nb: 2", lambda r: r.set("c", 3), "a: 1\nb: 2\nc: 3"),
    (
        "new key before the tail comment",
        "a: 1\n\n# tail\n",
        lambda r: r.set("b", 2),
        "a: 1\nb: 2\n\n# tail\n",
    ),
    (
        "new key behind its sibling's notes",
        "m:\n  a: {}\n  # more: x\n\nn: 1\n",
        lambda r: mapping(r.get("m")).set("b", 2),
        "m:\n  a: {}\n  # more: x\n  b: 2\n\nn: 1\n",
    ),
    (
        "nested data",
        "a: 1\n",
        lambda r: r.set("b", {"c": [1, {"d": "e"}]}),
        "a: 1\nb:\n  c:\n  - 1\n  - d: e\n",
    ),
    (
        "lists follow the file",
        "x:\n  - 1\n",
        lambda r: r.set("z", [1]),
        "x:\n  - 1\nz:\n  - 1\n",
    ),
    ("empty flow opens up", "a: {} # c\n", lambda r: mapping(r.get("a")).set("b", 1), "a: # c\n  b: 1\n"),
    ("null becomes a mapping", "a: # c\nb: 1\n", lambda r: r.set("a", {"x": 1}), "a: # c\n  x: 1\nb: 1\n"),
    (
        "mapping becomes a scalar",
        "a: # c\n  x: 1\n  # y\nb: 1\n",
        lambda r: r.set("a", "z"),
        "a: z # c\nb: 1\n",
    ),
    ("list replaced", "a:\n- 1\n- 2 # c\nb: 1\n", lambda r: r.set("a", ["x"]), "a:\n- x\nb: 1\n"),
    ("remove with head comment", "a: 1\n# about b\nb: 2\nc: 3\n", lambda r: r.remove("b"), "a: 1\nc: 3\n"),
    (
        "the last item takes the comment below it along",
        "a:\n- x\n- y\n  # about y\nb: 1\n",
        lambda r: sequence(r.get("a")).remove(1),
        "a:\n- x\nb: 1\n",
    ),
    (
        "a blank line parts a comment from its key",
        "a: 1\n# on its own\n\nb: 2\n",
        lambda r: r.remove("b"),
        "a: 1\n# on its own\n\n",
    ),
    (
        "remove takes the body along",
        "a:\n  x: 1\n  # y: 2\nb: 1\n",
        lambda r: r.remove("a"),
        "b: 1\n",
    ),
    (
        "the head of the document stays",
        "# licence\na: 1\nb: 2\n",
        lambda r: r.remove("a"),
        "# licence\nb: 2\n",
    ),
    (
        "last child leaves {}",
        "a: # c\n  b: 1\nd: 2\n",
        lambda r: mapping(r.get("a")).remove("b"),
        "a: {} # c\nd: 2\n",
    ),
    ("last item leaves []", "a:\n- 1\nb: 2\n", lambda r: sequence(r.get("a")).remove(0), "a: []\nb: 2\n"),
    ("everything leaves {}", "# c\na: 1\n", lambda r: r.remove("a"), "# c\n{}\n"),
    (
        "insert first leaves the old first's comment",
        "l:\n# about x\n- x\n",
        lambda r: sequence(r.get("l")).insert(0, "new"),
        "l:\n- new\n# about x\n- x\n",
    ),
    (
        "append stays above the next key's comment",
        "l:\n- x\n# about k\nk: 1\n",
        lambda r: sequence(r.get("l")).append("y y"),
        "l:\n- x\n- y y\n# about k\nk: 1\n",
    ),
    (
        "items move with their comments",
        "l:\n# one\n- a: 1\n# two\n- b: 2\n",
        lambda r: sequence(r.get("l")).reorder([1, 0]),
        "l:\n# two\n- b: 2\n# one\n- a: 1\n",
    ),
    (
        "first key of an item",
        "l:\n- a: 1 # c\n  # about b\n  b: 2\n",
        lambda r: mapping(sequence(r.get("l")).items[0]).remove("a"),
        "l:\n- # about b\n  b: 2\n",
    ),
    ("flow mapping", "a: {b: 1, c: 2} # d\n", lambda r: mapping(r.get("a")).remove("b"), "a: {c: 2} # d\n"),
    ("flow list", "a: [1, 2]\n", lambda r: sequence(r.get("a")).append("x, y"), "a: [1, 2, 'x, y']\n"),
    (
        "JSON stays JSON",
        '{\n  "a": 1,\n  "b": [true]\n}\n',
        lambda r: (r.set("c", {"d": None}), sequence(r.get("b")).append("x")),
        '{\n  "a": 1,\n  "b": [true, "x"],\n  "c": {"d": null}\n}\n',
    ),
    (
        "CRLF stays CRLF",
        "a: 1\r\nb: 2\r\n",
        lambda r: r.set("c", {"d": 1}),
        "a: 1\r\nb: 2\r\nc:\r\n  d: 1\r\n",
    ),
    (
        "an alias outlives its anchor",
        "a: &x\n  k: 1\nb: *x\n",
        lambda r: r.remove("a"),
        "b:\n  k: 1\n",
    ),
    (
        "what is edited and moved keeps its comments",
        "l:\n# one\n- a: 1 # first\n  # inside\n  b: 2 # second\n# two\n- a: 3\n",
        lambda r: edit_and_swap(sequence(r.get("l"))),
        "l:\n# two\n- a: 3\n# one\n- a: 9 # first\n  # inside\n  b: 2 # second\n  new: x\n",
    ),
    (
        "what is edited and moved from a parent's dash line keeps its comments",
        "l:\n- - a: 1 # first\n    b: 2\n  - a: 3\n",
        lambda r: edit_and_swap(sequence(sequence(r.get("l")).items[0])),
        "l:\n- - a: 3\n  - a: 9 # first\n    b: 2\n    new: x\n",
    ),
    (
        "what is edited and moved keeps its line breaks",
        "l:\r\n- a: 1 # first\r\n- a: 3\r\n",
        lambda r: edit_and_swap(sequence(r.get("l"))),
        "l:\r\n- a: 3\r\n- a: 9 # first\r\n  new: x\r\n",
    ),
    (
        "a new list is indented as the first one, which has an anchor",
        "a: &all # c\n- 1\nb: *all\n",
        lambda r: r.set("c", [1]),
        "a: &all # c\n- 1\nb: *all\nc:\n- 1\n",
    ),
    (
        "a literal does not take in the comment below",
        "l:\n  a: 1\n    # deep\n  b: 2\n",
        lambda r: r.get("l").insert(1, "new", "x\ny\n"),  # type: ignore[union-attr]  # it is a mapping
        'l:\n  a: 1\n  new: "x\\ny\\n"\n    # deep\n  b: 2\n',
    ),
    (
        "a literal at the end without line break keeps what it says",
        "a: |\n  x",
        lambda r: r.set("b", 1),
        "a: |-\n  x\nb: 1",
    ),
]


@pytest.mark.parametrize(
    ("text", "edit", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_edit(text: str, edit: Edit, expected: str) -> None:
    """Exactly the intended lines change, and the text says what the tree says."""
    document = parse(text)
    edit(mapping(document.root))

    rendered = render(document)

    assert rendered == expected
    assert go_data(parse(rendered).root) == go_data(document.root)


def test_edits_add_up() -> None:
    """Edits at one place do not get in each other's way."""
    document = parse("a:\n  b:\n    c: 1\n    d: 2\n")
    root = mapping(document.root)
    inner = mapping(mapping(root.get("a")).get("b"))
    inner.remove("d")
    inner.set("e", 3)
    mapping(root.get("a")).set("f", 4)
    root.set("g", 5)

    assert render(document) == "a:\n  b:\n    c: 1\n    e: 3\n  f: 4\ng: 5\n"


def test_comments_travel_between_documents() -> None:
    """An entry taken over from another text keeps its comments, shifted to its new column."""
    target = parse("a:\n    x: 1\n")
    source = mapping(parse("# above\nb: # beside\n  # inside\n  - 1\n").root)
    mapping(mapping(target.root).get("a")).append_entry(source.entries[0])

    assert render(target) == "a:\n    x: 1\n    # above\n    b: # beside\n      # inside\n      - 1\n"


@pytest.mark.parametrize(
    ("old", "comment"),
    [
        (" 1 # c", " # c"),
        (" {x: 1} # c", " # c"),
        (" [1,\n  2] # c", " # c"),
        (" >- # c\n  x", " # c"),
        ("", "  # theirs"),
    ],
)
@pytest.mark.parametrize("written", ['"x\n  y"', "'x\n\n  y'", "x\n  y", '!!str "x\n  y"'])
def test_a_comment_stays_behind_a_text_of_several_lines(written: str, old: str, comment: str) -> None:
    """What stands behind the value that was replaced must not end up inside the new one's quotes."""
    source = mapping(parse(f"v: {written}  # theirs\n").root)
    target = parse(f"k:{old}\nm: 2\n")
    mapping(target.root).set("k", source.get("v"))

    assert render(target) == f"k: {written}{comment}\nm: 2\n"


@pytest.mark.parametrize(
    ("text", "add", "expected"),
    [
        pytest.param("a: {}\n", "a: {x: 1,\n  y: 2}\n", "a: {x: 1,\n  y: 2}\n", id="whole"),
        pytest.param("y: {}\n", "x: {x: 1,\n  y: 2}\n", "y: 2\n", id="one entry"),
    ],
)
def test_entries_of_a_flow_mapping_over_several_lines(text: str, add: str, expected: str) -> None:
    """What closes the mapping, or parts its entries, does not come along with one of them."""
    target = mapping(parse(text).root)
    source = mapping(parse(add).root)
    if "x" in expected:
        target.set("a", source.get("a"))
    else:
        target.remove("y")
        target.append_entry(mapping(source.get("x")).entries[1])

    assert target.source is not None
    assert render(target.source) == expected


@pytest.mark.parametrize("add", ["e: >+\n", "e: |+\n\n"])
def test_an_empty_block_scalar_in_place_of_a_value(add: str) -> None:
    """A header put on a line would make the blank lines below part of the text."""
    target = parse("d: 1\ne: x\n\n\n")
    source = mapping(parse(add).root)
    mapping(target.root).set("e", source.get("e"))
    wanted = go_data(target.root)

    assert go_data(parse(render(target)).root) == wanted


def test_a_block_scalar_that_keeps_its_blank_lines_comes_between() -> None:
    """Its blank lines do not move with it, so what it says has to be proven."""
    target = parse("c:\n- x\n\n")
    source = mapping(parse("d: |+\n\n").root)
    items = sequence(mapping(target.root).get("c"))
    items.replace(0, source.get("d"))
    items.append("y")

    assert go_data(parse(render(target)).root) == {"c": ["\n", "y"]}


@pytest.mark.parametrize(
    ("text", "key", "value", "expected"),
    [
        ("? a\n: v\n", "b", {"c": 1}, "? a\n: v\nb:\n  c: 1\n"),
        ("f: 1\n? d\n: - x\n", "d", [], "f: 1\n? d\n: []\n"),
        ("? a\n? b\n", "c", 1, "? a\n? b\nc: 1\n"),
    ],
)
def test_an_edit_next_to_an_explicit_key(text: str, key: str, value: object, expected: str) -> None:
    """A key behind `? ` hinders no edit next to it."""
    target = parse(text)
    mapping(target.root).set(key, value)

    assert render(target) == expected


def test_a_key_without_a_place_for_a_value() -> None:
    """Behind `? a` without a colon no value fits, and the message says so."""
    target = parse("? a\n? b\n")
    mapping(target.root).set("a", 1)

    with pytest.raises(YamlError, match="write the key plainly"):
        render(target)


def test_a_pair_without_braces_gets_them_in_another_place() -> None:
    """`a: b` in `[a: b]` is a mapping only there."""
    target = parse("c: 1\n")
    source = mapping(parse("e: [a: 'b']\n").root)
    mapping(target.root).set("c", sequence(source.get("e")).items[0])

    assert render(target) == "c: {a: 'b'}\n"


def test_a_key_below_an_empty_block_scalar_at_the_end() -> None:
    """Without a final line break, the scalar's header is closed before the new key, not behind it."""
    target = parse("data: >")
    mapping(target.root).set("kind", "A")

    assert go_data(parse(render(target)).root) == {"data": "", "kind": "A"}


def test_a_text_that_begins_with_a_tab() -> None:
    """No literal that no reader takes is written: it is quoted, or refused."""
    target = parse("a: 1\n")
    source = mapping(parse("b: 1\nc: |2\n  \tx\n  y\nd: 1\n").root)
    for entry in source.entries[1:]:
        mapping(target.root).append_entry(Entry(entry.key, detached(entry.value)))
    wanted = go_data(target.root)

    try:
        written = render(target)
    except YamlError:
        return
    assert go_data(parse(written).root) == wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e: ['a', b: 'c']\nz: {q: r}\n", "e: ['a', {b: 'c', x: 1}]\nz: {q: r}\n"),
        ("e: [b: c, d] # d\n", "e: [{b: c, x: 1}, d] # d\n"),
    ],
)
def test_a_pair_without_braces_gets_them_with_a_second_key(text: str, expected: str) -> None:
    """`[a: b]` is a list of one mapping, whose braces are not there to be looked for."""
    document = parse(text)
    pairs = sequence(mapping(document.root).get("e")).items
    next(item for item in pairs if isinstance(item, Map)).set("x", 1)

    assert render(document) == expected


def test_a_literal_that_ended_its_text_gets_no_line_break() -> None:
    """`|` says as much as there is; behind a sibling it would say one line break more."""
    target = parse("j: 2\n")
    first = mapping(parse("a:\n  b: |\n    x").root)
    mapping(target.root).append_entry(first.entries[0])
    mapping(first.get("a")).append_entry(mapping(mapping(parse("a:\n  d: 1").root).get("a")).entries[0])

    assert go_data(parse(render(target)).root) == {"j": 2, "a": {"b": "x", "d": 1}}


@pytest.mark.parametrize("header", ["|-", "|", ">", "|+"])
def test_a_block_scalar_at_the_end_of_another_text(header: str) -> None:
    """It says in its new place what it said."""
    for end in ("", "\n", "\n\n"):
        source = parse(f"l:\n- {header}\n  x{end}")
        target = parse("a: 1\nb: 2\n")
        root = mapping(target.root)
        root.set("a", mapping(source.root).get("l"))
        wanted = go_data(target.root)

        assert go_data(parse(render(target)).root) == wanted


def test_a_tab_behind_the_header_of_a_literal() -> None:
    """It is a header all the same, and takes in no comment that follows in its new place."""
    target = parse("a: 1\n    # below\nb: 2\n")
    mapping(target.root).set("a", mapping(parse("a:\n  first: 1\n  last: |\t\n    two\n").root).get("a"))

    assert go_data(parse(render(target)).root) == {"a": {"first": 1, "last": "two\n"}, "b": 2}


@pytest.mark.parametrize("key", ['"x # y"', "'a # b: |'", "x"])
def test_a_literal_below_a_key_with_a_number_sign(key: str) -> None:
    """What looks like a comment in front of the header is part of the key."""
    target = parse("b:\n  c: 1\n        # deep\n  g: 2\n")
    source = parse(f"m:\n  {key}: |\n    text\n")
    mapping(mapping(target.root).get("b")).set("c", mapping(source.root).get("m"))

    assert go_data(parse(render(target)).root) == {
        "b": {"c": {yaml.safe_load(key): "text\n"}, "g": 2},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-\n  # c\n  h: []\n", "-\n  {}\n"),
        ("- -\n    # c\n    h: [x, y]\n", "- -\n    {}\n"),
        ("k:\n-\n  # c\n  # d\n  h: 1\n- 2\n", "k:\n-\n  {}\n- 2\n"),
    ],
)
def test_a_mapping_below_its_dash_is_emptied(text: str, expected: str) -> None:
    """With the comments above its only key."""
    document = parse(text)
    stack = [document.root]
    while stack:
        node = stack.pop()
        if isinstance(node, Map) and node.remove("h"):
            break
        stack += [entry.value for entry in node.entries] if isinstance(node, Map) else []
        stack += node.items if isinstance(node, Seq) else []

    assert render(document) == expected


def test_a_pair_without_braces_gets_another_value() -> None:
    """What is a pair stays one."""
    document = parse("e: [b: 'c' # d\n  , f]\n")
    pairs = sequence(mapping(document.root).get("e")).items
    mapping(pairs[0]).set("b", "x")

    assert render(document) == "e: [b: x # d\n  , f]\n"
