"""A stderr that never makes a command fail."""

from __future__ import annotations

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
