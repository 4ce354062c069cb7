"""Loops of range over lists, maps (sorted keys) and numbers, with counted rounds."""

from __future__ import annotations

from krmkit.libraries.go.core.values import ABSENT, sorted_keys
from krmkit.libraries.go.fmt.printing import go_print_value
from krmkit.libraries.gotemplate.execution import BREAK, Execution, Site
from krmkit.libraries.gotemplate.nodes import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krmkit.libraries.gotemplate.execution import Closure, Frame, Statement, Write


def loop(
    source: Closure,
    body: Statement,
    otherwise: Statement | None,
    variables: list[int],
    type_slot: int,
    assigned: list[int],
    cost: int,
    site: Site,
    last: Node,
    pipe: Node,
) -> Statement:
    """Compile a range.

    - `cost`: the nodes of one round.
    - `variables`: the slots of item, or of index and item. `type_slot`: the slot of an element's declared
      type.
    - `assigned`: the slots of the types of variables that the range assigns and does not declare.
    - `last`: where the error for a value without range is. `pipe`: where a limit ends the loop.
    """
    pair = len(variables) == 2
    item_slot, index_slot = variables[-1] if variables else 0, variables[0] if pair else 0

    def run_loop(frame: Frame, dot: object, write: Write) -> object:
        value = source(frame, dot)
        run: Execution = frame[0]
        pairs: Iterable[tuple[object, object]]
        round_cost = cost
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
            if pair:
                message = f"can't use {value} to iterate over more than one variable"
                raise site.error(run, last, message)
            size, declared, round_cost = max(value, 0), "", 0
            pairs = _counted(run, value, cost, site, pipe)
        else:
            raise site.error(run, last, f"range can't iterate over {go_print_value(value)}")
        if not size:
            return None if otherwise is None else otherwise(frame, dot, write)
        frame[type_slot] = declared
        for slot in assigned:
            frame[slot] = declared
        run.steps -= round_cost * size
        if run.steps < 0:
            raise run.too_many_steps(site, pipe)
        chunks = run.chunks
        for index, item in pairs:
            if index_slot:
                frame[index_slot] = index
            if item_slot:
                frame[item_slot] = item
            if body(frame, item, write) is BREAK:
                break
            if len(chunks) > run.next_count:
                run.count_output(site, pipe)
        return None

    return run_loop


def _counted(
    run: Execution, number: int, cost: int, site: Site, pipe: Node
) -> Iterator[tuple[object, object]]:
    """Yield the numbers below `number`, charging each round's steps, because the loop may end early."""
    kind = type(number)
    for at in range(number):
        run.steps -= cost
        if run.steps < 0:
            raise run.too_many_steps(site, pipe)
        yield at, at if kind is int else kind(at)
