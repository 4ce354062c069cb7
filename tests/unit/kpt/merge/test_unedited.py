"""krmkit.kpt.merge.unedited: what counts as an edit of something that was fetched."""

from __future__ import annotations

import pytest

from krmkit.kpt.merge.unedited import comments_of, is_unedited

BASE = "apiVersion: v1\nkind: ConfigMap\nmetadata: # m\n  name: a\ndata:\n  k: old # why\n"
MARK = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'\n"


def test_comments() -> None:
    """A `#` in a text, a key or a block scalar begins none; kpt's own comments are left out."""
    text = '# head\na: "# no" # yes\nb#c: d#e\nf: |\n  # no\n  g # no\n# below\nmetadata: # kpt-merge: /a\n  h: i  # last'

    assert comments_of(text) == ["# head", "# yes", "# below", "# last"]


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        pytest.param(BASE, True, id="the same"),
        pytest.param(
            BASE.replace("# m\n  name: a\n", "# kpt-merge: /a\n  name: a\n" + MARK), True, id="fetched by kpt"
        ),
        pytest.param(BASE.replace("  name: a\n", "  name: a\n" + MARK), True, id="cloned by krmkit"),
        pytest.param(BASE.replace("old", "'old'"), True, id="other quotes"),
        pytest.param(BASE.replace("old", "new"), False, id="a value"),
        pytest.param(BASE.replace("# why", "# why not"), False, id="a comment"),
        pytest.param(BASE.replace("data:", "data: # ours"), False, id="a comment more"),
        pytest.param(BASE + "---\n# ours\n", False, id="a comment behind all"),
    ],
)
def test_files(local: str, expected: bool) -> None:
    """kpt's marks and formatting are no edits."""
    assert is_unedited("a.yaml", BASE.encode(), local.encode()) is expected
