"""Check a pack's folder: `krmkit pack check`, and an import's words about the packs it brings in."""

from __future__ import annotations

import os

from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, Finding
from krmkit.libraries.yaml.data import core_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.conversion.chartarchive import chart_facts
from krmkit.render.conversion.packfiles import TEXTS, pack_files, pack_of
from krmkit.render.findings.model import Result
from krmkit.systems.palette.packs.findings import VALUES, pack_finding
from krmkit.systems.palette.packs.metadatanames import metadata_problems, unknown_names
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.packs.wiring import ChartFacts, PackFacts, wiring


def check_pack(given: str, review: bool = False) -> list[Result]:
    """Return what is wrong with a pack's folder; `review`: what the public repository refuses, too."""
    folder = os.path.realpath(given)
    try:
        texts, others = pack_files(folder, given)
    except (Refused, OSError) as error:
        said = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        path, _, message = said.partition(": ")
        if isinstance(error, OSError) or not path.startswith(f"{given}/"):
            path, message = f"{given}/{TEXTS[0]}", said
        return [Result(ERROR, "pack-json", message, path)]
    pack = pack_of(texts)
    pack.label = pack.name or given
    findings = [*metadata_problems(pack, whole=True), *unknown_names(pack)]
    values: object = {}
    try:
        values = core_data(parse(pack.values or "").root)
    except YamlError as error:
        hint = " (a manifest layer may be one)" if "\n---" in (pack.values or "") else ""
        findings.append(pack_finding("values", f"{VALUES} is not YAML{hint}", ("",), pack.label, error=error))
    files = frozenset([*texts, *others])
    charts, unreadable = _charts(pack, folder, files)
    facts = PackFacts(pack.label, pack.metadata, values if isinstance(values, dict) else {}, files, charts)
    findings += unreadable + wiring(facts, review)
    return [_result(one, given) for one in findings]


def _charts(pack: Pack, folder: str, files: frozenset[str]) -> tuple[list[ChartFacts], list[Finding]]:
    """Return the charts that pack.json lists, and findings about unreadable ones."""
    charts: list[ChartFacts] = []
    findings: list[Finding] = []
    listed = pack.metadata.get("charts")
    for path in listed if isinstance(listed, list) else ():
        name = path.removeprefix("./") if isinstance(path, str) else ""
        if name not in files:
            continue
        try:
            charts.append(chart_facts(os.path.join(folder, name), name, folder))
        except Refused as error:
            findings.append(pack_finding("chart-unreadable", str(error), (name,), pack.label, name))
    return charts, findings


def _result(finding: Finding, given: str) -> Result:
    path = f"{given.rstrip('/')}/{finding.tags.get('file', TEXTS[0])}"
    result = Result(
        finding.severity, finding.rule, finding.message, path, finding.line or 0, finding.column or 0
    )
    result.field = finding.field
    return result
