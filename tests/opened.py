"""Which files a piece of code opens and renames, told by Python itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def openings_and_renames(path: str) -> Iterator[tuple[list[object], list[object]]]:
    """Collect what opens the file of this path, and what gives a file this path, inside the block.

    with openings_and_renames("journal") as (opened, renamed): ...
    """
    opened: list[object] = []
    renamed: list[object] = []
    active = True

    def hook(event: str, words: tuple[object, ...]) -> None:
        if active and event == "open" and str(words[0]) == path:
            opened.append(words)
        elif active and event == "os.rename" and str(words[1]) == path:
            renamed.append(words)

    sys.addaudithook(hook)  # cannot be removed
    try:
        yield opened, renamed
    finally:
        active = False
