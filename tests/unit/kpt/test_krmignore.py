"""Which files a .krmignore leaves out; every case was seen with kpt."""

from __future__ import annotations

import pytest

from krmkit.kpt.krmignore import KrmIgnore, glob_match

CASES = [
    ("a name, at the top", "a.yaml", "a.yaml", True),
    ("a name, in a folder", "a.yaml", "x/a.yaml", True),
    ("two segments match the last two", "x/a.yaml", "deep/x/a.yaml", True),
    ("two segments are not one", "x/a.yaml", "a.yaml", False),
    ("a leading slash wants the whole path", "/a.yaml", "x/a.yaml", False),
    ("a leading slash at the top", "/a.yaml", "a.yaml", True),
    ("a star stops at a slash", "*.yaml", "x/a.yaml", True),
    ("a star in the first segment", "/*.yaml", "x/a.yaml", False),
    ("two stars are one", "**/a.yaml", "x/y/a.yaml", True),
    ("two stars do not match nothing", "/**/a.yaml", "a.yaml", False),
    ("a question mark", "?.yaml", "a.yaml", True),
    ("a class", "[ab].yaml", "b.yaml", True),
    ("a negated class", "[^a].yaml", "a.yaml", False),
    ("a range", "[a-c].yaml", "b.yaml", True),
    ("an escape next to a star", "\\[*.yaml", "[a.yaml", True),
    ("an escape alone is no escape", "\\a.yaml", "a.yaml", False),
    ("a class that is not closed", "[a.yaml", "a.yaml", False),
    ("a comment", "# a.yaml\n", "# a.yaml", False),
    ("a hash that is meant", "\\#a.yaml", "#a.yaml", True),
    ("blanks around", "  a.yaml  ", "a.yaml", True),
    ("a line that ends in CR", "a.yaml\r\n", "a.yaml", True),
    ("kept again, in whatever order", "!a.yaml\n*.yaml", "a.yaml", False),
    ("only for folders", "a.yaml/", "a.yaml", False),
    ("nothing but slashes", "/\n!\n//", "a.yaml", False),
    ("outside ASCII", "é?.yaml", "é☃.yaml", True),
]


@pytest.mark.parametrize(
    ("text", "path", "ignored"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_ignores(text: str, path: str, ignored: bool) -> None:
    """A file is left out exactly when kpt leaves it out."""
    assert KrmIgnore(text).ignores(path) is ignored


def test_folders_only_matches_a_folder() -> None:
    """A slash at the end asks for a folder."""
    assert KrmIgnore("build/").ignores("x/build", is_folder=True)


def test_many_stars_end_soon() -> None:
    """A pattern of many stars is matched without trying every combination."""
    assert not glob_match("*a" * 30 + "b", "a" * 5000)
