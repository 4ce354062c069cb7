"""What of a Landscaper Installation made a value: the data mapping, the import that it uses, and the object with the data.

DataObject replicas of the Installation greeter
  mapping importDataMappings.replicas   installation.yaml:15:5
  config  imports.data[0]               installation.yaml:12:7
  resource ConfigMap/greeter-settings   settings.yaml:1:1
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from krmkit.cli.why.fieldvalues import values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.cli.why.trace import TracedResource

    # The kind of the cause, its name, the resource that it stands in, and the field of that.
    Source = tuple[str, str, TracedResource, str]

_LABEL = "data.landscaper.gardener.cloud/"
_MADE_BY = "krmkit.dev/generated-by"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_REFERENCES = {"configMapRef.name": "ConfigMap", "secretRef.name": "Secret", "dataRef": "DataObject"}
_SHORTEST = 3  # characters of a value that counts where it is only a part of another one


class Mappings:
    """The Installations among resources, and the data that they made."""

    def __init__(self, subjects: list[TracedResource]) -> None:
        self._subjects = subjects
        self._known: dict[tuple[str, str, str, str], list[Source]] = {}

    def sources(self, subject: TracedResource, after: object) -> Iterator[Source]:
        """What made a value of a resource that an Installation made."""
        if subject.original is not None or _MADE_BY not in subject.item.annotations:
            return
        if subject.item.kind == "DataObject":
            yield from self._of(subject.item.labels, subject.item.namespace)
            return
        for values, labels in self._data.get(subject.item.annotations[_MADE_BY], ()):
            if any(
                value == str(after) or (len(value) >= _SHORTEST and value in str(after)) for value in values
            ):
                yield from self._of(labels, subject.item.namespace)

    @cached_property
    def _data(self) -> dict[str, list[tuple[list[str], dict[str, str]]]]:
        """The values and labels of DataObjects, by the annotation that says what made them."""
        found: dict[str, list[tuple[list[str], dict[str, str]]]] = defaultdict(list)
        for one in self._subjects:
            if one.item.kind == "DataObject":
                values = [
                    str(value) for field, value in values_of(one.text, "").items() if field.startswith("data")
                ]
                found[one.item.annotations.get(_MADE_BY, "")].append((values, one.item.labels))
        return found

    @cached_property
    def _originals(self) -> dict[tuple[str, object], list[TracedResource]]:
        """The resources of the files, by kind and name."""
        found: dict[tuple[str, object], list[TracedResource]] = defaultdict(list)
        for one in self._subjects:
            if one.original is not None:
                found[one.item.kind, one.item.name].append(one)
        return found

    def _of(self, labels: dict[str, str], namespace: str) -> list[Source]:
        """The mapping of one datum, the imports that it names, and the objects that these refer to."""
        key, context = labels.get(f"{_LABEL}key", ""), labels.get(f"{_LABEL}context", "").rpartition(".")[2]
        side = "export" if labels.get(f"{_LABEL}sourceType") == "export" else "import"
        known = (key, context, side, namespace)
        if known not in self._known:
            self._known[known] = list(self._found(*known))
        return self._known[known]

    def _found(self, key: str, name: str, side: str, namespace: str) -> Iterator[Source]:
        named = self._originals.get(("Installation", name), ())
        installation = next((one for one in named if one.item.namespace == namespace), None)
        if installation is None or not key:
            return
        values = values_of(installation.original, "")
        mapping = f"spec.{side}DataMappings.{key}"
        mapped = [
            str(value)
            for field, value in values.items()
            if field == mapping or field.startswith((f"{mapping}.", f"{mapping}["))
        ]
        used = {key, *(word for value in mapped for word in _WORD.findall(value))}
        if mapped:
            yield "mapping", mapping.removeprefix("spec."), installation, mapping
        for field, value in values.items():
            match = re.fullmatch(rf"(spec\.{side}s\.data\[\d+\])\.name", field)
            if match is None or value not in used:
                continue
            entry = match[1]
            yield "config", entry.removeprefix("spec."), installation, field
            for reference, kind in _REFERENCES.items():
                wanted = values.get(f"{entry}.{reference}")
                for other in self._originals.get((kind, wanted), ()):
                    yield "resource", f"{kind}/{wanted}", other, ""
