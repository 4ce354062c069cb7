"""The diff of a run: what `patch -p1` and `git apply` understand."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from krmkit.render.diff import diff
from krmkit.storage.disk.write import FileEdit

LINES = "".join(f"line {number}\n" for number in range(12))


def test_a_changed_line() -> None:
    """Old and new line, with context and the file's name."""
    text = diff([FileEdit("x/a.yaml", "a\nb\nc\n", "a\nB\nc\n")])

    assert text == "--- a/x/a.yaml\n+++ b/x/a.yaml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"


def test_new_and_removed_files() -> None:
    """A file that was not there comes from /dev/null, one that goes leads there."""
    text = diff([FileEdit("a", None, "x\n"), FileEdit("b", "y\n", None)])

    assert "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n" in text
    assert "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n" in text


def test_no_line_end() -> None:
    """A last line without line end says so, on its side only."""
    text = diff([FileEdit("a", "x", "x\n")])

    assert text.endswith("-x\n\\ No newline at end of file\n+x\n")


def test_colours() -> None:
    """On a terminal lines are painted, and without colours the text is the same."""
    change = FileEdit("a", "x\n--- y\n", "z\n--- y\n")
    text = diff([change], colour=True)
    plain = text
    for code in ("\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[0m"):
        assert code in text
        plain = plain.replace(code, "")

    assert plain == diff([change])


CHANGES = [
    ("in the middle", LINES, LINES.replace("line 5\n", "LINE 5\nmore\n")),
    ("no line ends", "a\nb", "a\nc"),
    ("a line end more", "a", "a\n"),
    ("new", None, "a\n\nb\n"),
    ("other separators", "a\u2028b\x0cc\x85d\ne\n", "a\u2028b\x0cc\x85D\ne\n"),
    ("CRLF", "a\r\nb\r\n", "a\r\nc\r\n"),
    ("lines that look like headings", "--- a\n+++ b\n@@ c\n", "--- a\n+++ B\n@@ c\n"),
]


@pytest.mark.parametrize(
    ("before", "after"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_git_applies_it(tmp_path: Path, before: str | None, after: str) -> None:
    """What the diff says is what git makes of it."""
    file = tmp_path / "a.txt"
    if before is not None:
        file.write_bytes(before.encode())
    text = diff([FileEdit("a.txt", before, after)])
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=tmp_path,
        input=text.encode(),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == after.encode()


def test_secrets_behind_dashes() -> None:
    """A line of a file that begins like a heading is masked, and the heading with the file's name stays; in colours, too."""
    change = FileEdit("hush.sql", "-- hush\n", "++ hush\n")

    for colour in (False, True):
        text = diff([change], colour, ["hush"])

        assert text.count("hush") == text.count("hush.sql") == 2
        assert "--- (secret)" in text
        assert "+++ (secret)" in text
