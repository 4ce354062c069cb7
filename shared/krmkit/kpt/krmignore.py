r"""`.krmignore`: the files and folders that a package leaves out, by kpt's rules.

The format is a subset of .gitignore, with differences that packages rely on:

- A pattern without a leading slash is matched against the last segments of a path, as many as the pattern
  has: `a/b` matches `x/a/b`. With a leading slash it is matched against the whole path.
- `*` and `?` stop at a slash, and `**` equals `*`. `[a-z]`, `[^a]` and `\*` work.
- `!pattern` keeps what another line leaves out, in any order.
- Files below an ignored folder are not tested.
- A subpackage has rules of its own: its parent's rules do not apply inside it, and cannot leave it out.

(go-gitignore of 2020-06-26 as vendored by kyaml; compared with kpt 1.0.0-beta.56 in tests/e2e.)
"""

from __future__ import annotations

import re
from functools import lru_cache

_META = "*?["
_SIGN = r"(?:\\.|[^\\\]-])"
_MEMBER = re.compile(rf"({_SIGN})(?:-({_SIGN}))?", re.DOTALL)
_TOKEN = re.compile(
    rf"(?P<star>\*+)|\?|\[(?P<not>\^?+)(?P<members>(?:{_SIGN}(?:-{_SIGN})?)+)\]|(?P<text>(?:\\.|[^*?\[\\])+)",
    re.DOTALL,
)


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
        """Return True if a path, relative to the .krmignore's folder and with slashes, is left out."""
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
    """Match like Go's filepath.Match: `*` and `?` stop at a slash; a malformed pattern matches nothing."""
    compiled = _compiled(pattern)
    return compiled is not None and compiled.fullmatch(name) is not None


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    parts = [""]
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        at = token.end()
        if token["star"]:
            parts.append("")
        else:
            parts[-1] += _regex(token)
    head, *rest = parts
    # What follows a star is matched as early as possible, and never tried again: the time stays linear.
    middle = "".join(f"(?>[^/]*?{part})" for part in rest[:-1])
    return re.compile(head + middle + "".join(f"[^/]*{part}" for part in rest[-1:]), re.DOTALL)


def _regex(token: re.Match[str]) -> str:
    if token["text"]:
        return re.escape(_plain(token["text"]))
    if not token["members"]:
        return "[^/]"
    pairs = [(_plain(one[1]), _plain(one[2] or one[1])) for one in _MEMBER.finditer(token["members"])]
    ranges = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in pairs if low <= high)
    if not ranges:
        return "." if token["not"] else "(?!)"
    return f"[{token['not']}{ranges}]"


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
