"""The words of dynaml, and the reader's position in a text."""

from __future__ import annotations

import re

from krmkit.libraries.spiff.tree.errors import Failure, Path

_SPACE = re.compile(r"[ \t\n\r]+")
KEY = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_\-]*(?::[a-zA-Z0-9_][a-zA-Z0-9_\-]*)?")
NAME = re.compile(r"[a-zA-Z0-9_]+")
INDEX = re.compile(r"\[-?[0-9]+\]")
IP = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
NUMBER = re.compile(r"-?[0-9][0-9_]*(?:\.[0-9][0-9]*)?(?:[eE]-?[0-9]+)?")
STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
TAG = re.compile(r"[a-zA-Z0-9_]+(?:[:.]-?[a-zA-Z0-9_]+)*::")
TAG_NAME = re.compile(r"\*?[a-zA-Z0-9_]+(?:[:.][a-zA-Z0-9_]+)*")
MARKER = re.compile("&(?:template|temporary|local|inject|state|default|dynamic)")

DEEPEST = 60
"""How deep expressions may be nested."""


class Scanner:
    """A text, the offset to read next, and the furthest word read, which error messages show.

    path: the text's path in its document. stub_path: its path in stubs. depth: the number of open
    expressions.
    """

    def __init__(self) -> None:
        self.begin("", (), ())

    def begin(self, text: str, path: Path, stub_path: Path) -> None:
        """Start reading another text."""
        self.text = text
        self.path = path
        self.stub_path = stub_path
        self.at = 0
        self.far_start = 0
        self.far_end = 0
        self.depth = 0

    def mark(self, start: int) -> None:
        """Remember the word from `start` to here if it is the furthest one."""
        if self.at > self.far_end and start != self.at:
            self.far_start, self.far_end = start, self.at

    def space(self) -> bool:
        """Skip white space, and return True if there was some."""
        found = _SPACE.match(self.text, self.at)
        if found is None:
            return False
        start = self.at
        self.at = found.end()
        self.mark(start)
        return True

    def accept(self, word: str) -> bool:
        """Skip a word if it is here."""
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        return False

    def word(self, word: str, start: int | None = None) -> bool:
        """Skip a word if it is here, and remember it (from `start`, if given)."""
        start = self.at if start is None else start
        if not self.accept(word):
            return False
        self.mark(start)
        return True

    def match(self, pattern: re.Pattern[str]) -> str:
        """Skip and return the text that a pattern matches here, "" for none."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        start = self.at
        self.at = found.end()
        self.mark(start)
        return found.group()

    def error(self, start: int | None = None, end: int | None = None) -> Failure:
        """Return the failure at the furthest word, or at the text from `start` to `end`."""
        first = self.far_start if start is None else start
        last = self.far_end if end is None else end
        shown = self.text[first:last]
        one, other = self._place(first), self._place(last)
        if "\n" in self.text:
            return Failure(
                f"parse error near line {one[0]} symbol {one[1]} - line {other[0]} symbol {other[1]}: '{shown}'"
            )
        return Failure(f"parse error near symbol {one[1]} - symbol {other[1]}: '{shown}'")

    def _place(self, offset: int) -> tuple[int, int]:
        """Return line and symbol of an offset; a line break belongs to the following line."""
        before = self.text[: offset + 1]
        line = before.count("\n")
        return line + 1, offset - before.rfind("\n") if line else offset + 1
