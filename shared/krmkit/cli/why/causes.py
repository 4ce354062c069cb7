"""Which input made a function change a value: the preset, the macro, the injected resource, the entry of the config, the patch,
the mapping of an Installation.

What a function says with --explain comes first; the places of inputs are found by comparing values and names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from krmkit.cli.report.resultplaces import PackageFiles, position
from krmkit.cli.why.fieldvalues import MISSING, VALUES, covers, plain, values_of
from krmkit.cli.why.whymappings import sources
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.render.resolve import image_name, program_name
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krmkit.cli.why.trace import TracedChange, TracedResource
    from krmkit.render.package import Package
    from krmkit.render.resultlist import Data, FunctionRun
    from krmkit.render.source import FileResource

_MACRO = re.compile(r"\.spectro\.(system|macro|var|pack)\.([A-Za-z0-9_.-]*[A-Za-z0-9_])")
_APPLIED = re.compile(r'the preset "([^"]*)" is applied')
_QUOTED = re.compile(r'"([^"]+)"')
_VARIABLE = re.compile(r"\{\{[^}]*?\.([A-Za-z][A-Za-z0-9_]*)")
_PATCH = re.compile(r"(spec\.patches\[\d+\])\.definitions\[\d+\]\.jsonPatches\[\d+\]\.path")
_OF_WORKERS = ("topology.cluster.x-k8s.io/deployment-name", "topology.cluster.x-k8s.io/pool-name")
_ENTRY = re.compile(r"\b([a-zA-Z]+\[[0-9]+\])")


@dataclass(slots=True)
class Cause:
    """One input. `kind`: preset, macro, config, resource, patch, variable, mapping or result; `place` is `path:line:col`."""

    kind: str
    name: str
    place: str = ""

    def data(self) -> dict[str, str]:
        """The cause for programs."""
        return {
            key: value
            for key, value in (("kind", self.kind), ("name", self.name), ("place", self.place))
            if value
        }


class Inputs:
    """All that a function of a package could have been told."""

    def __init__(self, package: Package, sources: PackageFiles, subjects: list[TracedResource]) -> None:
        self.sources = sources
        self.subjects = subjects
        self._functions = {
            (each.folder, function.field): (each, function)
            for each in package.walk()
            for function in each.functions
        }

    def causes(
        self, subject: TracedResource, change: TracedChange, path: str, before: object, after: object
    ) -> list[Cause]:
        """What made `change` turn the value at `path` from `before` into `after`."""
        run = change.run
        name = image_name(run.name) if run.kind == "image" else program_name(run.name.split(" ")[0])
        results = [result for result in run.results if _about(result, subject)]
        found: list[Cause] = []
        if name == "apply-presets":
            found += self._presets(subject, change, path, results)
        if isinstance(before, str):
            found += self._macros(run, before)
        if after is MISSING:
            found += self._macros(run, path)  # the key held it
        found += self._patches(subject, path)
        found += [
            Cause(kind, name, self._place(other.path, *position(other.item, field)))
            for kind, name, other, field in sources(subject, self.subjects, after)
        ]
        found += self._said(run, results, path)
        if not found:
            found += self._config(run, path, after)
        seen: set[tuple[str, str, str]] = set()
        once = []
        for cause in found:
            key = (cause.kind, cause.name, cause.place)
            if key not in seen:
                seen.add(key)
                once.append(cause)
        return once

    def _presets(
        self, subject: TracedResource, change: TracedChange, path: str, results: list[Data]
    ) -> list[Cause]:
        applied = {name for result in results for name in _APPLIED.findall(str(result.get("message")))}
        kind = subject.item.kind
        outer = "data" if kind == "ConfigMap" else "spec"
        file = "presets.yaml" if kind == "ConfigMap" else "presets"
        text = change.before or ""
        found = []
        try:
            presets: Any = Resource(Resource(text).string(outer, file)).get("presets")
        except (ListError, YamlError):
            return []
        for number, preset in enumerate(presets if isinstance(presets, list) else []):
            name = str(preset.get("name", ""))
            label = f"{preset['group']}:{name}" if preset.get("group") else name
            if not applied & {name, label} or not _touches(preset, path):
                continue
            line, column = position(subject.item, f"presets[{number}].name", "presets.yaml")
            found.append(Cause("preset", label, self._place(subject.path, line, column)))
            chosen = self._mentioned(change.run, (label, name))
            found += [Cause("config", label, chosen)] if chosen else []
        return found

    def _macros(self, run: FunctionRun, before: str) -> list[Cause]:
        found = []
        for group, rest in dict.fromkeys(_MACRO.findall(before)):
            place = self._of_pack(rest) if group == "pack" else self._entry(run, rest)
            found.append(Cause("macro", f".spectro.{group}.{rest}", place))
        return found

    def _of_pack(self, rest: str) -> str:
        """The place of the value of a pack that `.spectro.pack.NAME.PATH` names."""
        for subject in self.subjects:
            if subject.item.kind in VALUES and rest.startswith(f"{subject.item.name}."):
                field = rest[len(subject.item.name) + 1 :]
                return self._place(subject.path, *position(subject.item, field))
        return ""

    def _patches(self, subject: TracedResource, path: str) -> list[Cause]:
        """The patches of ClusterClasses that reach a field of an object that was made from one of their templates."""
        if subject.original is not None:
            return []
        found: list[Cause] = []
        for other in self.subjects:
            if other.item.kind != "ClusterClass":
                continue
            values = values_of(other.original, "")
            for field, value in values.items():
                match = _PATCH.fullmatch(field)
                target = str(value).strip("/").replace("/", ".")
                bare = target.removeprefix("spec.template.")
                if match is None or not (covers(target, path) or covers(bare, path)):
                    continue
                if not _selects(values, field.partition(".jsonPatches")[0], subject):
                    continue
                place = self._place(other.path, *position(other.item, field))
                found.append(Cause("patch", str(values.get(f"{match[1]}.name", match[1])), place))
                found += self._variables(values, field.removesuffix("path"))
        return found

    def _variables(self, values: dict[str, object], patch: str) -> Iterator[Cause]:
        """The variables that a patch takes its value from."""
        names = [str(values.get(f"{patch}valueFrom.variable", ""))]
        names += _VARIABLE.findall(str(values.get(f"{patch}valueFrom.template", "")))
        for name in dict.fromkeys(names):
            if name and not name.startswith("builtin"):
                yield Cause("variable", name, self._variable(name))

    def _variable(self, name: str) -> str:
        """Where a Cluster gives a variable its value, else where its class declares it."""
        name = name.partition(".")[0].partition("[")[0]
        for kind in ("Cluster", "ClusterClass"):
            for subject in self.subjects:
                if subject.item.kind != kind or subject.original is None:
                    continue
                for field, value in values_of(subject.original, "").items():
                    if value == name and re.search(r"variables\[\d+\]\.name$", field):
                        return self._place(subject.path, *position(subject.item, field))
        return ""

    def _said(self, run: FunctionRun, results: list[Data], path: str) -> list[Cause]:
        """What the function says about this field, or about the resource as a whole, with the inputs that it names."""
        found: list[Cause] = []
        for result in results:
            field = result.get("field")
            said = str(field.get("path", "")) if isinstance(field, dict) else ""
            tags = result.get("tags")
            rule = str(tags.get("rule", "")) if isinstance(tags, dict) else ""
            if rule in ("applied", "resolved", "kept", "render-again") or (said and not covers(said, path)):
                continue
            message = str(result.get("message"))
            found.append(Cause("result", f"{rule}: {message}"))
            for entry in _ENTRY.findall(message):
                place = self._entry(run, entry)
                found += [Cause("config", entry, place)] if place else []
            for name in _QUOTED.findall(message):
                named = [subject for subject in self.subjects if subject.item.name == name]
                found += [
                    Cause("resource", other.name, self._place(other.path, *position(other.item, "")))
                    for other in named
                    if other.original is not None
                ]
        return found

    def _config(self, run: FunctionRun, path: str, after: object) -> list[Cause]:
        """The entries of the config that hold the new value; those of the same key where there are some."""
        values, inner, item, prefix = self._config_of(run)
        if item is None:
            return []
        last = plain(path).rpartition(".")[2]
        same = [
            field for field, value in values.items() if str(value) == str(after) and after not in ("", None)
        ]
        named = [field for field in same if plain(field).rpartition(".")[2] == last]
        return [
            Cause("config", field, self._place(inner, *position(item, prefix + field)))
            for field in (named or same)
            if prefix or field.startswith(("spec.", "data."))
        ]

    def _entry(self, run: FunctionRun, rest: str) -> str:
        """The place of an entry of the config: its path ends so, or its name is so."""
        values, inner, item, prefix = self._config_of(run)
        if item is None:
            return ""
        for field, value in values.items():
            bare, wanted = plain(field), plain(rest)
            if bare.endswith(f".{wanted}") or f".{wanted}." in f".{bare}." or value == rest:
                return self._place(inner, *position(item, prefix + field))
        return ""

    def _mentioned(self, run: FunctionRun, names: tuple[str, ...]) -> str:
        """The first place of the config that holds one of the names."""
        values, inner, item, prefix = self._config_of(run)
        if item is None:
            return ""
        for field, value in values.items():
            if any(name in re.split(r"\s*,\s*", str(value)) for name in names):
                return self._place(inner, *position(item, prefix + field))
        return ""

    def _config_of(self, run: FunctionRun) -> tuple[dict[str, object], str, FileResource | None, str]:
        """The config's values, its file, the item that holds it, and the path of the values in that."""
        known = self._functions.get((run.package, run.field))
        if known is None:
            return {}, "", None, ""
        package, function = known
        wanted = function.config_file if function.config_path else "Kptfile"
        inner = package.place(wanted)
        item = next(
            (one.item for one in self.subjects if one.path == inner and one.original is not None), None
        )
        if function.config_path:
            return values_of(item.original if item else None, ""), inner, item, ""
        return dict(function.config_map), inner, item, f"{function.field}.configMap."

    def _place(self, inner: str, line: int, column: int) -> str:
        return f"{self.sources.path(inner)}:{line}:{column}"


def _selects(values: dict[str, object], definition: str, subject: TracedResource) -> bool:
    """Whether the selector of a patch can mean the object: its kind, and control plane or machine deployment."""
    kind = str(values.get(f"{definition}.selector.kind", ""))
    if kind.removesuffix("Template") != subject.item.kind.removesuffix("Template"):
        return False
    match = f"{definition}.selector.matchResources."
    workers = any(field.startswith(f"{match}machine") for field in values)
    others = bool(values.get(f"{match}controlPlane")) or bool(values.get(f"{match}infrastructureCluster"))
    is_worker = any(label in subject.item.labels for label in _OF_WORKERS)
    return workers if is_worker else others


def _about(result: Data, subject: TracedResource) -> bool:
    reference = result.get("resourceRef")
    return isinstance(reference, dict) and (reference.get("kind"), reference.get("name")) == (
        subject.item.kind,
        subject.item.name,
    )


def _touches(preset: dict[str, Any], path: str) -> bool:
    """Whether a preset adds or removes something at, above or below a path."""
    removed = preset.get("remove") or []
    if any(covers(str(one), path) for one in removed if isinstance(one, str)):
        return True
    added = preset.get("add")
    if not isinstance(added, str):
        return False
    # A list is replaced as a whole: what it held before has gone because of the preset, too.
    wrapped = {one.partition("[")[0] for one in values_of(added, "")}
    return any(covers(one, path) or covers(path, one) for one in wrapped)
