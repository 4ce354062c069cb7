"""Write to terminals and files. Files and pipes get plain text, one line per row, without colours.

On a terminal, Rich draws tables, and is loaded only then.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from krmkit.libraries.process.stderr import visible, without_commands

# Styles, by their names in Rich and ANSI.
RED = "red"
GREEN = "green"
YELLOW = "yellow"
CYAN = "cyan"
BOLD = "bold"
_CODES = {RED: "31", GREEN: "32", YELLOW: "33", CYAN: "36", BOLD: "1"}
PEOPLE = ("table", "text")  # the formats that are not for programs
COLOURS = ("auto", "always", "never")
_NARROWEST = 12  # a column that wraps keeps at least this many characters


def one_line(text: str) -> str:
    """Return the text on one line: each run of white space becomes a space, and control characters go."""
    return visible(" ".join(text.split()))


@contextmanager
def unread_is_fine(stream: TextIO) -> Iterator[None]:
    """Ignore a closed pipe of `stream`: the reported work is done all the same.

    Example: `with unread_is_fine(sys.stdout): print("2 files changed")`.
    """
    try:
        yield
        stream.flush()
    except BrokenPipeError:
        # Discard Python's buffer for the stream, so that flushing it at exit does not fail again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class _Log:
    """A log on GitHub, where lines of a package must not be read as commands."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(without_commands(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Terminal:
    """A stream, whether it is a terminal, and its width (0: unlimited).

    `colour`: "always", "never", or "auto": by FORCE_COLOR and NO_COLOR, else on a terminal. `least`: the
    least severity of results to show; `quiet`: no lines about completed work.
    """

    def __init__(
        self, stream: TextIO, colour: str = COLOURS[0], least: str = "info", quiet: bool = False
    ) -> None:
        self.stream = stream
        self.least = "error" if quiet else least
        self.quiet = quiet
        self.watched = stream.isatty()
        self.colour = _coloured(self.watched) if colour == COLOURS[0] else colour == "always"
        self.width = 0
        if self.watched:
            from shutil import get_terminal_size

            self.width = get_terminal_size().columns

    @classmethod
    def of(cls, arguments: Namespace, stream: TextIO | None = None) -> Terminal:
        """Return the terminal that the flags of `add_output` describe; stdout by default."""
        given = vars(arguments)
        stream = stream or sys.stdout
        if os.environ.get("GITHUB_ACTIONS") and given.get("format", PEOPLE[0]) in PEOPLE:
            stream = _Log(stream)  # type: ignore[assignment]  # a stream in all that is used
        return cls(stream, arguments.color, given.get("severity", "info"), given.get("quiet", False))

    def paint(self, text: str, style: str) -> str:
        """Return the text in a style, if colours are on."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and style else text

    def line(self, text: str) -> None:
        """Replace the progress line on a terminal; "" removes it."""
        if self.watched:
            self.stream.write("\r\x1b[K" + text[: max(self.width - 1, 10)])
            self.stream.flush()


def _coloured(watched: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return watched and os.environ.get("TERM") != "dumb"


class Table:
    """Rows below headings; on a terminal cells wrap so that the table fits.

    table = Table(["NAME", "FILES"])
    table.add(["app", "3"], GREEN)
    stream.write(table.text(terminal))
    """

    def __init__(self, headings: list[str]) -> None:
        self._rows: list[list[str]] = [headings]
        self._styles: list[str] = [BOLD]

    def __len__(self) -> int:
        return len(self._rows) - 1

    def add(self, cells: list[str], style: str = "") -> None:
        """Add a row; its first cell is painted."""
        self._rows.append([one_line(cell) for cell in cells])
        self._styles.append(style)

    def text(self, terminal: Terminal) -> str:
        """Return the table as text, "" if it has no rows."""
        if not len(self):
            return ""
        if terminal.width:
            drawn = self._drawn(terminal)
            if drawn is not None:
                return drawn
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        lines = []
        for row, style in zip(self._rows, self._styles, strict=True):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            cells[0] = terminal.paint(cells[0], style)
            lines.append("  ".join(cells).rstrip() + "\n")
        return "".join(lines)

    def _drawn(self, terminal: Terminal) -> str | None:
        """Return the table as Rich draws it; None if Rich is not installed."""
        try:
            from rich.console import Console
            from rich.table import Table as RichTable
            from rich.text import Text
        except ImportError:
            return None
        drawn: Any = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for number, heading in enumerate(self._rows[0]):
            longest = max(len(row[number]) for row in self._rows)
            drawn.add_column(heading, overflow="fold", min_width=min(longest, _NARROWEST))
        for row, style in zip(self._rows[1:], self._styles[1:], strict=True):
            drawn.add_row(Text(row[0], style), *map(Text, row[1:]))
        console = Console(
            width=terminal.width,
            force_terminal=terminal.colour,
            no_color=not terminal.colour,
            color_system="standard" if terminal.colour else None,
            highlight=False,
            legacy_windows=False,
        )
        with console.capture() as captured:
            console.print(drawn)
        return "".join(line.rstrip() + "\n" for line in captured.get().splitlines())
