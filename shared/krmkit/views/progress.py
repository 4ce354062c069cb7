"""Show the progress of a render on a terminal."""

from __future__ import annotations

import time

from krmkit.kpt.resultlist import FunctionRun
from krmkit.kpt.source import FileResource
from krmkit.views.terminal import Terminal

_SLOW = 0.5  # seconds after which a terminal shows what is going on


class RenderProgress:
    """Show the running function on a terminal's progress line, from _SLOW on."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.start = time.monotonic()
        self.shown = False

    def started(self, run: FunctionRun, number: int, total: int, resources: int) -> None:
        if self.terminal.watched and (self.shown or time.monotonic() - self.start > _SLOW):
            where = f" in {run.package}" if run.package else ""
            self.terminal.line(f"[{number}/{total}] {run.name} on {resources} resources{where}")
            self.shown = True

    def finished(self, run: FunctionRun) -> None:
        """Do nothing: the line of the next function replaces this one."""

    def left(self, run: FunctionRun, before: list[FileResource], after: list[FileResource]) -> None:
        """Do nothing: the report at the end shows the changes."""

    def clear(self) -> None:
        if self.shown:
            self.terminal.line("")
            self.shown = False
