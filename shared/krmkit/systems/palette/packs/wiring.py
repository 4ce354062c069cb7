"""Rules that no schema has: do pack.json, values, charts and manifests of a folder fit each other?

A rule for each kind of slip that public packs have; what the reviewers of the public repository refuse is in
REVIEW.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from krmkit.krm.finding import INFO, Finding
from krmkit.libraries.messages.nearest import did_you_mean, proposal
from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.systems.palette.packs.findings import METADATA, VALUES, pack_finding

_ARCHIVES = (".tgz", ".tar.gz")
_CONTENT = {"images": ("image",), "charts": ("repo", "name", "version")}


@dataclass(slots=True)
class ChartFacts:
    """A chart of a pack: what its archive or folder says.

    `keys`: those at the top of its values. `used`: the words of its templates and of those of its sub-charts.
    `parts`: names, aliases, conditions and tags of its dependencies, by their first words.
    """

    file: str
    name: str
    keys: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()


@dataclass(slots=True)
class PackFacts:
    """A pack's folder as data: pack.json, values, paths of files, and the charts that could be read."""

    label: str
    metadata: dict[str, Any]
    values: dict[str, Any]
    files: frozenset[str]
    charts: list[ChartFacts] = field(default_factory=list)

    def listed(self, name: str) -> list[str]:
        """Return the paths that pack.json lists."""
        return [path for path in sequence(self.metadata.get(name)) if isinstance(path, str)]

    @property
    def content(self) -> dict[str, Any]:
        """What `pack.content` says to air-gapped clusters."""
        return mapping(self.values, "pack", "content")

    def finding(self, rule: str, file: str, path: str, message: str, severity: str = "") -> Finding:
        """Return a finding about a path of a file, or about the file."""
        return pack_finding(rule, message, (path or file,), self.label, file, path, severity=severity)


Rule = Callable[[PackFacts], Iterator[Finding]]


def wiring(facts: PackFacts, review: bool = False) -> list[Finding]:
    """Return the findings of all rules; with `review` also what the public repository refuses."""
    rules: Iterable[Rule] = (*RULES, *(REVIEW if review else ()))
    return [finding for each in rules for finding in each(facts)]


def _missing(facts: PackFacts) -> Iterator[Finding]:
    for name in ("charts", "kubeManifests"):
        for number, path in enumerate(facts.listed(name)):
            if path.removeprefix("./") not in facts.files:
                near = proposal(path, sorted(facts.files))
                message = f"the folder has no {path}" + near
                yield facts.finding("file-missing", METADATA, f"{name}[{number}]", message)


def _unlisted(facts: PackFacts) -> Iterator[Finding]:
    charts, manifests = (
        {path.removeprefix("./") for path in facts.listed(name)} for name in ("charts", "kubeManifests")
    )
    for path in sorted(facts.files - charts - manifests):
        # Below charts/NAME/charts lie the sub-charts of an unpacked copy.
        if path.startswith("charts/") and path.endswith(_ARCHIVES) and path.count("/") == 1:
            message = f"charts does not list {path}: Palette does not install it"
            severity = INFO if ".orig." in path else ""
            yield facts.finding("file-unlisted", METADATA, "charts", message, severity)
        elif path.startswith("manifests/") and path.endswith((".yaml", ".yml")):
            message = f"kubeManifests does not list {path}: Palette does not install it"
            yield facts.finding("file-unlisted", METADATA, "kubeManifests", message)


def _keys(facts: PackFacts) -> Iterator[Finding]:
    """Compare keys below `charts` and names of charts.

    A key may be the name of an archive, too: of a chart that cannot be read, or, in one public pack, of one
    that has another name.
    """
    listed = {path.removeprefix("./") for path in facts.listed("charts")}
    known = {chart.file: chart for chart in facts.charts if chart.file in listed}
    if not listed:
        return
    archives = {path: path.rpartition("/")[2] for path in listed}
    names = {chart.name for chart in known.values()}
    given = facts.values.get("charts")
    keys = given if isinstance(given, dict) else {}
    for chart in known.values():
        if chart.name not in keys and not any(_names(key, archives[chart.file]) for key in keys):
            message = (
                f"charts has no key {chart.name}, the name of the chart {chart.file}: no values reach it"
            )
            crds = chart.name.endswith(("-crds", "-crd")) or not chart.keys
            severity = INFO if crds else ""
            yield facts.finding("chart-without-values", VALUES, "charts", message, severity)
    for key in keys:
        if key not in names and not any(_names(key, file) for file in archives.values()):
            message = f"no chart is called {key}, so these values reach none" + did_you_mean(
                key, sorted(names)
            )
            yield facts.finding("unknown-chart", VALUES, f"charts.{key}", message)


def _names(key: str, archive: str) -> bool:
    return re.fullmatch(rf"{re.escape(key)}(-v?\d.*)?\.(tgz|tar\.gz)", archive) is not None


def _inert(facts: PackFacts) -> Iterator[Finding]:
    """Yield values that neither the chart's values nor its templates name, but `global` and dependencies'."""
    for chart in facts.charts:
        for key in mapping(facts.values, "charts", chart.name):
            if key != "global" and key not in chart.keys | chart.used | chart.parts:
                near = did_you_mean(key, sorted(chart.keys))
                message = (
                    f"neither the values nor a template of the chart {chart.name} name {key}: it changes nothing"
                    + near
                )
                yield facts.finding("inert-value", VALUES, f"charts.{chart.name}.{key}", message)


def _content(facts: PackFacts) -> Iterator[Finding]:
    """Report misspelt keys of `pack.content`, which is read by name."""
    for key, value in facts.content.items():
        if key not in _CONTENT:
            yield _misspelt(facts, f"pack.content.{key}", key, tuple(_CONTENT))
            continue
        for number, entry in enumerate(entries(value)):
            for name in entry:
                if name not in _CONTENT[key]:
                    yield _misspelt(facts, f"pack.content.{key}[{number}].{name}", name, _CONTENT[key])


def _misspelt(facts: PackFacts, path: str, name: str, known: tuple[str, ...]) -> Finding:
    message = f'{path.rpartition(".")[0]} has no "{name}"' + did_you_mean(name, known)
    return facts.finding("unknown-name", VALUES, path, message)


def _reviewed(facts: PackFacts) -> Iterator[Finding]:
    """Yield what the checks of the public repository refuse."""
    version = text(facts.metadata.get("version"))
    if version.startswith("v"):
        yield facts.finding(
            "version-with-v", METADATA, "version", f'version must not begin with "v", got {version}'
        )
    for name in ("logo.png", "README.md"):
        if name not in facts.files:
            yield facts.finding("file-missing", name, "", f"the folder has no {name}")
    if facts.metadata.get("layer") in ("os", "k8s"):
        return
    images = facts.content.get("images")
    if not isinstance(images, list) or not images:
        yield facts.finding(
            "no-images", VALUES, "pack.content.images", "pack.content.images must list an image"
        )
        return
    for number, entry in enumerate(images):
        if not isinstance(entry, dict) or not text(entry.get("image")):
            message = f"pack.content.images[{number}] must have image, the name of an image"
            yield facts.finding("no-image", VALUES, f"pack.content.images[{number}]", message)


RULES: tuple[Rule, ...] = (_missing, _unlisted, _keys, _inert, _content)
REVIEW: tuple[Rule, ...] = (_reviewed,)
