"""What a terminal can show, and tables that fit it. Where nobody watches, plain text without colours and wrapping."""

from __future__ import annotations

import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

RED = "\x1b[31m"
GREEN = "\x1b[32m"
YELLOW = "\x1b[33m"
CYAN = "\x1b[36m"
BOLD = "\x1b[1m"
_RESET = "\x1b[0m"
_NARROWEST = 24  # a column that wraps gets at least this many characters


@contextmanager
def unread_is_fine(stream: TextIO) -> Iterator[None]:
    """Let whoever reads `stream` go away: the work that it reports on is done all the same.

    Example: `with unread_is_fine(sys.stdout): print("2 files changed")`.
    """
    try:
        yield
        stream.flush()
    except BrokenPipeError:
        # What Python still holds for the stream goes nowhere, instead of failing once more at the end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def seconds(text: str) -> float:
    """The value of --timeout. Raises argparse's error. Example: `seconds("2.5") == 2.5`."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f'must be a number of seconds above 0, got "{text}"')
    return value


class Terminal:
    """A stream, whether somebody watches it, and how wide it is (0: as wide as the text)."""

    __slots__ = ("colour", "stream", "watched", "width")

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.watched = stream.isatty()
        self.colour = self.watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.width = 0
        if self.watched:
            from shutil import get_terminal_size

            self.width = get_terminal_size().columns

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour, where colours show."""
        return f"{colour}{text}{_RESET}" if self.colour and colour else text


class Table:
    """Rows below headings; on a terminal the last two columns wrap so that the table fits."""

    __slots__ = ("_colours", "_rows")

    def __init__(self, headings: list[str]) -> None:
        self._rows: list[list[str]] = [headings]
        self._colours: list[str] = [BOLD]

    def __len__(self) -> int:
        return len(self._rows) - 1

    def add(self, cells: list[str], colour: str = "") -> None:
        """Add a row; its first cell is painted."""
        self._rows.append([" ".join(cell.split()) for cell in cells])
        self._colours.append(colour)

    def text(self, terminal: Terminal) -> str:
        """The table as text, "" when it has no rows."""
        if not len(self):
            return ""
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        if terminal.width:
            _fit(widths, terminal.width)
        lines = []
        for row, colour in zip(self._rows, self._colours, strict=True):
            cells = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
            for number in range(max(map(len, cells))):
                parts = [
                    (cell[number] if number < len(cell) else "").ljust(width)
                    for cell, width in zip(cells, widths, strict=True)
                ]
                if colour == BOLD:
                    parts = [terminal.paint(part, colour) for part in parts]
                else:
                    parts[0] = terminal.paint(parts[0], colour)
                lines.append("  ".join(parts).rstrip() + "\n")
        return "".join(lines)


def _fit(widths: list[int], available: int) -> None:
    """Narrow the last column, then the one before it, until the row fits."""
    for column in (len(widths) - 1, len(widths) - 2):
        excess = sum(widths) + 2 * (len(widths) - 1) - available
        if excess > 0 and column >= 0:
            widths[column] = min(widths[column], max(_NARROWEST, widths[column] - excess))


def _wrapped(cell: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(cell, width, break_on_hyphens=False) or [""]
