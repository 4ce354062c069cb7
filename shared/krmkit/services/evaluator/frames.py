"""Frames between server and workers: a header of fixed size with the lengths of the parts, then the parts.

A call is (name of the function, resource list); an answer is (exit code, output, log). A ready worker sends
an empty answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

CALL = Struct("!HQ")
ANSWER = Struct("!BQQ")


@dataclass(slots=True, eq=False)
class Reply:
    """Result of a run: `output` is the list of a successful run, `log` its stderr or the failure's text."""

    exit_code: int
    output: bytes
    log: bytes
