"""What of a Landscaper Installation made a value: the data mapping, the import that it uses, and the object with the data.

DataObject replicas of the Installation greeter
  mapping importDataMappings.replicas   installation.yaml:15:5
  config  imports.data[0]               installation.yaml:12:7
  resource ConfigMap/greeter-settings   settings.yaml:1:1
"""

from __future__ import annotations

import re

from krmkit.cli.why.fieldvalues import values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.cli.why.trace import TracedResource

_LABEL = "data.landscaper.gardener.cloud/"
_MADE_BY = "krmkit.dev/generated-by"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_REFERENCES = {"configMapRef.name": "ConfigMap", "secretRef.name": "Secret", "dataRef": "DataObject"}
_SHORTEST = 3  # characters of a value that counts where it is only a part of another one


def sources(
    subject: TracedResource, subjects: list[TracedResource], after: object
) -> Iterator[tuple[str, str, TracedResource, str]]:
    """(kind of the cause, name, the resource that it stands in, field of that) of a resource that an Installation made."""
    if subject.original is not None or _MADE_BY not in subject.item.annotations:
        return
    labels = subject.item.labels
    if subject.item.kind == "DataObject":
        yield from _data(labels.get(f"{_LABEL}key", ""), labels, subject, subjects)
        return
    made_by = subject.item.annotations[_MADE_BY]
    for other in subjects:
        if other.item.kind != "DataObject" or other.item.annotations.get(_MADE_BY) != made_by:
            continue
        values = [
            str(value) for field, value in values_of(other.text, "").items() if field.startswith("data")
        ]
        if any(value == str(after) or (len(value) >= _SHORTEST and value in str(after)) for value in values):
            key = other.item.labels.get(f"{_LABEL}key", "")
            yield from _data(key, other.item.labels, subject, subjects)


def _data(
    key: str, labels: dict[str, str], subject: TracedResource, subjects: list[TracedResource]
) -> Iterator[tuple[str, str, TracedResource, str]]:
    """The mapping of one datum, the imports that it names, and the objects that these refer to."""
    name = labels.get(f"{_LABEL}context", "").rpartition(".")[2]
    installation = next(
        (
            one
            for one in subjects
            if one.original is not None
            and (one.item.kind, one.item.name, one.item.namespace)
            == ("Installation", name, subject.item.namespace)
        ),
        None,
    )
    if installation is None or not key:
        return
    values = values_of(installation.original, "")
    side = "export" if labels.get(f"{_LABEL}sourceType") == "export" else "import"
    mapping = f"spec.{side}DataMappings.{key}"
    used = {key}
    for field, value in values.items():
        if field == mapping or field.startswith((f"{mapping}.", f"{mapping}[")):
            used |= set(_WORD.findall(str(value)))
    if any(field == mapping or field.startswith((f"{mapping}.", f"{mapping}[")) for field in values):
        yield "mapping", mapping.removeprefix("spec."), installation, mapping
    for field, value in values.items():
        match = re.fullmatch(rf"(spec\.{side}s\.data\[\d+\])\.name", field)
        if match is None or value not in used:
            continue
        entry = match[1]
        yield "config", entry.removeprefix("spec."), installation, field
        for reference, kind in _REFERENCES.items():
            wanted = values.get(f"{entry}.{reference}")
            for other in subjects:
                if other.original is not None and (other.item.kind, other.item.name) == (kind, wanted):
                    yield "resource", f"{kind}/{wanted}", other, ""
