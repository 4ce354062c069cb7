"""krmkit.kpt.merge.packages.undo and .lost: a branch less what a pipeline made, and what a pipeline lost of a branch."""

from __future__ import annotations

import pytest

from krmkit.kpt.merge.lost import lost_comments, lost_edits
from krmkit.kpt.merge.packages import undo

MARK = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|app'\n"
GIVEN = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n{MARK}data:\n  size: small\n  title: 'Shop {{{{ name }}}}'\n"
MADE = GIVEN.replace("name: app", "name: north-app").replace("{{ name }}", "north")
NEW = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\n"
COPY = MADE.replace("north-app", "copy").replace(MARK, "")


def files(text: str, **others: str) -> dict[str, bytes]:
    return {"app.yaml": text.encode(), **{f"{name}.yaml": one.encode() for name, one in others.items()}}


UNDONE: dict[str, tuple[dict[str, bytes], dict[str, bytes]]] = {
    "nothing edited": (files(MADE), files(GIVEN)),
    "a value and its comment": (files(MADE.replace("small", "large # ours")), files(GIVEN.replace("small", "large # ours"))),
    "what the pipeline made": (files(MADE.replace("north'", "south'")), files(GIVEN.replace("{{ name }}", "south"))),
    "a copy with the mark, behind": (
        files(MADE + "---\n" + MADE.replace("north-app", "mine")),
        files(GIVEN + "---\n" + MADE.replace("north-app", "mine")),
    ),
    "a copy with the mark, before": (
        files(MADE.replace("north-app", "mine") + "---\n" + MADE),
        files(MADE.replace("north-app", "mine") + "---\n" + GIVEN),
    ),
    "renamed": (files(MADE.replace("north-app", "mine")), files(GIVEN.replace("name: app", "name: mine"))),
    "moved to another file": ({"new.yaml": MADE.encode()}, {"new.yaml": GIVEN.encode()}),
    "removed": ({"own.yaml": NEW.encode(), "notes.txt": b"mine"}, {"own.yaml": NEW.encode(), "notes.txt": b"mine"}),
    "commented out": (files(f"# {MADE}".replace("\n", "\n# ")), files(f"# {MADE}".replace("\n", "\n# "))),
    "other line ends": (files(MADE.replace("\n", "\r\n")), files(GIVEN.replace("\n", "\r\n"))),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDONE)
def test_a_branch_without_its_pipeline(name: str) -> None:
    edited, wanted = UNDONE[name]

    assert undo(files(MADE), edited, files(GIVEN)) == wanted


def test_what_only_the_pipeline_makes_or_removes() -> None:
    """A resource that it makes is left out, an edited one too; one that it removes comes back."""
    made = files(MADE, copy=COPY)
    edited = files(MADE.replace("small", "big"), copy=COPY.replace("small", "big"))
    given = files(GIVEN, gone=NEW)

    assert undo(made, edited, given) == files(GIVEN.replace("small", "big"), gone=NEW)


def test_a_pipeline_that_changes_nothing() -> None:
    """The branch is its own input, byte for byte."""
    odd = {"app.yaml": b"a: [\n", "x.bin": b"\0\xff"}

    assert undo(files(GIVEN), odd, files(GIVEN)) == odd


def test_edits_that_are_lost() -> None:
    """Each has its path, the person's value and the pipeline's; one that is there is not named."""
    edited = files(MADE.replace("small", "large").replace("Shop north", "Store"))
    result = files(MADE.replace("small", "large"))

    assert [(one.path, one.message) for one in lost_edits(files(MADE), edited, result, result)] == [
        (("data", "title"), "changed by hand to 'Store', and the pipeline makes it 'Shop north'")
    ]


def test_what_is_made_again() -> None:
    """A resource that a person removed and a function makes again is named; a file by its path."""
    before = {**files(MADE), "a.txt": b"1"}

    found = list(lost_edits(before, {"a.txt": b"2"}, before, {"a.txt": b"2"}))

    assert [(one.file, one.resource) for one in found] == [("a.txt", ""), ("app.yaml", "ConfigMap north-app")]


def test_an_added_resource_is_rendered_as_others_are() -> None:
    """A namespace, and a prefix of its name, are no loss of it; another value is."""
    edited = files(MADE, own=NEW.replace("own", "own\ndata:\n  k: mine"))
    result = files(MADE, own=NEW.replace("own", "shop-own\n  namespace: shop\ndata:\n  k: other"))

    assert [one.path for one in lost_edits(files(MADE), edited, result, edited)] == [("data", "k")]


def test_comments_that_are_lost() -> None:
    """By text and count, with the line in the branch; one that upstream removed is not lost."""
    before, edited = files(MADE), files(MADE.replace("small", "small # ours"))

    found = lost_comments([(before, edited)], before, edited, before, before)

    assert [(one.file, one.line, "# ours" in one.message) for one in found] == [("app.yaml", 8, True)]
    assert lost_comments([(before, edited)], before, edited, edited, before) == []
    assert lost_comments([(before, edited)], edited, edited, before, before) == []


def test_a_name_in_a_json_file() -> None:
    """A prefix that the pipeline puts before it is no loss, as in a YAML file."""
    edited = {"own.json": b'{"metadata": {"name": "own"}, "data": {"k": "mine"}}'}
    result = {"own.json": b'{"metadata": {"name": "shop-own"}, "data": {"k": "other"}}'}

    assert [one.path for one in lost_edits({}, edited, result, edited)] == [("data", "k")]


def test_two_resources_of_one_name() -> None:
    """Each is undone by what it was made of, which is in its place."""
    copy = MADE.replace("small", "huge")
    made, given = files(MADE + "---\n" + copy), files(GIVEN + "---\n" + copy)
    edited = files(MADE.replace("  size: small\n", "") + "---\n" + copy)

    assert undo(made, edited, given) == files(GIVEN.replace("  size: small\n", "") + "---\n" + copy)


@pytest.mark.parametrize(
    ("edited", "made", "is_lost"),
    [
        ("a\nb\nmine\n", "a\nb\nmine\nmade\n", False),
        ("a\nb\nmine\n", "a\nb\nmade\n", True),
        ("a\n", "a\nmade\n", False),
        ("a\n", "a\nb\nmade\n", True),
        ("a\nb\nb\n", "a\nb\nmade\n", True),
        ("b\na\n", "a\nb\nmade\n", False),
    ],
)
def test_lines_of_a_text(edited: str, made: str, is_lost: bool) -> None:
    """An edit is lost where a line that a person wrote is gone, or one that a person took out is there again."""
    before, after, result = ({"notes.txt": text.encode()} for text in ("a\nb\n", edited, made))

    found = [one.message for one in lost_edits(before, after, result, after)]

    assert found == ["changed by hand, and changed again by the pipeline"] * is_lost


def test_what_is_commented_out_stays_beside_another_edit() -> None:
    """A document that a person commented out stays where only another file was edited since."""
    hidden = "# apiVersion: v1\n# kind: Secret\n---\n"
    edited = files(hidden + MADE, own=NEW + "data: {}\n")

    undone = undo(files(hidden + MADE, own=NEW), edited, files(hidden + GIVEN, own=NEW))

    assert undone == files(hidden + GIVEN, own=NEW + "data: {}\n")
