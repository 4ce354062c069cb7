"""Judges the palette vectors: each record goes to the engine that the functions call."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.systems.palette.constraints import dependencies as dependency
from krmkit.systems.palette.constraints import resources
from krmkit.systems.palette.constraints.demands import Demand
from krmkit.systems.palette.constraints.pools import UNITS, MachinePool
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.macros.resolve import MacroResolver
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.packs.values import PackValues
from krmkit.systems.palette.presets.apply import apply_presets

Record = dict[str, object]
Verdict = tuple[bool, str]


def schema_constraints(record: Record, folder: Path) -> Verdict:
    """A schema and values, to [code, key path] in the order of the schema."""
    pack = Pack(
        {},
        values=text(record, "values", folder),
        schema=text(record, "schema", folder),
        defaults=text(record, "defaults", folder),
    )
    found = validate([pack], ValidationOptions(merge_defaults=record.get("mergeDefaults") is True))
    return compare(codes(found), record["expect"], found)


def dependencies(record: Record, folder: Path) -> Verdict:
    """A pack and its profile, to [code, pack name] in the order of the dependencies."""
    previous = record.get("previousProfile")
    found = dependency.check(
        Pack(mapping(record["owner"])),
        record["dependencies"],
        dependency.Profile(packs(record["profile"])),
        str(record.get("scope", dependency.CLUSTER)),
        None if previous is None else dependency.Profile(packs(previous)),
    )
    return compare(codes(found), record["expect"], found)


def resource_constraints(record: Record, folder: Path) -> Verdict:
    """Packs and pools, to [code, pool or pack, type], and what each pool has to hold (m, Mi, GB)."""
    types = mapping(record.get("instanceTypes") or {})
    pools = [MachinePool.of(mapping(pool), types) for pool in sequence(record["pools"])]
    demands = [
        Demand(str(pack["name"]), pack["resources"], PackValues.parse(text(pack, "values", folder) or ""))
        for pack in map(mapping, sequence(record["packs"]))
    ]
    report = resources.check(
        demands, pools, str(record.get("aggregate", resources.SUM)), record.get("useMinSize") is True
    )
    expected = mapping(record["expect"])
    passed, detail = compare(codes(report.findings), expected["findings"], report.findings)
    required = {
        (pool, resource): total
        for pool, shares in report.required.items()
        for resource in shares
        if (total := Fraction(report.total(pool, resource), UNITS[resource]))
    }
    wanted = {
        (pool, resource): Fraction(str(total))
        for pool, totals in mapping(expected.get("required", {})).items()
        for resource, total in mapping(totals).items()
        if total
    }
    same = required.keys() == wanted.keys() and all(
        abs(required[key] - wanted[key]) < Fraction(1, 1000) for key in wanted
    )
    if passed and not same:
        return False, f"required: expected {wanted}, got {required}"
    return passed, detail


def presets(record: Record, folder: Path) -> Verdict:
    """Values, presets and a selection, to the new values."""
    before = text(record, "values", folder) or ""
    applied = apply_presets(
        before, text(record, "presets", folder), [str(name) for name in sequence(record["select"])]
    )
    expected = record["expect"]
    found = [finding.rule for finding in applied.findings]
    if isinstance(expected, list):
        return expected[1] in found and applied.text == before, f"expected {expected}, got {found}"
    if found:
        return False, f"findings: {found}"
    if record.get("byteIdentical") and applied.text != before:
        return False, "the text changed"
    after = core_data(parse(applied.text).root)
    assert isinstance(expected, dict)
    if "paths" in expected:
        wrong = {path: got for path, want in expected["paths"].items() if (got := at(after, path)) != want}
        if wrong:
            return False, f"got {wrong}"
    elif after != expected:
        return False, f"got {after}"
    lines = applied.text.split("\n")
    lost = [line for line in sequence(record.get("keepLines", [])) if line not in lines]
    if lost:
        return False, f"lost lines: {lost}"
    order = record.get("keyOrder")
    if order is not None and list(mapping(after)) != order:
        return False, f"keys in the order {list(mapping(after))}"
    return unchanged_elsewhere(record, folder, before, lines)


def macros(record: Record, folder: Path) -> Verdict:
    """The values texts of packs and a context, to the resolved text of one of them."""
    context = {name: texts(values) for name, values in mapping(record["context"]).items()}
    sources = [Source(name, (name,), str(values)) for name, values in mapping(record["packs"]).items()]
    resolver = MacroResolver(sources, Context(context["system"], context["var"], context["macro"]))
    source = next(source for source in sources if source.label == record["pack"])
    resolved = resolver.resolve(source)
    expected = record["expect"]
    found = [finding.rule for finding in resolved.findings]
    if isinstance(expected, list):
        return expected[1] in found and resolved.text == source.text, f"expected {expected}, got {found}"
    return resolved.text == expected, f"expected {expected!r}, got {resolved.text!r} {found}"


def texts(values: object) -> dict[str, str]:
    """Names and values as a config would have written them."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in mapping(values).items()
    }


def unchanged_elsewhere(record: Record, folder: Path, before: str, lines: list[str]) -> Verdict:
    """Whether all lines that are not new are in the old text, in its order."""
    if not mapping(record["expect"]).get("elsewhereUnchanged"):
        return True, ""
    added = {line.strip() for line in (text(record, "presets", folder) or "").split("\n")}
    rest = iter(before.split("\n"))
    strange = [
        line
        for line in lines
        if line.strip() not in added
        and "enabled-presets:" not in line
        and not any(line == old for old in rest)
    ]
    return not strange, f"lines that the values did not have, or not in this order: {strange[:3]}"


def at(data: object, path: str) -> object:
    """The value at a plain dotted path."""
    for step in path.split("."):
        if not isinstance(data, dict) or step not in data:
            return "<absent>"
        data = data[step]
    return data


def codes(findings: list[Finding]) -> list[list[str]]:
    """The findings in a record's form.

    `not-checked`, for a rule without anything to compare with, is not in the vectors.
    """
    return [[found.rule, *found.about] for found in findings if found.rule != "not-checked"]


def compare(got: list[list[str]], expected: object, findings: list[Finding]) -> Verdict:
    """Equal, in order."""
    if got == expected:
        return True, ""
    messages = "; ".join(found.message for found in findings)
    return False, f"expected {expected}, got {got} ({messages})"


def text(record: Record, key: str, folder: Path) -> str | None:
    """A text of the record, inline or from `<key>File`; None where it has neither."""
    file = record.get(f"{key}File")
    if isinstance(file, str):
        return (folder / file).read_text(encoding="utf-8")
    value = record.get(key)
    return None if value is None else str(value)


def mapping(value: object) -> dict[str, object]:
    """The value, which must be an object."""
    assert isinstance(value, dict), value
    return value


def sequence(value: object) -> list[object]:
    """The value, which must be an array."""
    assert isinstance(value, list), value
    return value


def packs(value: object) -> list[Pack]:
    """Packs of a profile, of which only the metadata matters."""
    return [Pack(mapping(member)) for member in sequence(value)]


FILES: dict[str, Callable[[Record, Path], Verdict]] = {
    "schema_constraints.jsonl": schema_constraints,
    "dependency.jsonl": dependencies,
    "resources.jsonl": resource_constraints,
    "presets.jsonl": presets,
    "macros.jsonl": macros,
}
