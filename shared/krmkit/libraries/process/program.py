"""Start other programs (git, kubectl, container runtimes, other functions); no other module does.

A program reads a word that begins with `-` as an option. So text from outside krmkit, such as a name in a
package, is an operand of `words`, never an option.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import IO

STDERR_KEPT = 64 * 1024  # bytes of the start and of the end each
_CHUNK = 1 << 16  # bytes; a pipe holds no more
_LINGERING = 2.0  # seconds that the program's children may keep its output open after its end


class ChildError(Exception):
    """A program that was ended because it took too long (`late`) or wrote too much to stdout."""

    def __init__(self, message: str, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


@dataclass(slots=True, eq=False)
class _Stderr:
    """The start and the end of a stream, and the number of bytes between them."""

    first: bytes = b""
    last: bytes = b""
    total: int = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = STDERR_KEPT - len(self.first)
        self.first += chunk[:room]
        self.last = (self.last + chunk[max(room, 0) :])[-STDERR_KEPT:]

    def text(self) -> str:
        missing = self.total - len(self.first) - len(self.last)
        gap = f"\n... {missing} bytes left out ...\n".encode() if missing else b""
        return (self.first + gap + self.last).decode("utf-8", "replace")


def words(options: Iterable[str], operands: Iterable[str] = ()) -> list[str]:
    """Return the words of a command: program and options, `--`, and operands, which may start with a dash.

    Example: `words(["kubectl", "get"], ["pods"]) == ["kubectl", "get", "--", "pods"]`.
    """
    return [*options, "--", *operands] if (operands := list(operands)) else [*options]


def run_bounded(
    command: list[str],
    given: bytes = b"",
    seconds: float = inf,
    most: float = inf,
    *,
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
    inherit: tuple[int, ...] = (),
    terminal: bool = False,
) -> tuple[bytes, str, int]:
    """Run a program with `given` as stdin; return stdout, stderr and exit code.

    - `inherit`: descriptors to keep open.
    - `terminal`: the program may ask for a password on the terminal, so it stays in this process's group, and
      its own children are not ended with it.

    Raises OSError if it cannot start, ChildError if it takes more than `seconds` or writes more than `most`
    bytes. Example: `run_bounded(["cat"], b"x", 10, 100) == (b"x", "", 0)`.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=None if terminal else 0,
        bufsize=0,
        cwd=folder,
        env=environment,
        pass_fds=inherit,
    )
    try:
        output, errors = _talk(process, given, time.monotonic() + seconds, seconds, most)
        return output, errors, process.wait()
    finally:
        # Also ends the program's remaining children, and runs on Ctrl-C.
        try:
            if not terminal:
                os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                _close(stream)


def start(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a program that answers stdin on stdout; its stderr is discarded."""
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )


def _talk(
    process: subprocess.Popen[bytes], given: bytes, end: float, seconds: float, most: float
) -> tuple[bytes, str]:
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert stdout is not None
    assert stderr is not None
    output: list[bytes] = []
    size = 0
    errors = _Stderr()
    left = memoryview(given)
    lingering = 0.0
    late = f"did not end within {seconds:g} seconds"
    with selectors.DefaultSelector() as selector:
        for stream, event in (
            (stdin, selectors.EVENT_WRITE),
            (stdout, selectors.EVENT_READ),
            (stderr, selectors.EVENT_READ),
        ):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, event)
        while selector.get_map():
            now = time.monotonic()
            if now > end:
                raise ChildError(late, True)
            over = bool(lingering) and now > lingering
            for key, _ in selector.select(0 if over else min(end - now, 0.1)):
                if key.fileobj is stdin:
                    try:
                        left = left[os.write(key.fd, left[:_CHUNK]) :] if left else left
                    except BrokenPipeError:
                        left = left[:0]
                    if not left:
                        selector.unregister(stdin)
                        _close(stdin)
                    continue
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.fileobj is stdout:
                    size += len(chunk)
                    if size > most:
                        raise ChildError(f"wrote more than {most} bytes")
                    output.append(chunk)
                else:
                    errors.add(chunk)
            if over:
                # A remaining child keeps its streams open. The program's own output was read just now.
                break
            if not lingering and process.poll() is not None:
                lingering = time.monotonic() + _LINGERING
    try:
        # It has closed its streams, and may still run.
        process.wait(None if end == inf else max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise ChildError(late, True) from None
    return b"".join(output), errors.text()


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        pass
