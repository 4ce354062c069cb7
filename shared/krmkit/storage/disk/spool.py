"""Lists in temporary files, for data of a large fleet that would not fit in memory."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import Generic, TypeVar

from krmkit.storage.disk.journal import JournalStep

_SMALL = 1 << 20  # bytes; a file below this size stays in memory

Value = TypeVar("Value")


class Spool(Generic[Value]):
    """A growing list in a temporary file. Each access reads a new copy of a value.

    Example: after `spool.append("a")`, `spool[0] == "a"`.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_SMALL, prefix="krmkit-")  # noqa: SIM115  # closed with the list
        self._ends = array("Q", [0])  # where each value ends in the file, which is where the next one starts

    def append(self, value: Value) -> None:
        """Add a value. Raises OSError, such as for a full disk."""
        self._file.seek(self._ends[-1])
        self._file.write(pickle.dumps(value))
        # A process that is forked later must not have a part of the value to write.
        self._file.flush()
        self._ends.append(self._file.tell())

    def __getitem__(self, number: int) -> Value:
        start, end = self._ends[number], self._ends[number + 1]
        self._file.seek(start)
        value: Value = pickle.loads(self._file.read(end - start))
        return value

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Value]:
        return (self[number] for number in range(len(self)))

    def __del__(self) -> None:
        self._file.close()


@dataclass(slots=True)
class StepSpool:
    """The steps of a writer in a temporary file, in order."""

    _batches: Spool[list[JournalStep]] = field(init=False, default_factory=Spool)
    _count: int = field(init=False, default=0)

    def add(self, steps: Iterable[JournalStep]) -> None:
        """Add steps, such as those of one package. Raises OSError."""
        batch = list(steps)
        self._batches.append(batch)
        self._count += len(batch)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[JournalStep]:
        return (step for batch in self._batches for step in batch)
