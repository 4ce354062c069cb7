"""range: over lists, maps with sorted keys, and numbers; counted, so that it ends."""

from __future__ import annotations

from krmkit.go.fmt.printing import go_print_value
from krmkit.go.values import ABSENT, sorted_keys
from krmkit.gotemplate.execution import BREAK, Execution, Site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from krmkit.gotemplate.execution import Expression, Frame, Statement, Write
    from krmkit.gotemplate.nodes import Node


def loop(
    source: Expression,
    body: Statement,
    otherwise: Statement | None,
    places: tuple[Node, Node],
    types: tuple[int, list[int]],
    slots: list[int],
    cost: int,
    site: Site,
) -> Statement:
    """The statement of a range.

    places: the nodes of its own errors and of those of a limit. types: where the frame keeps the declared type of an
    element, and the same for variables that are assigned. slots: of the variables, index first. cost: the nodes of one
    iteration.
    """
    failing, head = places
    type_slot, assigned = types
    item_slot = slots[-1] if slots else 0
    index_slot = slots[0] if len(slots) == 2 else 0
    count = _counting(body, otherwise, places, type_slot, slots, cost, site)

    def run_loop(frame: Frame, dot: object, write: Write) -> object:
        value = source(frame, dot)
        run: Execution = frame[0]
        pairs: Iterable[tuple[object, object]]
        if isinstance(value, list):
            size = len(value)
            pairs = enumerate(value)
            declared = getattr(value, "element", "interface {}")
        elif isinstance(value, dict):
            size = len(value)
            keys = sorted_keys(value)
            pairs = list(zip(keys, [value[key] for key in keys], strict=True))
            declared = getattr(value, "element", "interface {}")
        elif value is None or value is ABSENT:
            size = 0
        elif isinstance(value, int) and not isinstance(value, bool):
            return count(frame, dot, write, value)
        else:
            raise site.error(run, failing, f"range can't iterate over {go_print_value(value)}")
        if not size:
            return None if otherwise is None else otherwise(frame, dot, write)
        frame[type_slot] = declared
        for slot in assigned:
            frame[slot] = declared
        run.steps -= cost * size
        if run.steps < 0:
            raise run.too_many_steps(site, head)
        chunks = run.chunks
        for index, item in pairs:
            if index_slot:
                frame[index_slot] = index
            if item_slot:
                frame[item_slot] = item
            if body(frame, item, write) is BREAK:
                break
            if len(chunks) > run.next_count:
                run.count_output(site, head)
        return None

    return run_loop


def _counting(
    body: Statement,
    otherwise: Statement | None,
    places: tuple[Node, Node],
    type_slot: int,
    slots: list[int],
    cost: int,
    site: Site,
) -> Callable[[Frame, object, Write, int], object]:
    """The range over an integer: from 0 to one less than it. Parameters as in `loop`."""
    failing, head = places
    item_slot = slots[-1] if slots else 0

    def count(frame: Frame, dot: object, write: Write, number: int) -> object:
        run: Execution = frame[0]
        if len(slots) == 2:
            raise site.error(run, failing, f"can't use {number} to iterate over more than one variable")
        if number <= 0:
            return None if otherwise is None else otherwise(frame, dot, write)
        kind = type(number)
        frame[type_slot] = ""
        chunks = run.chunks
        for at in range(number):
            run.steps -= cost
            if run.steps < 0:
                raise run.too_many_steps(site, head)
            item = at if kind is int else kind(at)
            if item_slot:
                frame[item_slot] = item
            if body(frame, item, write) is BREAK:
                break
            if len(chunks) > run.next_count:
                run.count_output(site, head)
        return None

    return count
