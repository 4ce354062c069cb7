"""What the server and its workers say to each other: a header of fixed size, then the parts whose lengths it names.

A call is (name of the function, resource list); an answer is (exit code, output, log). A worker that is ready says so with an empty
answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

CALL = Struct("!HQ")
ANSWER = Struct("!BQQ")


@dataclass(slots=True, eq=False)
class Reply:
    """What a run came to: `output` is the list of a run that succeeded, `log` its stderr or the text of its failure."""

    exit_code: int
    output: bytes
    log: bytes
