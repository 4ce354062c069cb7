"""krmkit.storage.disk.spool: lists in a temporary file."""

from __future__ import annotations

import tracemalloc

from krmkit.storage.disk.journal import JournalStep
from krmkit.storage.disk.spool import Spool, StepSpool


def test_values_come_back_in_order() -> None:
    """Each place has its own value, whether it is read before or after others were added."""
    spool: Spool[dict[str, object]] = Spool()
    values: list[dict[str, object]] = [
        {"name": f"é{number}", "files": ["x"] * number} for number in range(50)
    ]

    for number, value in enumerate(values):
        spool.append(value)
        assert spool[number // 2] == values[number // 2]

    assert len(spool) == 50
    assert list(spool) == values
    assert [one for pair in zip(spool, spool, strict=True) for one in pair] == [
        value for value in values for _ in range(2)
    ]


def test_a_read_value_is_a_copy() -> None:
    """Who changes it does not change the list."""
    spool: Spool[list[int]] = Spool()
    spool.append([1])

    spool[0].append(2)

    assert spool[0] == [1]


def test_many_values_are_not_in_memory() -> None:
    """Twenty megabytes of values take less than three."""
    spool: Spool[str] = Spool()
    tracemalloc.start()
    try:
        for number in range(2_000):
            spool.append(f"{number:05}" * 2_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert spool[1_234] == "01234" * 2_000
    assert peak < 3_000_000


def test_steps_of_several_packages() -> None:
    """They come one after the other, as often as they are read; a package may have none."""
    spool = StepSpool()
    assert not len(spool)

    spool.add([JournalStep("a", "n1", "o1", "b"), JournalStep("b", "n2", "", "")])
    spool.add([])
    spool.add([JournalStep("c", "", "o2", "x")])

    assert len(spool) == 3
    for _ in range(2):
        assert [(step.path, step.new, step.old, step.before) for step in spool] == [
            ("a", "n1", "o1", "b"),
            ("b", "n2", "", ""),
            ("c", "", "o2", "x"),
        ]
