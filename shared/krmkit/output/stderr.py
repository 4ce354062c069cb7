"""A stderr that never makes a command fail."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO


class Patient:
    """Writes to `stream` what it takes; a full disk or a reader that went away loses the message and nothing else.

    Without a stream (stderr is closed) messages go to `instead`, if that is given. Example: `sys.stderr = Patient(sys.stderr)`.
    """

    def __init__(self, stream: TextIO | None, instead: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else instead

    def write(self, text: str) -> int:
        """Write as far as that goes."""
        if self._stream is not None:
            try:
                return self._stream.write(text)
            except (OSError, ValueError):
                self._stream = None
        return len(text)

    def flush(self) -> None:
        """Flush as far as that goes."""
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
    """A stderr that is a log of GitHub, which runs lines that begin with `::` or hold `##[`: packages of others may hold such lines.

    An invisible sign goes between: `CommandFree(stream).write("  ::stop-commands::x")` writes `  :<U+200B>:stop-commands::x`.
    """

    def write(self, text: str) -> int:
        """Write as far as that goes, and nothing that GitHub runs."""
        import re

        plain = re.sub(r"(^|[\r\n])(\s*):(?=:)", "\\1\\2:\u200b", text).replace("##[", "##\u200b[")
        super().write(plain)
        return len(text)


def say(command: str, message: object) -> None:
    """Write to stderr, each line of the message as `krmkit render: line`, but those that are indented below another.

    An error of the disk names its file.
    """
    if isinstance(message, OSError) and message.filename:
        message = f"{message.filename}: {message.strerror}"
    for line in str(message).split("\n"):
        print(line if line[:1].isspace() else f"krmkit {command}: {line}", file=sys.stderr)
