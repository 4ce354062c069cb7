"""Which input made a function change a value: the preset, the macro, the injected resource, the entry of the config, the patch,
the mapping of an Installation.

What a function says with --explain comes first; the places of inputs are found by comparing values and names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from krmkit.cli.report.macrowords import REFERENCE
from krmkit.cli.report.resultplaces import PackageFiles, position
from krmkit.cli.why.causelookups import ChangingPreset, ClassPatches, ConfigValues, SaidResults, presets_of
from krmkit.cli.why.fieldvalues import MISSING, values_of
from krmkit.cli.why.whymappings import Mappings
from krmkit.palette.packitems import CARRIERS
from krmkit.render.package import KPTFILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.cli.why.trace import TracedChange, TracedResource
    from krmkit.render.package import Package
    from krmkit.render.resultlist import Data, FunctionRun
    from krmkit.render.source import FileResource

_QUOTED = re.compile(r'"([^"]+)"')
_VARIABLE = re.compile(r"\{\{[^}]*?\.([A-Za-z][A-Za-z0-9_]*)")
_DECLARED = re.compile(r".*variables\[\d+\]\.name")
_ENTRY = re.compile(r"\b([a-zA-Z]+\[[0-9]+\])")


@dataclass(slots=True, frozen=True)
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
        self._mappings = Mappings(subjects)
        self._functions = {
            (each.folder, function.field): (each, function)
            for each in package.walk()
            for function in each.functions
        }
        self._configs: dict[tuple[str, str], ConfigValues | None] = {}
        self._results: dict[int, dict[tuple[object, object], SaidResults]] = {}
        self._presets: dict[str, list[ChangingPreset]] = {}

    def causes(
        self, subject: TracedResource, change: TracedChange, path: str, before: object, after: object
    ) -> list[Cause]:
        """What made `change` turn the value at `path` from `before` into `after`."""
        run = change.run
        said = self._said(run, subject)
        found: list[Cause] = []
        if self._name(run) == "apply-presets":
            found += self._of_presets(subject, change, path, said)
        if isinstance(before, str):
            found += self._of_macros(run, before)
        if after is MISSING:
            found += self._of_macros(run, path)  # the key held it
        if subject.original is None:
            found += self._of_patches(subject, path)
        found += [
            Cause(kind, name, self._place(other.path, other.item, field))
            for kind, name, other, field in self._mappings.sources(subject, after)
        ]
        found += self._of_results(run, said, path)
        if not found:
            found += self._of_config(run, path, after)
        return list(dict.fromkeys(found))

    def _name(self, run: FunctionRun) -> str:
        known = self._functions.get((run.package, run.field))
        return known[1].function_name if known is not None else ""

    def _said(self, run: FunctionRun, subject: TracedResource) -> SaidResults:
        """What a run said about a resource."""
        known = self._results.get(id(run))
        if known is None:
            by_resource: dict[tuple[object, object], list[Data]] = defaultdict(list)
            for result in run.results:
                reference = result.get("resourceRef")
                if isinstance(reference, dict):
                    by_resource[reference.get("kind"), reference.get("name")].append(result)
            known = {resource: SaidResults(results) for resource, results in by_resource.items()}
            self._results[id(run)] = known
        return known.get((subject.item.kind, subject.item.name)) or SaidResults([])

    def _of_presets(
        self, subject: TracedResource, change: TracedChange, path: str, said: SaidResults
    ) -> Iterator[Cause]:
        text = change.before or ""
        if text not in self._presets:
            self._presets[text] = presets_of(text, subject.item.kind)
        for preset in self._presets[text]:
            if said.presets.isdisjoint((preset.name, preset.label)) or not preset.touches(path):
                continue
            field = f"presets[{preset.number}].name"
            yield Cause(
                "preset", preset.label, self._place(subject.path, subject.item, field, "presets.yaml")
            )
            config = self._config_of(change.run)
            chosen = config.mentioning((preset.label, preset.name)) if config is not None else None
            if config is not None and chosen is not None:
                yield Cause("config", preset.label, self._in_config(config, chosen))

    def _of_macros(self, run: FunctionRun, before: str) -> Iterator[Cause]:
        for group, rest in dict.fromkeys(REFERENCE.findall(before)):
            place = self._of_pack(rest) if group == "pack" else self._entry(run, rest)
            yield Cause("macro", f".spectro.{group}.{rest}", place)

    def _of_pack(self, rest: str) -> str:
        """The place of the value of a pack that `.spectro.pack.NAME.PATH` names."""
        names = [rest[: match.start()] for match in re.finditer("[.]", rest)]
        found = min((self._packs[name] for name in names if name in self._packs), default=None)
        if found is None:
            return ""
        subject = self.subjects[found]
        return self._place(subject.path, subject.item, rest[len(subject.item.name) + 1 :])

    @cached_property
    def _packs(self) -> dict[str, int]:
        """The index of the first subject that may be the pack of a name."""
        numbered = reversed(list(enumerate(self.subjects)))
        return {one.item.name: number for number, one in numbered if one.item.kind in CARRIERS}

    def _of_patches(self, subject: TracedResource, path: str) -> Iterator[Cause]:
        """The patches of ClusterClasses that reach a field of an object that was made from one of their templates."""
        for patch in self._patches.reaching(subject, path):
            yield Cause("patch", patch.name, self._place(patch.other.path, patch.other.item, patch.field))
            # The variables that it takes its value from.
            names = [str(patch.values.get(f"{patch.operation}valueFrom.variable", ""))]
            names += _VARIABLE.findall(str(patch.values.get(f"{patch.operation}valueFrom.template", "")))
            for name in dict.fromkeys(names):
                if name and not name.startswith("builtin"):
                    yield Cause("variable", name, self._variable(name))

    @cached_property
    def _patches(self) -> ClassPatches:
        return ClassPatches(self.subjects)

    def _variable(self, name: str) -> str:
        """Where a Cluster gives a variable its value, else where its class declares it."""
        found = self._variables.get(name.partition(".")[0].partition("[")[0])
        return self._place(found[0].path, found[0].item, found[1]) if found is not None else ""

    @cached_property
    def _variables(self) -> dict[object, tuple[TracedResource, str]]:
        found: dict[object, tuple[TracedResource, str]] = {}
        for kind in ("Cluster", "ClusterClass"):
            for subject in self.subjects:
                if subject.item.kind == kind and subject.original is not None:
                    for field, value in values_of(subject.original, "").items():
                        if isinstance(value, str) and _DECLARED.fullmatch(field):
                            found.setdefault(value, (subject, field))
        return found

    def _of_results(self, run: FunctionRun, said: SaidResults, path: str) -> Iterator[Cause]:
        """What the function says about this field, or about the resource as a whole, with the inputs that it names."""
        for rule, message in said.about(path):
            yield Cause("result", f"{rule}: {message}")
            for entry in _ENTRY.findall(message):
                place = self._entry(run, entry)
                if place:
                    yield Cause("config", entry, place)
            for name in _QUOTED.findall(message):
                for other in self._by_name.get(name, ()):
                    yield Cause("resource", other.name, self._place(other.path, other.item, ""))

    @cached_property
    def _by_name(self) -> dict[str, list[TracedResource]]:
        """The resources of the files."""
        found: dict[str, list[TracedResource]] = defaultdict(list)
        for subject in self.subjects:
            if subject.original is not None:
                found[subject.item.name].append(subject)
        return found

    def _of_config(self, run: FunctionRun, path: str, after: object) -> Iterator[Cause]:
        """The entries of the config that hold the new value; those of the same key where there are some."""
        config = self._config_of(run)
        if config is not None:
            for field in config.holding(after, path):
                yield Cause("config", field, self._in_config(config, field))

    def _entry(self, run: FunctionRun, rest: str) -> str:
        """The place of an entry of the config: its path ends so, or its name is so."""
        config = self._config_of(run)
        field = config.entry(rest) if config is not None else None
        return self._in_config(config, field) if config is not None and field is not None else ""

    def _in_config(self, config: ConfigValues, field: str) -> str:
        return self._place(config.inner, config.item, config.prefix + field)

    def _config_of(self, run: FunctionRun) -> ConfigValues | None:
        """The config of a function, None where it is in no file."""
        key = (run.package, run.field)
        if key not in self._configs:
            self._configs[key] = self._read_config(*key)
        return self._configs[key]

    def _read_config(self, folder: str, field: str) -> ConfigValues | None:
        if (folder, field) not in self._functions:
            return None
        package, function = self._functions[folder, field]
        inner = package.place(function.config_file if function.config_path else KPTFILE)
        item = next(
            (one.item for one in self.subjects if one.path == inner and one.original is not None), None
        )
        if item is None:
            return None
        if function.config_path:
            return ConfigValues(values_of(item.original, ""), inner, item, "")
        return ConfigValues(dict(function.config_map), inner, item, f"{function.field}.configMap.")

    def _place(self, inner: str, item: FileResource, field: str, file: str = "") -> str:
        line, column = position(item, field, file)
        return f"{self.sources.path(inner)}:{line}:{column}"
