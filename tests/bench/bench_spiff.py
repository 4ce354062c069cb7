"""spiff templates against what PyYAML's C loader and dumper take for a document of 10,000 nodes, text to text."""

from __future__ import annotations

import gc
import itertools
import math
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import yaml

from krmkit.libraries.spiff import merge
from krmkit.libraries.yaml import emit
from tests.bench.timing import MeasureError, Row, calls, in_turns, row

GROUP = "spiff templates"
SHARED = Path(__file__).resolve().parents[2] / "shared"
ENTRY = "key{0:05d}:\n  a: value {0}\n  b: {0}\n  c: [1, 2, x{0}]\n  d:\n    e: true\n"
WITH_EXPRESSIONS = (
    "key{0:05d}:\n  a: value {0}\n  b: {0}\n  c: (( b + 1 ))\n  d:\n    e: true\n"
    '    f: (( "x" a ))\n    g: 1\n    h: {{i: 2}}\n  j: (( .key{1:05d}.b ))\n  k: [1]\n'
)
NODES = 10
"""What one entry of ENTRY counts: keys are no nodes. Those of WITH_EXPRESSIONS are twelve, three of them expressions."""


def plain(nodes: int) -> str:
    return "".join(ENTRY.format(number) for number in range(nodes // NODES))


def expressions(nodes: int) -> str:
    return "".join(WITH_EXPRESSIONS.format(number, max(number - 1, 0)) for number in range(nodes // 12))


def chain(links: int) -> str:
    return "".join(f"a{i:03d}: (( a{i + 1:03d} ))\n" for i in range(links)) + f"a{links:03d}: 1\n"


def whole(template: str) -> str:
    return emit.document(merge(template).documents[0])


def pyyaml(text: str) -> str:
    dumped: str = yaml.dump(yaml.load(text, yaml.CSafeLoader), Dumper=yaml.CSafeDumper)
    return dumped


def rows() -> list[Row]:
    """The lines of the report."""
    large, busy = plain(10_000), expressions(10_000)
    links = chain(200)
    if yaml.safe_load(whole(large)) != yaml.safe_load(large):
        raise MeasureError("a template without expressions changed")
    if "((" in whole(busy) or yaml.safe_load(whole(links))["a000"] != 1:
        raise MeasureError("an expression was left")
    taken = in_turns(
        {
            "pyyaml": calls(lambda: pyyaml(large), clock=process_time),
            "plain": calls(lambda: whole(large), clock=process_time),
            "busy": calls(lambda: whole(busy), clock=process_time),
            "chain": calls(lambda: whole(links), 5, process_time),
        },
        9,
    )
    base = taken["pyyaml"]
    return [
        row(GROUP, "10,000 nodes without an expression, against PyYAML's load and dump", taken["plain"] / base, "x", 1),
        row(GROUP, "10,000 nodes with 2,500 expressions, against the same", taken["busy"] / base, "x", 3),
        row(GROUP, "a chain of 200 references, against the same", taken["chain"] / base, "x", 0.2),
        *growth("without expressions", plain),
        *growth("with expressions", expressions),
    ]  # fmt: skip


def growth(what: str, template: Callable[[int], str]) -> list[Row]:
    """How the time grows with the nodes: ten times as many, and twice as many of these.

    Without the collector of cyclic garbage, whose passes over everything come at certain sizes.
    """

    def merging(nodes: int) -> Callable[[], None]:
        text = template(nodes)

        def merged() -> None:
            gc.disable()
            whole(text)
            gc.enable()

        return merged

    sizes = (1_000, 10_000, 20_000)
    taken = in_turns({str(size): calls(merging(size), clock=process_time) for size in sizes}, 9)
    found = []
    for few, many in itertools.pairwise(sizes):
        exponent = math.log(taken[str(many)] / taken[str(few)]) / math.log(many / few)
        found.append(row(GROUP, f"growth {what}, {few:,} to {many:,} nodes: exponent", exponent, "", 1.1))
    return found


if __name__ == "__main__":
    for line in rows():
        print(f"{line['name']:90} {line['value']:8.3f} {line['unit']} {line['goal']}", file=sys.stdout)
