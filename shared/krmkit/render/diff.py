"""Format the changes of a run as a unified diff of files; on a terminal in colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krmkit.krm.secretwords import parts, without_secrets
from krmkit.libraries.process.stderr import visible
from krmkit.storage.disk.write import FileEdit

_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_BOLD = "\x1b[1m"
_RESET = "\x1b[0m"
CONTEXT = 3  # lines around a change
_NO_NEWLINE = "\\ No newline at end of file\n"


def diff(
    changes: list[FileEdit], colour: bool = False, secrets: Iterable[str] = (), context: int = CONTEXT
) -> str:
    r"""Return the diff of all changes in their order, in the form of `git diff`, which `patch -p1` reads.

    secrets are shown as `(secret)`; `context` lines surround the changes. Example: `diff([FileEdit("a", "x:
    1\n", "x: hush\n")], secrets=["hush"])` shows `+x: (secret)`.
    """
    return "".join(diffs(changes, colour, secrets, context))


def diffs(
    changes: list[FileEdit], colour: bool = False, secrets: Iterable[str] = (), context: int = CONTEXT
) -> Iterator[str]:
    """Yield the diff of each change, as `diff` shows all of them."""
    hidden = parts(secrets)
    for change in changes:
        texts = (change.before or "", change.after or "")
        here = [text for text in hidden if text in texts[0] or text in texts[1]]
        yield "".join(_file(change, colour, context, here))


def _file(change: FileEdit, colour: bool, context: int, hidden: list[str]) -> Iterator[str]:
    from difflib import unified_diff

    old = f"a/{change.path}" if change.before is not None else "/dev/null"
    new = f"b/{change.path}" if change.after is not None else "/dev/null"
    old, new = visible(old), visible(new)
    before, after = _lines(change.before), _lines(change.after)
    headings = 2
    for line in unified_diff(before, after, old, new, n=context):
        text = line
        if headings:
            headings -= 1
            yield _painted(text, _BOLD) if colour else text
            continue
        end = ""
        if text[0] != "@":
            text = text[:1] + without_secrets(text[1:], hidden)
        if not text.endswith("\n"):
            text, end = text + "\n", _NO_NEWLINE
        if colour:  # for a terminal, and not for `patch`
            text = visible(text[:-1].expandtabs()) + "\n"
        yield (_painted(text, _COLOURS.get(text[0], "")) if colour else text) + end


def _lines(text: str | None) -> list[str]:
    """Split a text into lines with their ends.

    Only line feeds count: YAML may hold other Unicode separators.
    """
    if not text:
        return []
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def _painted(line: str, colour: str) -> str:
    return f"{colour}{line[:-1]}{_RESET}\n" if colour else line
