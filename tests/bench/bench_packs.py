"""Functions of packs on the texts of real packs, against a PyYAML C load of the same texts in the same process.

The packs are in a folder beside the checkout (their licences exclude them from it), or in KRMKIT_PACKS; without them
there are no rows. The goals are about the rules, which take the texts of packs and give back others; beside them stands
the whole run of the function, from the text of a ResourceList to that of another, once all is imported.
"""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

import yaml

from krmkit.fn import loader
from krmkit.fn.run import run
from krmkit.render.conversion.packfiles import TEXTS
from krmkit.render.conversion.packfolder import config_map
from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.macros.resolve import MacroResolver
from krmkit.systems.palette.packs.macrotext import FIELD
from krmkit.systems.palette.presets.apply import apply_presets
from tests.bench import lists
from tests.bench.timing import MeasureError, Row, calls, in_turns, row

GROUP = "Packs"
ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(os.environ.get("KRMKIT_PACKS") or ROOT.parent / "shared" / "conformance" / "palette" / "corpus")
MANY = 220
ALL = 10_000  # packs of one list, each with a preset to apply, a macro to resolve, and constraints
# What the output has for each pack.
EXPECTED = {
    "apply-presets": "logLevel: debug",
    "resolve-macros": "harbour-7",
    "validate-pack-constraints": "edge-agent-",
}
MACROS = """\
  system: {cluster.name: harbour-7, kubernetes.version: 1.31.4}
  variables:
  - {name: clusterProvider, value: AWS}
  - {name: sedaiBaseUrl, value: "https://example.org"}
  - {name: sedaiApiToken, value: t0, secret: true}
  - {name: NGC_API_KEY, value: k0, secret: true}
"""


def rows() -> list[Row]:
    """Ratios to PyYAML, and the milliseconds behind them."""
    found = many_packs()
    packs = sorted(path.parent for path in PLACE.glob("*/pack.json"))
    if not packs:
        print(f"no packs in {PLACE}; KRMKIT_PACKS names another folder", file=sys.stderr)
        return found
    dell, thanos = (
        next((pack for pack in packs if pack.name.startswith(name)), None) for name in ("dell-csm", "thanos")
    )
    for title, pack, goal in (("a presets file of 131 KB", dell, 2), ("values of 289 KB", thanos, 1.5)):
        if pack:
            found += compared(
                f"apply-presets with {title}",
                "apply-presets",
                preset_config(pack),
                [pack],
                ("presets.yaml", "values.yaml"),
                goal,
                applying(pack),
                added_texts(pack),
            )
    found += compared(
        f"resolve-macros on {len(packs)} packs",
        "resolve-macros",
        config("ResolveMacros", MACROS),
        packs,
        ("values.yaml",),
        1,
        resolving(packs),
    )
    many = [packs[number % len(packs)] for number in range(MANY)]
    found += compared(
        f"validate-pack-constraints on {MANY} packs",
        "validate-pack-constraints",
        config("ValidatePackConstraints", "  scope: cluster\n  failOn: never\n"),
        many,
        ("values.yaml", "schema.yaml"),
        2.2,
    )
    return found


def many_packs() -> list[Row]:
    """Thousands of packs in one list, through each function: the whole run against PyYAML's C load and dump, and its growth.

    Neither has the collector of cyclic garbage on.
    """
    texts = {name: {count: pack_list(name, count) for count in (ALL, ALL // 2)} for name in EXPECTED}

    def theirs() -> None:
        gc.disable()
        loaded = yaml.load(texts["apply-presets"][ALL], yaml.CSafeLoader)
        yaml.dump(loaded, Dumper=yaml.CSafeDumper, sort_keys=False)
        gc.enable()

    measured = {"theirs": calls(theirs, clock=process_time)}
    for name, listed in texts.items():
        measured[f"{name}, all"] = calls(running(name, listed[ALL]), clock=process_time)
        measured[f"{name}, half"] = calls(running(name, listed[ALL // 2]), clock=process_time)
    taken = in_turns(measured, 2)
    found = []
    for name in texts:
        whole, half = taken[f"{name}, all"], taken[f"{name}, half"]
        title = f"{name}, {ALL:,} packs"
        goal = 0.7 if name == "apply-presets" else None
        found.append(
            row(
                GROUP,
                f"{title} / PyYAML's C load and dump, garbage collector off on both sides, CPU",
                whole / taken["theirs"],
                "x",
                goal,
            )
        )
        found.append(
            row(GROUP, f"{title}: growth from half as many, exponent", math.log2(whole / half), "", 1.1)
        )
    return found


def running(function: str, text: str) -> Callable[[], object]:
    """A run of a function on a list, as its process runs it: without the collector of cyclic garbage."""
    loaded = loader.load(function)
    word = EXPECTED[function]

    def whole() -> None:
        gc.disable()
        outcome = run(loaded.definition, loaded.process, text)
        gc.enable()
        if outcome.exit_code or outcome.stdout.count(word) < text.count("pack.json: |"):
            raise MeasureError(f"{function} did not see to all packs: {outcome.stderr}")

    return whole


def pack_list(function: str, count: int) -> str:
    """A list of packs, each with a name and values of its own, and a config for all of them."""
    items, chosen = [], []
    for number in range(count):
        name = f"edge-agent-{number}"
        items.append(
            lists.PACK.replace("edge-agent", name).replace("agent.example.com", f"{name}.example.com")
        )
        chosen.append(f"      - {{pack: {name}, presets: ['Logging:verbose']}}\n")
    spec = {
        "apply-presets": config("ApplyPresets", "  selections:\n").rstrip("\n") + "\n" + "".join(chosen),
        "resolve-macros": config("ResolveMacros", "  system: {cluster.name: harbour-7}\n"),
        "validate-pack-constraints": config("ValidatePackConstraints", "  scope: cluster\n  failOn: never\n"),
    }[function]
    listed = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + "".join(items)
    return f"{listed}functionConfig:\n{spec}"


def compared(
    title: str,
    function: str,
    spec: str,
    packs: list[Path],
    files: tuple[str, ...],
    goal: float,
    rule: Callable[[], object] | None = None,
    inside: Sequence[str] = (),
) -> list[Row]:
    """One function on packs against a load of the files that it reads; the goal is the rule's, where one is given.

    `inside`: YAML texts inside these files, block scalars to a load of them, which the function has to read as well.
    """
    text = resource_list(packs, spec)
    texts = [(pack / file).read_text("utf-8") for pack in packs for file in files if (pack / file).exists()]
    loaded = loader.load(function)
    definition, process = loaded.definition, loaded.process

    def ours() -> None:
        outcome = run(definition, process, text)
        if outcome.exit_code:
            raise MeasureError(f"{function}: {outcome.stderr}")

    def theirs() -> None:
        for one in texts:
            yaml.load(one, yaml.CSafeLoader)

    def theirs_inside() -> None:
        for one in (*texts, *inside):
            yaml.load(one, yaml.CSafeLoader)

    rounds = 7 if len(packs) > 50 else 21
    measured = {"whole": calls(ours), "theirs": calls(theirs), "rule": calls(rule or ours)}
    if inside:
        measured["inside"] = calls(theirs_inside)
    taken = in_turns(measured, rounds)
    against = "PyYAML's C load of these texts"
    found = [row(GROUP, f"{title}, in milliseconds", taken["rule"] * 1e3, "ms")]
    found.append(row(GROUP, f"{title} / {against}", taken["rule"] / taken["theirs"], "x", goal))
    if inside:
        name = f"{title} / PyYAML's C load of these texts and of the chosen presets' own"
        found.append(row(GROUP, name, taken["rule"] / taken["inside"], "x"))
    if rule is not None:
        found.append(row(GROUP, f"{title}, the whole run / {against}", taken["whole"] / taken["theirs"], "x"))
    return found


def applying(pack: Path) -> Callable[[], object]:
    """The rule of apply-presets on one pack."""
    values, presets = [(pack / name).read_text("utf-8") for name in ("values.yaml", "presets.yaml")]
    chosen = last_presets(pack)

    def apply() -> None:
        applied = apply_presets(values, presets, chosen)
        if applied.text == values or len(applied.presets) != len(chosen):
            raise MeasureError(f"{pack.name}: the presets are not applied")

    return apply


def resolving(packs: list[Path]) -> Callable[[], object]:
    """The rule of resolve-macros on the values of these packs."""
    texts = [(pack.name.rpartition("-")[0], (pack / "values.yaml").read_text("utf-8")) for pack in packs]
    given = yaml.load(MACROS, yaml.CSafeLoader)
    variables = {entry["name"]: entry["value"] for entry in given["variables"]}

    def resolve() -> None:
        sources = [Source(name, (name,), text) for name, text in texts]
        resolver = MacroResolver(sources, Context(given["system"], variables))
        resolved = [resolver.resolve(source) for source in sources if FIELD in source.text]
        if any(one.findings for one in resolved) or not resolved:
            raise MeasureError("the macros are not resolved")

    return resolve


def resource_list(packs: list[Path], spec: str) -> str:
    """A list with a pack for each folder, as `krmkit pack import` makes it, each under a name of its own."""
    items = []
    for number, pack in enumerate(packs):
        texts = {name: (pack / name).read_text("utf-8") for name in TEXTS if (pack / name).exists()}
        items.append(config_map(f"pack-{number}", pack.name, texts, pack.name))
    listed = "".join("- " + item.rstrip("\n").replace("\n", "\n  ") + "\n" for item in items)
    return f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n{spec}items:\n{listed}"


def config(kind: str, spec: str) -> str:
    """A functionConfig, indented."""
    head = f"apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: config}}\nspec:\n"
    return "".join(f"  {line}\n" for line in (head + spec).splitlines())


def last_presets(pack: Path) -> list[str]:
    """The last preset of each group."""
    presets = yaml.load((pack / "presets.yaml").read_text("utf-8"), yaml.CSafeLoader)["presets"]
    return list({preset["group"]: f"{preset['group']}:{preset['name']}" for preset in presets}.values())


def added_texts(pack: Path) -> list[str]:
    """The values of the chosen presets, as YAML texts."""
    chosen = set(last_presets(pack))
    presets = yaml.load((pack / "presets.yaml").read_text("utf-8"), yaml.CSafeLoader)["presets"]
    return [preset["add"] for preset in presets if f"{preset['group']}:{preset['name']}" in chosen]


def preset_config(pack: Path) -> str:
    """A config that selects them."""
    listed = ", ".join(f'"{name}"' for name in last_presets(pack))
    return config("ApplyPresets", f"  selections:\n  - {{pack: pack-0, presets: [{listed}]}}\n")


if __name__ == "__main__":
    for line in rows():
        print(f"{line['name']:90} {line['value']:8.3f} {line['unit']} {line['goal']}", file=sys.stdout)
