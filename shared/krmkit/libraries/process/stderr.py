"""A stderr that never makes a command fail."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO


class Patient:
    """Writes to `stream` and ignores errors: a full disk or a closed pipe loses the message only.

    Without a stream (stderr is closed) messages go to `instead`, if that is given. Example: `sys.stderr = Patient(sys.stderr)`.
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
        """Whether stderr is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def __getattr__(self, name: str) -> Any:
        if self._stream is None:
            raise AttributeError(name)
        return getattr(self._stream, name)


class CommandFree(Patient):
    """A stderr in a GitHub log, where lines that begin with `::` or contain `##[` are commands.

    Packages may hold such lines. An invisible character breaks them:
    `CommandFree(stream).write("  ::stop-commands::x")` writes `  :<U+200B>:stop-commands::x`.
    """

    def write(self, text: str) -> int:
        """Write without GitHub's commands, ignoring errors of the stream."""
        import re

        plain = re.sub(r"(^|[\r\n])(\s*):(?=:)", "\\1\\2:\u200b", text).replace("##[", "##\u200b[")
        super().write(plain)
        return len(text)


def say(command: str, message: object) -> None:
    """Write to stderr, each line of the message as `krmkit render: line`, except indented lines.

    An OSError is shown with its file.
    """
    if isinstance(message, OSError) and message.filename:
        message = f"{message.filename}: {message.strerror}"
    for line in str(message).split("\n"):
        print(line if line[:1].isspace() else f"krmkit {command}: {line}", file=sys.stderr)
