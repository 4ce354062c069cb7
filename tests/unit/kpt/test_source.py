"""Files as text: split as kpt splits them, and joined without touching what did not change."""

from __future__ import annotations

import pytest

from krmkit.kpt.source import SourceFile, has_content, may_hold_orchestration, split_documents
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource

ONE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
TWO = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: two\n"

FILES = [
    ("one document", ONE, ["one"]),
    ("two", ONE + "---\n" + TWO, ["one", "two"]),
    ("a separator first", "---\n" + ONE + "---\n" + TWO, ["one", "two"]),
    ("comments on separators", "--- # a\n" + ONE + "--- # b\n" + TWO, ["one", "two"]),
    ("a header", "# licence\n\n" + ONE, ["one"]),
    ("a header as a document", "# licence\n---\n" + ONE, ["one"]),
    ("comments between", ONE + "---\n# nothing\n---\n" + TWO, ["one", "two"]),
    ("comments at the end", ONE + "---\n# nothing\n", ["one"]),
    ("empty documents", "---\n---\n" + ONE + "---\n---\n---\n", ["one"]),
    ("null is not a resource", "null\n---\n" + ONE + "---\n~ # nothing\n", ["one"]),
    ("no line end", ONE + "---\n" + TWO.rstrip("\n"), ["one", "two"]),
    ("a separator without line end", ONE + "---", ["one"]),
    ("an end marker", ONE + "...\n---\n" + TWO, ["one", "two"]),
    ("CRLF", (ONE + "---\n" + TWO).replace("\n", "\r\n"), ["one", "two"]),
    ("a byte order mark", "\ufeff" + ONE, ["one"]),
    ("empty", "", []),
    ("blank", "\n \n", []),
    ("only comments", "# nothing\n", []),
    ("dashes in a block", ONE + "data:\n  a: |\n    x\n    ---\n    y\n---\n" + TWO, ["one", "two"]),
    ("JSON", '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}', ["one"]),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_splits_and_joins(text: str, expected: list[str]) -> None:
    """The resources are those that kpt sees, and joined they are the file, byte for byte."""
    file = SourceFile("a.yaml", text, "/p", "a.yaml")

    assert [item.name for item in file.items] == expected
    assert [item.location.index for item in file.items] == list(range(len(expected)))
    assert not file.items or file.joined(file.items) == text
    assert "".join(separator + body for separator, body in split_documents(text, "a.yaml")) == text


def test_text_behind_a_separator() -> None:
    """What kpt refuses is refused, with the line."""
    with pytest.raises(Refused, match=r'a\.yaml: line 5: "---foo"'):
        SourceFile("a.yaml", ONE + "--- foo\n" + TWO, "/p", "a.yaml")


def file_of_three() -> SourceFile:
    three = ONE.replace("one", "three")
    return SourceFile(
        "a.yaml", f"# head\n{ONE}--- # to two\n{TWO}---\n# to three\n---\n{three}---\n# end\n", "/p", "a.yaml"
    )


JOINS = [
    ("the first removed", [1, 2], f"{TWO}---\n# to three\n---\n{ONE.replace('one', 'three')}---\n# end\n"),
    (
        "one in the middle removed",
        [0, 2],
        f"# head\n{ONE}---\n# to three\n---\n{ONE.replace('one', 'three')}---\n# end\n",
    ),
    ("the last removed", [0, 1], f"# head\n{ONE}--- # to two\n{TWO}---\n# end\n"),
    ("turned round", [1, 0], f"{TWO}---\n# head\n{ONE}---\n# end\n"),
]


@pytest.mark.parametrize(("order", "expected"), [case[1:] for case in JOINS], ids=[case[0] for case in JOINS])
def test_joins_what_is_left(order: list[int], expected: str) -> None:
    """Separators and comments go with the document that follows them."""
    file = file_of_three()

    assert file.joined([file.items[position] for position in order]) == expected


def test_a_new_resource_comes_behind() -> None:
    """It gets a separator, and the text before it a line end."""
    file = SourceFile("a.yaml", ONE.rstrip("\n"), "/p", "a.yaml")

    assert file.joined([*file.items, Resource(TWO)]) == ONE + "---\n" + TWO


ALONE = [
    ("comments", "# one\n\n# two", "# one\n# two\n"),
    ("null", "null # nothing\n", ""),
    ("comments around null", "# one\n---\n~\n---\n# two\n", "# one\n# two\n"),
]


@pytest.mark.parametrize(("text", "kept"), [case[1:] for case in ALONE], ids=[case[0] for case in ALONE])
def test_the_first_resource_of_a_file(text: str, kept: str) -> None:
    """It comes below the comments that stood alone, and null, which cannot stand beside it, goes."""
    file = SourceFile("a.yaml", text, "/p", "a.yaml")

    assert file.joined([Resource(TWO)]) == kept + TWO


def test_items_see_kpts_annotations() -> None:
    """A function finds path, index and package where kpt would have put them; the text has none of it."""
    item = SourceFile("x/a.yaml", ONE + "---\n" + TWO, "/p/sub", "sub/x/a.yaml").items[1]

    assert item.annotations["internal.config.kubernetes.io/path"] == "x/a.yaml"
    assert item.annotations["config.kubernetes.io/index"] == "1"
    assert item.annotations["internal.config.kubernetes.io/package-path"] == "/p/sub"
    assert item.text == TWO
    assert item.label == "sub/x/a.yaml (document 2)"


def test_revert() -> None:
    """An item goes back to an earlier text, read and unread alike."""
    item = SourceFile("a.yaml", ONE, "/p", "a.yaml").items[0]
    item.set(("metadata", "name"), "other")
    item.set(("data", "a"), "b")

    item.revert(ONE, False)

    assert item.text == ONE
    assert not item.changed
    assert item.get("metadata", "name") == "one"


def test_revert_forgets_where_annotations_stood() -> None:
    """They may stand elsewhere in the text that the item goes back to."""
    text = (
        "kind: A\nmetadata:\n  name: one\n  annotations:\n    config.kubernetes.io/local-config: yes-it-is\n"
    )
    item = SourceFile("a.yaml", text, "/p", "a.yaml").items[0]
    item.set(("metadata", "name"), "a-name-that-is-longer")
    assert item.annotation("config.kubernetes.io/local-config") == "yes-it-is"

    item.revert(text, False)

    assert item._text == text
    assert item.annotation("config.kubernetes.io/local-config") == "yes-it-is"
    assert item._document is None


CONTENT = [
    ("a key", "a: b", True),
    ("a comment", "# a: b", False),
    ("marker and comment", "--- # a\n", False),
    ("a list", "- a", True),
    ("null and more", "null: 1", True),
    ("flow", "{}", True),
    ("end marker", "...\n", False),
]


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in CONTENT], ids=[case[0] for case in CONTENT]
)
def test_has_content(text: str, expected: bool) -> None:
    """What is no node at all is not a resource."""
    assert has_content(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('config.kubernetes.io/local-config: "true"', False),
        ("krmkit.dev/generated-by: Cluster/default/a", False),
        ("internal.config.kubernetes.io/path: a.yaml", True),
        ("config.kubernetes.io/index: '0'", True),
        ("config.k8s.io/id: '1'", True),
        ('"config.kubernetes.io/p\\x61th": a.yaml', True),
        ("config.kubernetes.io/origin: x\n  <<: *more", True),
    ],
)
def test_a_quick_look_for_annotations_about_places(text: str, expected: bool) -> None:
    """A mark as local configuration, which all generated objects have, is no reason to parse them."""
    assert may_hold_orchestration(f"metadata:\n  annotations:\n    {text}\n") is expected
