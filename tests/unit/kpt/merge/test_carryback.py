"""krmkit.kpt.merge.carryback: people's edits of what came out go to what went in."""

from __future__ import annotations

from krmkit.kpt.merge.carryback import carry_back, lost_edits

MARK = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|app'\n"
GIVEN = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n{MARK}data:\n  size: small\n  title: 'Shop {{{{ name }}}}'\n"
MADE = GIVEN.replace("name: app", "name: north-app").replace("{{ name }}", "north")


def files(text: str, **others: str) -> dict[str, bytes]:
    return {"app.yaml": text.encode(), **{name: one.encode() for name, one in others.items()}}


def test_an_edit_goes_to_where_it_was_given() -> None:
    """The resource that a function renamed is found by its mark; what the function made stays a template."""
    edited = MADE.replace("small", "large # ours")

    assert carry_back(files(MADE), files(edited), files(GIVEN)) == files(
        GIVEN.replace("small", "large # ours")
    )


def test_what_a_person_removed_and_added() -> None:
    """A resource goes, a file comes; what only a function made is left out."""
    new = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\n"
    copy = MADE.replace("north-app", "copy").replace(MARK, "")
    made = {**files(MADE), "copy.yaml": copy.encode()}
    edited = {
        "copy.yaml": copy.replace("small", "big").encode(),
        "own.yaml": new.encode(),
        "notes.txt": b"mine",
    }

    assert carry_back(made, edited, files(GIVEN)) == {"own.yaml": new.encode(), "notes.txt": b"mine"}


def test_edits_that_are_lost() -> None:
    """Each has its path, the person's value and the pipeline's; one that is there is not named."""
    edited = MADE.replace("small", "large").replace("Shop north", "Store")

    found = list(lost_edits(files(MADE), files(edited), files(MADE.replace("small", "large"))))

    assert [(one.path, one.message) for one in found] == [
        (("data", "title"), "changed by hand to 'Store', and the pipeline makes it 'Shop north'")
    ]


def test_what_is_made_again() -> None:
    """A resource that a person removed and a function makes again is named; a file by its path."""
    found = list(lost_edits({**files(MADE), "a.txt": b"1"}, {"a.txt": b"2"}, {**files(MADE), "a.txt": b"1"}))

    assert [(one.file, one.resource) for one in found] == [("a.txt", ""), ("app.yaml", "ConfigMap north-app")]
