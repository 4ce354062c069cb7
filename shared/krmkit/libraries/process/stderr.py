"""A stderr that never makes a command fail."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO


class Patient:
    """A stream that ignores errors of writing: a full disk or closed pipe loses only the message.

    Without a stream (stderr is closed) messages go to `instead`, if given. Example: `sys.stderr =
    Patient(sys.stderr)`.
    """

    def __init__(self, stream: TextIO | None, instead: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else instead

    def write(self, text: str) -> int:
        """Write, ignoring errors of the stream."""
        if self._stream is not None:
            try:
                return self._stream.write(text)
            except (OSError, ValueError):
                self._stream = None
        return len(text)

    def flush(self) -> None:
        """Flush, ignoring errors of the stream."""
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                self._stream = None

    def isatty(self) -> bool:
        """Return True if stderr is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def __getattr__(self, name: str) -> Any:
        if self._stream is None:
            raise AttributeError(name)
        return getattr(self._stream, name)


class CommandFree(Patient):
    """A stderr for GitHub logs, where lines that begin with `::` or contain `##[` are commands.

    Packages may hold such lines. An invisible character breaks them:
    `CommandFree(stream).write("  ::stop-commands::x")` writes `  :<U+200B>:stop-commands::x`.
    """

    def write(self, text: str) -> int:
        """Write without GitHub's commands, ignoring errors of the stream."""
        super().write(without_commands(text))
        return len(text)


def without_commands(text: str) -> str:
    """Break GitHub's commands in a text by an invisible character."""
    import re

    return re.sub(r"(^|[\r\n])(\s*):(?=:)", "\\1\\2:\u200b", text).replace("##[", "##\u200b[")


def visible(text: str) -> str:
    r"""Write out control characters: `visible("a\n\x1b[2Jb")` is `a\x0a\x1b[2Jb`.

    Names and values in packages, and what programs print, may hold them, and could colour or clear the
    terminal, or form a command in a CI log.
    """
    import re

    return re.sub("[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def say(command: str, message: object) -> None:
    """Write to stderr, each line of the message as `krmkit render: line`, except indented lines.

    An OSError is shown with its file, and control characters but tabs are written out.
    """
    if isinstance(message, OSError) and message.filename:
        message = f"{message.filename}: {message.strerror}"
    for line in str(message).split("\n"):
        line = "\t".join(map(visible, line.split("\t")))
        print(line if line[:1].isspace() else f"krmkit {command}: {line}", file=sys.stderr)
