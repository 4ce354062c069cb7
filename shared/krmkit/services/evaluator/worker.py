"""A process that runs functions one after the other: frames on stdin, frames on stdout, until stdin ends.

All functions are loaded before the first call. A run leaves reference cycles (a document and its nodes refer
to each other). The collector is off during a run, where it would cost time, and runs right after the answer
is sent. Objects loaded at the start are frozen, so the collector visits only the run's own, in some 50
microseconds.
"""

from __future__ import annotations

import gc
import sys
from typing import BinaryIO

from krmkit.fn import loader
from krmkit.fn.entry import evaluate
from krmkit.fn.loader import Function
from krmkit.fn.run import DEFAULT_OPTIONS
from krmkit.fn.standin import not_the_image, standing_in
from krmkit.krm.finding import Finding
from krmkit.libraries.yaml import _libyaml
from krmkit.services.evaluator.frames import ANSWER, CALL, Reply

# The text of a failure, with the image's name, is an HTTP/2 header, limited to 8 KiB by default.
LONGEST_FAILURE = 6 * 1024
_PIPE_SIZE = 1 << 20  # Linux's limit for unprivileged users


def main() -> None:
    """Answer the calls that come on stdin."""
    stdout, sys.stdout = (sys.stdout, sys.stderr)  # a print in a function must not end up in a frame
    _libyaml.lean = True
    widen(sys.stdin.fileno(), stdout.fileno())
    work(sys.stdin.buffer, stdout.buffer)


def widen(*pipes: int) -> None:
    """Enlarge each pipe to hold a whole list, where the system can, so that neither side waits."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        for pipe in pipes:
            fcntl(pipe, F_SETPIPE_SZ, _PIPE_SIZE)
    except (ImportError, OSError):
        return  # only slower


def work(calls: BinaryIO, answers: BinaryIO) -> None:
    """Answer each call, in order, until there are no more."""
    functions = preloaded()
    gc.disable()
    gc.collect()
    gc.freeze()
    answers.write(ANSWER.pack(0, 0, 0))  # ready
    answers.flush()
    while header := calls.read(CALL.size):
        name_length, list_length = CALL.unpack(header)
        name, _, image = calls.read(name_length).decode().partition(" ")
        answer = answered(functions, name, calls.read(list_length), image)
        # One write, so that the server wakes up once.
        header = ANSWER.pack(answer.exit_code, len(answer.output), len(answer.log))
        answers.write(b"".join((header, answer.output, answer.log)))
        answers.flush()
        del answer
        gc.collect()


def preloaded() -> dict[str, Function]:
    """Return the catalog's functions, loaded. One that cannot be loaded answers calls with the reason."""
    functions = {}
    for name in loader.names():
        functions[name] = function = loader.load(name)
        try:
            _ = function.definition, function.process
        except Exception as error:  # noqa: BLE001  # whatever is wrong with one, the others work
            print(f"krmkit evaluator: {name} cannot be loaded: {error}", file=sys.stderr)
    return functions


def answered(functions: dict[str, Function], name: str, content: bytes, image: str = "") -> Reply:
    """Run a function as a stand-in for `image`. A failure has its text in `log`, and no output."""
    function = functions[name]
    try:
        warning = not_the_image(image, "", function.definition) if image else ""
        options = standing_in(DEFAULT_OPTIONS, image, "", warning)
        outcome = evaluate(function.definition, function.process, content, options)
    except Exception as error:  # noqa: BLE001  # `evaluate` raises nothing: the function could not be loaded
        return Reply(1, b"", f"{name} cannot be loaded: {error}".encode("utf-8", "replace")[:LONGEST_FAILURE])
    if outcome.exit_code:
        return Reply(outcome.exit_code, b"", failure(outcome.results, outcome.stderr).encode())
    return Reply(0, outcome.stdout.encode("utf-8", "replace"), outcome.stderr.encode("utf-8", "replace"))


def failure(results: list[Finding], stderr: str, limit: int = LONGEST_FAILURE) -> str:
    """Return results and stderr of a failed run as text, of at most `limit` bytes as gRPC escapes them.

    Results are in order, errors first; those that do not fit are counted.
    """
    tail = f"stderr: {stderr.strip()}"
    room = limit - escaped_size(tail) - 40  # keep room for the line that counts the rest
    lines = []
    for number, result in enumerate(results):
        line = f"[{result.severity}] {result}\n"
        room -= escaped_size(line)
        if room < 0:
            lines.append(f"(and {len(results) - number} more results)\n")
            break
        lines.append(line)
    return "".join(lines) + tail


def escaped_size(text: str) -> int:
    """Return a text's size in the header grpc-message, where % and unprintable bytes take three bytes."""
    encoded = text.encode("utf-8", "replace")
    plain = sum(0x20 <= byte <= 0x7E and byte != 0x25 for byte in encoded)
    return 3 * len(encoded) - 2 * plain
