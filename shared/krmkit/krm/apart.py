"""Work on the items of a large list in several processes, if no item needs another.

Each process is a fork that works on a share of the items. It returns the texts of changed items and the
results of the work; both are merged in the list's order, so the output is that of one process.
"""

from __future__ import annotations

from krmkit.libraries.yaml import effort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList

    T = TypeVar("T")

    Done = tuple[str | None, bool, T]
    """The text of a changed item, True if its lines can be read, and the result of the work."""

FEWEST = 500
"""Items of a share: two shares take 61 to 76 percent of one process's time, and 15 percent more CPU."""
_MOST = 8  # processes; each holds what it works on once more


def apart(resources: ResourceList, items: list[Resource], work: Callable[[Resource], T]) -> list[T]:
    """Return the results of `work` (plain data) for all items. `work` may change only the item it gets.

    A share whose work fails is repeated in this process, so errors are those of one process.
    """
    count = _processes(resources, len(items))
    if count < 2:
        return [work(item) for item in items]
    from functools import partial

    from krmkit.libraries.process.child import Child  # few lists are large

    size = -(-len(items) // count)
    shares = [items[start : start + size] for start in range(0, len(items), size)]
    children: list[Child] = []
    try:
        try:
            for share in shares[1:]:
                children.append(Child(partial(effort.counted, partial(_done, share, work))))
        except OSError:  # the system has no further process, or no memory for one
            return [work(item) for item in items]
        found = [work(item) for item in shares[0]]
        for share, child in zip(shares[1:], children, strict=True):
            try:
                done, steps = child.answer()  # list[Done[T]], and the effort of its work
            except (ChildProcessError, MemoryError):
                found += [work(item) for item in share]
                continue
            effort.take(steps)
            if effort.is_over():
                raise effort.EffortError(effort.used_up())
            for item, (text, is_safe, said) in zip(share, done, strict=True):
                if text is not None:
                    item.rewrite(text, is_safe)
                found.append(said)
    finally:
        for child in children:
            child.end()
    return found


def _processes(resources: ResourceList, count: int) -> int:
    """Return how many processes to use: one if aliases or the log of causes connect items."""
    if resources.jobs == 1 or count < 2 * FEWEST or resources.causes is not None or resources._has_anchors():
        return 1
    from krmkit.libraries.process.child import cores

    return min(resources.jobs or _MOST, count // FEWEST, cores())


def _done(share: list[Resource], work: Callable[[Resource], T]) -> list[Done[T]]:
    done = []
    for item in share:
        was = item.text
        said = work(item)
        text = item.text
        done.append((None if text == was else text, item._is_safe, said))
    return done
