"""What a function was told and what it said, by the questions that each changed field asks: none of them goes through all of it."""

from __future__ import annotations

import re
from collections import defaultdict

from krmkit.cli.why.fieldvalues import above, plain, values_of
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.palette.packitems import place
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from krmkit.cli.why.trace import TracedResource
    from krmkit.render.resultlist import Data
    from krmkit.render.source import FileResource

_APPLIED = re.compile(r'the preset "([^"]*)" is applied')
_PATCH = re.compile(r"((spec\.patches\[\d+\])\.definitions\[\d+\])(\.jsonPatches\[\d+\]\.)path")
_OF_MACHINES = re.compile(r"(spec\.patches\[\d+\]\.definitions\[\d+\])\.selector\.matchResources\.machine.*")
_OF_WORKERS = ("topology.cluster.x-k8s.io/deployment-name", "topology.cluster.x-k8s.io/pool-name")
_SILENT = ("applied", "resolved", "kept", "render-again")  # rules whose results say nothing beside the causes


class ConfigValues:
    """The values of a function's config, which `item` holds below `prefix` in the file `inner`."""

    def __init__(self, values: dict[str, object], inner: str, item: FileResource, prefix: str) -> None:
        self.inner = inner
        self.item = item
        self.prefix = prefix
        self._fields = [(field, f".{plain(field)}.") for field in values]
        self._segments: dict[str, list[int]] = defaultdict(list)
        self._words: dict[str, int] = {}
        self._equal: dict[str, list[str]] = defaultdict(list)
        self._equal_named: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._texts: dict[str, int] = {}
        for number, (field, value) in enumerate(values.items()):
            segments = plain(field).split(".")
            for segment in dict.fromkeys(segments):
                self._segments[segment].append(number)
            for word in re.split(r"\s*,\s*", str(value)):
                self._words.setdefault(word, number)
            self._equal[str(value)].append(field)
            self._equal_named[str(value), segments[-1]].append(field)
            if isinstance(value, str):
                self._texts.setdefault(value, number)

    def entry(self, rest: str) -> str | None:
        """The first field whose path holds `rest`, or whose value is `rest`."""
        wanted = plain(rest)
        rarest = min((self._segments.get(segment, []) for segment in wanted.split(".")), key=len)
        found = next((number for number in rarest if f".{wanted}." in self._fields[number][1]), None)
        numbers = [number for number in (found, self._texts.get(rest)) if number is not None]
        return self._fields[min(numbers)][0] if numbers else None

    def mentioning(self, names: Iterable[str]) -> str | None:
        """The first field whose value is one of the names, or a list with it in one text: `a, b`."""
        numbers = [self._words[name] for name in names if name in self._words]
        return self._fields[min(numbers)][0] if numbers else None

    def holding(self, value: object, path: str) -> list[str]:
        """The fields with this value; those of the same key as `path` where there are some."""
        if value in ("", None):
            return []
        last = plain(path).rpartition(".")[2]
        found = self._equal_named.get((str(value), last)) or self._equal.get(str(value), [])
        return [field for field in found if self.prefix or field.startswith(("spec.", "data."))]


class SaidResults:
    """What one run of a function said about one resource; `presets` are those that it applied, by their labels."""

    def __init__(self, results: list[Data]) -> None:
        self.presets = {name for one in results for name in _APPLIED.findall(str(one.get("message")))}
        self._by_field: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
        for number, result in enumerate(results):
            field, tags = result.get("field"), result.get("tags")
            said = str(field.get("path", "")) if isinstance(field, dict) else ""
            rule = str(tags.get("rule", "")) if isinstance(tags, dict) else ""
            if rule not in _SILENT and (plain(said) or not said):
                self._by_field[plain(said)].append((number, rule, str(result.get("message"))))

    def about(self, path: str) -> list[tuple[str, str]]:
        """(rule, message) of the results for a field, for what holds it, and for the resource as a whole."""
        found = {one for each in ("", *above(path)) for one in self._by_field.get(each, ())}
        return [(rule, message) for _, rule, message in sorted(found)]


class ChangingPreset:
    """One preset of a pack, and the values that it can change."""

    def __init__(self, number: int, preset: dict[str, Any]) -> None:
        self.number = number
        self.name = str(preset.get("name", ""))
        self.label = f"{preset['group']}:{self.name}" if preset.get("group") else self.name
        removed, added = preset.get("remove") or [], preset.get("add")
        self._changed = {plain(one) for one in removed if isinstance(one, str)}
        # A list is replaced as a whole: what it held before has gone because of the preset, too.
        sets = {one.partition("[")[0] for one in (values_of(added, "") if isinstance(added, str) else ())}
        self._changed.update(map(plain, sets))
        self._above = {each for one in sets for each in above(one)}

    def touches(self, path: str) -> bool:
        """Whether it removes something at or above a path, or adds something at, above or below it."""
        return plain(path) in self._above or not self._changed.isdisjoint(above(path))


def presets_of(text: str, kind: str) -> list[ChangingPreset]:
    """The presets in the text of a pack's carrier; none where they cannot be read."""
    try:
        listed: Any = Resource(Resource(text).string(*place(kind, "presets.yaml"))).get("presets")
    except (ListError, YamlError):
        return []
    return [
        ChangingPreset(number, preset)
        for number, preset in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(preset, dict)
    ]


class ClassPatch:
    """One JSON patch of the ClusterClass `other`: `field` is its path, `operation` what stands before that."""

    def __init__(
        self, other: TracedResource, values: dict[str, object], match: re.Match[str], of_machines: bool
    ) -> None:
        definition, patch, inner = match.groups()
        self.other = other
        self.values = values
        self.field = match[0]
        self.operation = definition + inner
        self.name = str(values.get(f"{patch}.name", patch))
        chosen = f"{definition}.selector."
        self._kind = str(values.get(f"{chosen}kind", "")).removesuffix("Template")
        self._of_machines = of_machines
        self._of_others = any(
            values.get(f"{chosen}matchResources.{role}") for role in ("controlPlane", "infrastructureCluster")
        )

    def selects(self, subject: TracedResource) -> bool:
        """Whether its selector can mean the object: its kind, and control plane or machine deployment."""
        if self._kind != subject.item.kind.removesuffix("Template"):
            return False
        is_worker = any(label in subject.item.labels for label in _OF_WORKERS)
        return self._of_machines if is_worker else self._of_others


class ClassPatches:
    """The JSON patches of all ClusterClasses, by the paths that they reach in objects made from templates."""

    def __init__(self, subjects: Iterable[TracedResource]) -> None:
        self._by_path: dict[str, list[tuple[int, ClassPatch]]] = defaultdict(list)
        number = 0
        for other in subjects:
            if other.item.kind != "ClusterClass":
                continue
            values = values_of(other.original, "")
            of_machines = {match[1] for match in map(_OF_MACHINES.fullmatch, values) if match}
            for field, value in values.items():
                match = _PATCH.fullmatch(field)
                if match is None:
                    continue
                number += 1
                patch = ClassPatch(other, values, match, match[1] in of_machines)
                target = str(value).strip("/").replace("/", ".")
                for path in {plain(target), plain(target.removeprefix("spec.template."))}:
                    self._by_path[path].append((number, patch))

    def reaching(self, subject: TracedResource, path: str) -> Iterator[ClassPatch]:
        """The patches that may have changed a field of an object, in their order."""
        found = {number: patch for each in above(path) for number, patch in self._by_path.get(each, ())}
        for number in sorted(found):
            if found[number].selects(subject):
                yield found[number]
