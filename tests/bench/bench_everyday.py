"""kpt's everyday functions on lists in which every resource changes, against PyYAML's C load and dump of the same text.

A function's process has Python's garbage collector off (`krmkit.fn.entry.prepare`). The rows with goals compare it with PyYAML
without the collector as well; those beside them with a script as most are written, which has it on.
"""

from __future__ import annotations

import gc
import math
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from time import process_time

import yaml

from krmkit.fn import loader
from krmkit.fn.run import run
from tests.bench import image
from tests.bench.bench_process import IN_PROCESS
from tests.bench.timing import INTERPRETER, Command, MeasureError, Row, in_turns, row

GROUP = "Everyday functions"
ITEMS = 10_000
FEWER = 2_500
ROUNDS = 2
PIPED = (10, 1_000)  # resources of a usual package, and of a large one
TOGETHER = ("set-namespace", "set-labels", "set-annotations", "set-image")

_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
_ITEM = """\
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web-{number}
    namespace: default
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'web/{number}.yaml'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/package-path: '/packages/edge'
      internal.config.kubernetes.io/path: 'web/{number}.yaml'
      internal.config.kubernetes.io/seqindent: 'compact'
    labels:
      app: web-{number}
  spec:
    replicas: 3 # by hand
    selector:
      matchLabels:
        app: web-{number}
    template:
      metadata:
        labels:
          app: web-{number}
      spec:
        containers:
        - name: main
          image: "nginx:1.25" # kpt-set: nginx:${{tag}}
          ports:
          - containerPort: 8080
"""
_REPLACEMENTS = """\
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyReplacements
  metadata: {name: c}
  replacements:
  - source: {kind: Deployment, name: web-1, fieldPath: metadata.namespace}
    targets:
    - select: {kind: Deployment}
      fieldPaths: [spec.template.metadata.labels.app]
"""


def _config(data: str) -> str:
    return f"functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: c}}\n  data: {data}\n"


# The config of each function, and what it may take of the time of load and dump, neither with the collector.
FUNCTIONS = {
    "set-namespace": (_config("{namespace: shop}"), 0.2),
    "set-labels": (_config("{team: shop}"), 0.3),
    "set-annotations": (_config("{note: shop}"), 0.4),
    "set-image": (_config("{name: nginx, newTag: '1.27'}"), 0.45),
    "apply-setters": (_config("{tag: '1.27'}"), 0.4),
    "search-replace": (_config("{by-path: '**.image', put-value: shop}"), 0.4),
    "apply-replacements": (_REPLACEMENTS, 0.25),
}


def resource_list(count: int, config: str) -> str:
    """A list of Deployments that every function changes, with a functionConfig."""
    return _HEAD + "".join(_ITEM.format(number=number) for number in range(count)) + config


def _runs(name: str, count: int) -> Callable[[], float]:
    """Processor seconds of one run of a function."""
    function = loader.load(name)
    text = resource_list(count, FUNCTIONS[name][0])
    process = function.process

    def measured() -> float:
        gc.collect()
        gc.disable()
        start = process_time()
        outcome = run(function.definition, process, text)
        taken = process_time() - start
        gc.enable()
        if outcome.exit_code or outcome.stdout.count("web-") < count:
            raise MeasureError(f"{name}: {outcome.stderr}")
        return taken

    return measured


def _loads(count: int, collects: bool) -> Callable[[], float]:
    """Processor seconds of PyYAML, with the garbage collector on or off."""
    text = resource_list(count, "")

    def measured() -> float:
        gc.collect()
        if not collects:
            gc.disable()
        start = process_time()
        yaml.dump(yaml.load(text, Loader=yaml.CSafeLoader), Dumper=yaml.CSafeDumper, sort_keys=False)
        taken = process_time() - start
        gc.enable()
        return taken

    return measured


def rows() -> list[Row]:
    """Each function's share of load and dump, and how its time grows with the list."""
    measured = {"yaml": _loads(ITEMS, True), "yaml without collector": _loads(ITEMS, False)}
    for name in FUNCTIONS:
        measured |= {name: _runs(name, ITEMS), f"{name}, fewer": _runs(name, FEWER)}
    taken = in_turns(measured, ROUNDS)
    found = []
    for name, (_, goal) in FUNCTIONS.items():
        share = taken[name] / taken["yaml"]
        growth = math.log(taken[name] / taken[f"{name}, fewer"]) / math.log(ITEMS / FEWER)
        title = f"{name}, {ITEMS:,} resources, each changed, of PyYAML's C load and dump"
        found.append(row(GROUP, f"{title}, as scripts run it: its garbage collector on", share, "x"))
        still = taken[name] / taken["yaml without collector"]
        found.append(row(GROUP, f"{title}, its garbage collector off", still, "x", goal))
        found.append(row(GROUP, f"{name}, exponent of growth from {FEWER:,} to {ITEMS:,}", growth, "", 1.05))
    with tempfile.TemporaryDirectory() as folder:
        folders = image.lay_out(Path(folder))
        return [*found, *(_together(Path(folder), folders, count) for count in PIPED)]


def _together(place: Path, folders: Path, count: int) -> Row:
    """Four functions on one list in one process, as a pipeline runs them, against a process for each; processor time."""
    plain = place / "plain"
    plain.write_text(resource_list(count, ""), "utf-8")
    alone: list[Command] = []
    arguments = [INTERPRETER, "-I", "-S", "-c", IN_PROCESS, str(place / "shared")]
    for name in TOGETHER:
        config = FUNCTIONS[name][0]
        whole, single = place / f"{name}.list", place / f"{name}.config"
        whole.write_text(resource_list(count, config), "utf-8")
        single.write_text(textwrap.dedent(config.partition("\n")[2]), "utf-8")
        alone.append(image.command(folders / name, whole))
        arguments += [str(folders / name), str(single)]
    together = Command(arguments, plain)
    if together.output().count("team: shop") < count:
        raise MeasureError("the functions together do not do what each does")
    taken = in_turns(
        {
            "one": together.processor_seconds,
            "four": lambda: sum(command.processor_seconds() for command in alone),
        },
        5,
    )
    title = f"{len(TOGETHER)} functions on {count:,} resources, one process / a process for each, CPU"
    return row(GROUP, title, taken["one"] / taken["four"], "x", 0.35)
