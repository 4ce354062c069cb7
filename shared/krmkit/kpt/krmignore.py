"""`.krmignore`: the files and folders of a package to leave out, by exactly kpt's rules.

The format is a subset of .gitignore, with differences that packages rely on:

- A pattern without a leading slash is compared with the last segments of a path, as many as the pattern has: `a/b`
  matches `x/a/b`. One with a leading slash is compared with the whole path.
- `*` and `?` stop at a slash, and `**` is no more than `*`. `[a-z]`, `[^a]` and `\\*` work.
- `!pattern` keeps what another line leaves out, in any order.
- Files below an ignored folder are not tested.
- A subpackage has rules of its own: those of its parent do not reach into it, and cannot leave it out.

(go-gitignore of 2020-06-26 as vendored by kyaml; compared with kpt 1.0.0-beta.56 in tests/e2e.)
"""

from __future__ import annotations

_META = "*?["


class KrmIgnore:
    """The rules of one .krmignore; `KrmIgnore("")` ignores nothing."""

    def __init__(self, text: str) -> None:
        self._ignored: list[_Pattern] = []
        self._kept: list[_Pattern] = []
        for line in text.split("\n"):
            line = line.removesuffix("\r").strip(" ")
            if not line or line.startswith("#"):
                continue
            if line.startswith("\\#"):
                line = line[1:]
            patterns = self._ignored
            if line.startswith("!"):
                line, patterns = line[1:], self._kept
            if line.strip("/"):
                patterns.append(_Pattern(line))

    def ignores(self, path: str, is_folder: bool = False) -> bool:
        """Whether the path, relative to the .krmignore's folder and with slashes, is left out."""
        segments = path.split("/")
        if any(pattern.matches(segments, is_folder) for pattern in self._kept):
            return False
        return any(pattern.matches(segments, is_folder) for pattern in self._ignored)


class _Pattern:
    def __init__(self, line: str) -> None:
        self.absolute = line.startswith("/")
        self.folders_only = line.endswith("/")
        self.text = line.strip("/")
        self.depth = self.text.count("/") + 1

    def matches(self, segments: list[str], is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        if self.depth > len(segments) or (self.absolute and self.depth < len(segments)):
            return False
        path = "/".join(segments[-self.depth :])
        if any(character in self.text for character in _META):
            return glob_match(self.text, path)
        return self.text == path


def glob_match(pattern: str, name: str) -> bool:
    """Go's filepath.Match: `*` and `?` do not match a slash; a malformed pattern matches nothing."""
    at = 0  # in the pattern
    place = 0  # in the name
    star = -1  # the offset of the last star in the pattern
    retry = 0  # the offset in the name of the next try
    while place < len(name) or at < len(pattern):
        step = _step(pattern, at, name, place)
        if step is None:
            return False
        if at < len(pattern) and pattern[at] == "*":
            star, retry = at, place
            at += 1
        elif step > 0:
            at += step
            place += 1
        elif star >= 0 and retry < len(name) and name[retry] != "/":
            retry += 1
            at, place = star + 1, retry
        else:
            return False
    return True


def _step(pattern: str, at: int, name: str, place: int) -> int | None:
    """The length of the pattern that matches one character of the name:

    0 for no match, None for a malformed pattern.
    """
    if at >= len(pattern):
        return 0
    character = name[place] if place < len(name) else ""
    token = pattern[at]
    if token == "?":
        return 1 if character not in {"", "/"} else 0
    if token == "[":
        return _class(pattern, at, character)
    if token == "\\":
        if at + 1 >= len(pattern):
            return None
        return 2 if character and pattern[at + 1] == character else 0
    return 1 if token == character else 0


def _class(pattern: str, start: int, character: str) -> int | None:
    at = start + 1
    negated = pattern[at : at + 1] == "^"
    at += negated
    matched = False
    first = True
    while True:
        if pattern[at : at + 1] == "]" and not first:
            break
        low = _member(pattern, at)
        if low is None:
            return None
        at += low[1]
        high = low
        if pattern[at : at + 1] == "-":
            ending = _member(pattern, at + 1)
            if ending is None:
                return None
            high = ending
            at += 1 + ending[1]
        matched = matched or (character != "" and low[0] <= character <= high[0])
        first = False
    if not character:
        return 0
    return at + 1 - start if matched != negated else 0


def _member(pattern: str, at: int) -> tuple[str, int] | None:
    """A character of a class and its length in the pattern; None if the pattern is malformed."""
    token = pattern[at : at + 1]
    if token in {"", "-", "]"}:
        return None
    if token == "\\":
        escaped = pattern[at + 1 : at + 2]
        return (escaped, 2) if escaped and at + 2 < len(pattern) else None
    return (token, 1) if at + 1 < len(pattern) else None
