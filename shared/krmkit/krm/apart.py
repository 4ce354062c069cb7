"""Work on the items of a large list in several processes, if no item needs another.

Each process is a copy of this one that works on a share of the items. It hands back the texts of those that
it changed, and the results of the work; both are put in the order of the list, as if there were one process.
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
"""Items of a share: two such shares take 61 to 76 percent of the time of one process, and 15 more of CPU."""
_MOST = 8  # processes; each holds what it works on once more


def apart(resources: ResourceList, items: list[Resource], work: Callable[[Resource], T]) -> list[T]:
    """Return the result of `work`, plain data, for each of the items. It may change its own item only.

    A share whose work fails in its process is worked on here again, so errors are those of one process.
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
    """Return how many processes work on a list: one if aliases or the log of causes tie items together."""
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
