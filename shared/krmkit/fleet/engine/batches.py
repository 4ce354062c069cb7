"""Batches of packages for a cluster: few at first, so that every worker has something soon, then more, so that sending costs little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

MOST = 32  # packages in a batch
BYTES = 4 << 20  # contents of a batch, after which it is closed


def batches(inputs: Iterable[Any], workers: int) -> Iterator[list[Any]]:
    """Split inputs into lists, in their order. An input may say with `size` how many bytes it holds.

    Example: with one worker, ten inputs come as 1, 2, 4 and 3.
    """
    batch: list[Any] = []
    number = size = 0
    for given in inputs:
        batch.append(given)
        size += getattr(given, "size", 0)
        if len(batch) >= min(MOST, 1 << min(number // workers, 16)) or size >= BYTES:
            yield batch
            batch, size = [], 0
            number += 1
    if batch:
        yield batch
