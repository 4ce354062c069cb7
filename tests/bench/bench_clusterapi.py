"""Managed topologies: patches of one template, a thousand Clusters of one class, and the plan of a change to them."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import yaml

from krmkit.libraries.json import Object
from krmkit.libraries.json.patch import Draft
from krmkit.systems.clusterapi.api.contracts import Contracts
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint, read_blueprint
from krmkit.systems.clusterapi.desired.cluster import desired_state
from krmkit.systems.clusterapi.desired.requestitems import create_request
from krmkit.systems.clusterapi.model.extensions import NoExtensions
from krmkit.systems.clusterapi.patches.inline import InlinePatch
from tests.bench import topologies
from tests.bench.timing import INTERPRETER, Command, MeasureError, Row, calls, in_turns, row, shares

GROUP = "Cluster API topologies"
ROOT = Path(__file__).resolve().parents[2]
FUNCTION = ROOT / "functions/render-cluster-topology/main.py"
CLUSTERS = 1000
ROUNDS = 3
_KRMKIT = (
    "import sys; sys.path[:0] = [sys.argv.pop(1)]; from krmkit.cli import main; raise SystemExit(main())"
)
_YAML = """
import sys, yaml
documents = list(yaml.load_all(open(sys.argv[1], encoding="utf-8"), yaml.CSafeLoader))
sys.stdout.write(yaml.dump_all(documents, Dumper=yaml.CSafeDumper))
"""


def rows() -> list[Row]:
    """All measurements."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_one_template(), *_one_cluster(Path(folder)), *_render(Path(folder)), *_plan(Path(folder))]


def _blueprint() -> ClusterBlueprint:
    items = topologies.class_items()
    known = {(item["kind"], item["metadata"]["name"]): item for item in items}

    def template(reference: Object, field: str) -> Object:
        return known[reference["kind"], reference["name"]]

    bare = {**items[0], "spec": {**items[0]["spec"], "patches": []}}
    return read_blueprint(bare, template, Contracts(), None)


def _one_template() -> list[Row]:
    """Seven patches on the control plane's template, against reading that template."""
    blueprint = _blueprint()
    state, _ = desired_state(blueprint, topologies.cluster(0))
    request = create_request(blueprint, state)
    request.items = [item for item in request.items if item.role == "controlPlane"]
    selector = topologies.PATCHES[2]["definitions"][0]["selector"]
    patches = [
        InlinePatch(
            {
                "name": f"patch-{number}",
                "definitions": [
                    {
                        "selector": selector,
                        "jsonPatches": [
                            {
                                "op": "add",
                                "path": f"/spec/template/spec/value{number}",
                                "valueFrom": {"template": "{{ .builtin.cluster.name }}-" + str(number)},
                            }
                        ],
                    }
                ],
            }
        )
        for number in range(7)
    ]
    template = request.items[0].object
    text = yaml.dump(template, Dumper=yaml.CSafeDumper)

    def patch() -> object:
        draft = Draft(template)
        for one in patches:
            for _, _, operations, _ in one.generate(request, None, NoExtensions()):
                draft.apply(operations)
        return draft.document

    taken = in_turns(
        {"patches": calls(patch, 50), "load": calls(lambda: yaml.load(text, yaml.CSafeLoader), 50)}, ROUNDS
    )
    return [
        row(
            GROUP, "7 patches on a template / PyYAML's C load of it", taken["patches"] / taken["load"], "x", 1
        )
    ]


def _one_cluster(folder: Path) -> list[Row]:
    """Processor time of a whole process for one Cluster, against the bare interpreter and what the original takes.

    The original, in Go, is not measured here: its whole process took 50 ms of processor time for a quick start.
    """
    listed = folder / "one.yaml"
    listed.write_text(topologies.resource_list(1), "utf-8")
    one = Command([sys.executable, str(FUNCTION)], listed)
    bare = Command([INTERPRETER, "-I", "-S", "-c", "pass"])
    taken = in_turns({"one": one.processor_seconds, "bare": bare.processor_seconds}, 21)
    return [
        row(GROUP, "render of one Cluster, whole process, CPU", taken["one"] * 1000, "ms"),
        row(GROUP, "the same / `python -I -S -c pass`", taken["one"] / taken["bare"], "x"),
        row(GROUP, "the same / 50 ms, Go's whole process elsewhere", taken["one"] / 0.05, "x", 2.5),
    ]


def _render(folder: Path) -> list[Row]:
    """The whole process of the function, against PyYAML's load and dump of what it generates."""
    listed = folder / "list.yaml"
    listed.write_text(topologies.resource_list(CLUSTERS), "utf-8")
    run = Command([sys.executable, str(FUNCTION)], listed)
    output = run.output()
    made = [
        item
        for item in yaml.load(output, yaml.CSafeLoader)["items"]
        if "krmkit.dev/generated-by" in (item["metadata"].get("annotations") or {})
    ]
    if len(made) != CLUSTERS * (3 + 3 * topologies.WORKERS):
        raise MeasureError(f"{len(made)} objects of {CLUSTERS} Clusters")
    generated = folder / "generated.yaml"
    generated.write_text(yaml.dump_all(made, Dumper=yaml.CSafeDumper), "utf-8")
    read = Command([sys.executable, "-c", _YAML, str(generated)])
    taken = in_turns({"render": run.seconds, "yaml": read.seconds}, ROUNDS)
    memory = run.peak() / len(output.encode())
    return [
        row(GROUP, f"render {CLUSTERS} Clusters, per Cluster", taken["render"] / CLUSTERS * 1000, "ms"),
        row(
            GROUP,
            "the same / PyYAML's C load and dump of the objects",
            taken["render"] / taken["yaml"],
            "x",
            0.4,
        ),
        row(GROUP, "most memory / bytes written", memory, "x", 6),
    ]


def _plan(folder: Path) -> list[Row]:
    """A plan of all Clusters, with one process and with two."""
    before, after = folder / "before", folder / "after"
    for place, spare in ((before, ""), (after, "sizeGiB: 3")):
        place.mkdir()
        text = "---\n".join(topologies.documents(CLUSTERS))
        (place / "all.yaml").write_text(text.replace("sizeGiB: 2", spare) if spare else text, "utf-8")

    def plan(jobs: str) -> Command:
        words = ["topology", "plan", str(after), "--against", str(before), "--jobs", jobs]
        return Command([sys.executable, "-c", _KRMKIT, str(ROOT / "shared"), *words], exit_code=2)

    taken = in_turns({"one": plan("1").seconds, "two": plan("2").seconds}, ROUNDS)
    own, others = shares(plan("2").arguments[4:], 2)
    found = row(GROUP, "topology plan: one process / two", taken["one"] / taken["two"], "x")
    if (os.cpu_count() or 1) > 1:
        found["goal"], found["met"] = ">= 1.6", taken["one"] / taken["two"] >= 1.6
    return [
        row(
            GROUP, f"topology plan of {CLUSTERS} Clusters, per Cluster", taken["one"] / CLUSTERS * 1000, "ms"
        ),
        found,
        row(GROUP, "the same on two idle cores, by the share that is not shared out", (own + others) / (own + others / 2), "x"),
    ]  # fmt: skip
