"""One function process on lists of 3 to 10,000 items, against the bare interpreter and against PyYAML; memory; five functions in one
process against five processes.

A function is started as its image does: see tests/bench/image.py.
"""

from __future__ import annotations

import sysconfig
import tempfile
import textwrap
from pathlib import Path

from tests.bench import image, lists
from tests.bench.timing import INTERPRETER, Command, MeasureError, Row, in_turns, row

NAMESPACE = "test-set-namespace-everywhere"
SIZES = {3: 41, 100: 25, 1_000: 11, 10_000: 5}  # items: rounds

PYYAML = """
import sys
sys.path.append(sys.argv[1])
import yaml
yaml.dump(yaml.load(sys.stdin, yaml.CSafeLoader), sys.stdout, yaml.CSafeDumper, sort_keys=False)
"""
# Five functions on one list in memory, as the pipeline runs them: parsed once, written once.
IN_PROCESS = """
import gc, sys
gc.disable()
sys.path.insert(0, sys.argv[1])
from krmkit.fn.loader import Function
steps = [(Function(folder), path) for folder, path in zip(sys.argv[2::2], sys.argv[3::2])]
for function, _ in steps:
    function.process
from krmkit.fn.entry import leave, prepare
prepare()
from krmkit.fn.run import apply
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
resources = ResourceList.parse(sys.stdin.read())
results = []
for function, path in steps:
    with open(path) as stream:
        config = Resource(stream.read())
    results += apply(function.definition, function.process, resources, config)
resources.function_config = None
resources.results = [result.data() for result in results]
sys.stdout.write(resources.render())
leave(0)
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        functions = image.lay_out(place)
        return [*_times(place, functions), *_memory(place, functions), *_pipeline(place, functions)]


def _times(place: Path, functions: Path) -> list[Row]:
    bare = Command([INTERPRETER, "-I", "-S", "-c", "pass"])
    found = []
    for count, rounds in SIZES.items():
        one = _write(place, f"one-{count}", lists.resource_list(count, lists.APPLY_PRESETS, pack=True))
        checked = _write(place, f"checked-{count}", lists.resource_list(count, lists.VALIDATE, pack=True))
        every = _write(place, f"every-{count}", lists.resource_list(count, lists.SET_NAMESPACE))
        commands = {
            "bare interpreter": bare,
            "apply-presets, 1 item changed": image.command(functions / "apply-presets", one),
            "validate-pack-constraints, 1 pack": image.command(
                functions / "validate-pack-constraints", checked
            ),
            "one scalar set in every item": image.command(functions / NAMESPACE, every),
            "PyYAML C load and dump": Command(
                [INTERPRETER, "-I", "-S", "-c", PYYAML, sysconfig.get_path("platlib")], every
            ),
        }
        _expect(
            commands["apply-presets, 1 item changed"], "logLevel: debug", 2
        )  # one of them is the preset itself
        _expect(commands["one scalar set in every item"], "namespace: edge-site\n", count + 1)
        commands["validate-pack-constraints, 1 pack"].output()
        median = in_turns({name: command.seconds for name, command in commands.items()}, rounds)
        base, dump = median["bare interpreter"], median["PyYAML C load and dump"]
        goals = _goals(count)
        group = f"{count:,} items"
        for name, taken in median.items():
            found.append(row(group, name, taken * 1000, "ms"))
        for name in commands:
            if name in {"bare interpreter", "PyYAML C load and dump"}:
                continue
            found.append(
                row(
                    group,
                    f"{name} / bare interpreter",
                    taken_ratio(median[name], base),
                    "x",
                    goals.get((name, "bare")),
                )
            )
            found.append(
                row(
                    group, f"{name} / PyYAML", taken_ratio(median[name], dump), "x", goals.get((name, "dump"))
                )
            )
    return found


def _goals(count: int) -> dict[tuple[str, str], float]:
    if count == 3:
        return {
            ("apply-presets, 1 item changed", "bare"): 1.8,
            ("validate-pack-constraints, 1 pack", "bare"): 3.0,
        }
    if count == 10_000:
        return {
            ("apply-presets, 1 item changed", "dump"): 0.045,
            ("one scalar set in every item", "dump"): 0.08,
        }
    return {}


def taken_ratio(taken: float, base: float) -> float:
    return taken / base


def _memory(place: Path, functions: Path) -> list[Row]:
    found = []
    for count in (1_000, 10_000):
        for name, folder, file in (
            ("apply-presets, 1 item changed", functions / "apply-presets", f"one-{count}"),
            ("one scalar set in every item", functions / NAMESPACE, f"every-{count}"),
        ):
            path = place / file
            peak = image.command(folder, path).peak()
            goal = 8.0 if count == 10_000 else None
            found.append(row("peak memory", f"{name}, {count:,} items", peak / 1e6, "MB"))
            found.append(
                row("peak memory", f"{name}, {count:,} items / input", peak / path.stat().st_size, "x", goal)
            )
    return found


def _pipeline(place: Path, functions: Path) -> list[Row]:
    steps = [
        (functions / "set-package-context", lists.SET_CONTEXT),
        (functions / "prepend-pipeline", lists.PREPEND),
        (functions / "apply-presets", lists.APPLY_PRESETS),
        (functions / NAMESPACE, lists.SET_NAMESPACE),
        (functions / "validate-pack-constraints", lists.VALIDATE),
    ]
    plain = _write(place, "plain", lists.resource_list(1_000, "", pack=True, package=True))
    single = []
    arguments = [INTERPRETER, "-I", "-S", "-c", IN_PROCESS, str(place / "shared")]
    for number, (folder, config) in enumerate(steps):
        whole = _write(place, f"step-{number}", lists.resource_list(1_000, config, pack=True, package=True))
        alone = _write(place, f"config-{number}", textwrap.dedent(config.partition("\n")[2]))
        single.append(image.command(folder, whole))
        arguments += [str(folder), str(alone)]
    together = Command(arguments, plain)
    for text, times in (("logLevel: debug", 2), ("site: north", 1), ("namespace: edge-site\n", 1_002)):
        _expect(together, text, times)

    def five() -> float:
        return sum(command.seconds() for command in single)

    median = in_turns({"five processes": five, "in process": together.seconds}, 11)
    ratio = median["in process"] / median["five processes"]
    return [
        row("pipeline of 5 functions, 1,000 items", "five processes", median["five processes"] * 1000, "ms"),
        row("pipeline of 5 functions, 1,000 items", "one process", median["in process"] * 1000, "ms"),
        row("pipeline of 5 functions, 1,000 items", "one process / five processes", ratio, "x", 0.35),
    ]


def _expect(command: Command, text: str, times: int) -> None:
    found = command.output().count(text)
    if found != times:
        raise MeasureError(f"{command}: {text!r} stands {found} times in the output, not {times}")


def _write(place: Path, name: str, text: str) -> Path:
    path = place / name
    path.write_text(text, "utf-8")
    return path
