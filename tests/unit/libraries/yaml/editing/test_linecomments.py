"""Line comments are found behind values of every form, and put there."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.linecomments import ends_line, line_comment, with_line_comments
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map

FORMS = [
    ("plain", "a: b # c\n", "# c", "a: b # new\n"),
    ("none", "a: b\n", "", "a: b # new\n"),
    ("quoted", "a: 'b # x' # c\n", "# c", "a: 'b # x' # new\n"),
    ("literal", "a: | # c\n  # text\n", "# c", "a: | # new\n  # text\n"),
    ("literal without", "a: |\n  # text\n", "", "a: | # new\n  # text\n"),
    ("flow list", "a: [b] # c\n", "# c", "a: [b] # new\n"),
    ("block list", "a: # c\n- b # d\n", "# c", "a: # new\n- b # d\n"),
    ("at the end of the text", "a: b", "", "a: b # new"),
    ("anchor", "a: &x b # c\n", "# c", "a: &x b # new\n"),
]


@pytest.mark.parametrize(
    ("text", "comment", "after"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS]
)
def test_comment_of_a_value(text: str, comment: str, after: str) -> None:
    """It is read whole, and another one takes its place."""
    document = parse(text)
    root = document.root
    assert isinstance(root, Map)
    entry = root.entries[0]

    assert line_comment(document, entry.key, entry.value) == comment
    assert with_line_comments(document, [(entry.key, entry.value, "new")]) == after


def test_others_on_the_line() -> None:
    """A value with others behind it can have no comment."""
    document = parse("{a: b, c: d}\n")
    root = document.root
    assert isinstance(root, Map)
    first = root.entries[0]

    assert not ends_line(document, first.key, first.value)
    with pytest.raises(YamlError, match="at the end of a line"):
        with_line_comments(document, [(first.key, first.value, "x")])
