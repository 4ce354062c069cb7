"""A process that answers hooks one after the other: frames on stdin, frames on stdout, until stdin ends.

The first frame holds the extensions, the first answer their errors.
"""

from __future__ import annotations

import gc
import sys

from krmkit.krm.errors import Refused
from krmkit.services.evaluator.frames import ANSWER, CALL
from krmkit.services.evaluator.worker import widen
from krmkit.services.extension.sources import load

PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from krmkit.services.extension.worker import main; main()"


def main() -> None:
    """Answer the calls that come on stdin."""
    calls, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a print in an author's code must not end up in a frame
    widen(0, 1)
    _, length = CALL.unpack(calls.read(CALL.size))
    try:
        served = load(calls.read(length))
    except Refused as error:
        sys.exit(f"krmkit serve topology-extension: {error}")
    gc.collect()
    gc.freeze()
    answers.write(ANSWER.pack(0, 0, 0))  # ready
    answers.flush()
    while header := calls.read(CALL.size):
        path_length, body_length = CALL.unpack(header)
        path = calls.read(path_length).decode()
        status, text = served.respond(path, calls.read(body_length))
        log = served.hook_of(path).encode()
        answers.write(b"".join((ANSWER.pack(0 if status == 200 else 1, len(text), len(log)), text, log)))
        answers.flush()
