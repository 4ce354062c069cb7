"""list-setters: list the setters of a package, with their values and their number of fields."""

from __future__ import annotations

from krmkit.kpt.kptfile import KIND, Kptfile
from krmkit.krm.errors import Refused
from krmkit.krm.fields import CommentedField, fields
from krmkit.krm.finding import WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_value
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq
from krmkit.systems.everyday.common.findings import refused, reporting
from krmkit.systems.everyday.common.kptconfig import data_entries
from krmkit.systems.everyday.fields.comments import flow_text
from krmkit.systems.everyday.setters.apply import MARK
from krmkit.systems.everyday.setters.patterns import derived, is_array_pattern, names_in, pattern_of

_FUNCTION = "apply-setters"
_TYPES = {bool: "bool", int: "int", float: "float"}


class _Setter:
    """A setter's value, type and count. `is_typed`: a field with only this setter gave the type."""

    __slots__ = ("count", "is_typed", "kind", "value")

    def __init__(self, value: str, kind: str, count: int) -> None:
        self.value = value
        self.kind = kind or "str"
        self.is_typed = False
        self.count = count


@reporting
def list_setters(resources: ResourceList, config: Resource | None = None) -> list[Finding]:
    """List the setters of the root package's Kptfile and of all comments. There is no config."""
    del config
    setters = _of_kptfile(resources)
    for item in list(resources.containing(MARK)):
        for field in fields(item, MARK):
            for name, (value, kind) in _shown(field).items():
                setter = setters.setdefault(name, _Setter(value, kind, 0))
                setter.count += 1
                if kind and not setter.is_typed:
                    setter.kind, setter.is_typed = kind, True
    if not setters:
        return [Finding("setters", "no setters found", severity=WARNING)]
    return [
        Finding("setters", f"Name: {name}, Value: {setter.value}, Type: {setter.kind}, Count: {setter.count}")
        for name, setter in sorted(setters.items())
    ]


def _shown(field: CommentedField) -> dict[str, tuple[str, str]]:
    """Return value and type by name for the setters of a field's comment; a part of a text has type ""."""
    node = field.node
    if isinstance(node, Seq) and field.entry is not None:
        pattern = pattern_of(field.comment)
        if not pattern or not is_array_pattern(pattern):
            return {}
        texts = sorted(flow_text(item) for item in node.items)
        return {names_in(pattern)[0]: (f"[{', '.join(texts)}]", "array")}
    if not isinstance(node, Scalar) or not field.is_written:
        return {}
    pattern = pattern_of(field.comment)
    if not pattern:
        return {}
    kind = _type(node) if is_array_pattern(pattern) else ""
    return {name: (value, kind) for name, value in derived(pattern, node.text).items()}


def _type(node: Node) -> str:
    if isinstance(node, Seq):
        return "array"
    value = go_value(node) if isinstance(node, Scalar) else None
    return _TYPES.get(type(value), "str")


def _of_kptfile(resources: ResourceList) -> dict[str, _Setter]:
    setters: dict[str, _Setter] = {}
    for item in list(resources.containing(KIND)):
        if item.kind != KIND or item.path != KIND:
            continue
        try:
            kptfile = Kptfile.of(item)
        except Refused as error:
            raise refused(
                "kptfile", f"failed to list setters: unable to read Kptfile: {error}", item
            ) from None
        for step in kptfile.mutators:
            if _FUNCTION not in step.image:
                continue
            values = _of_file(resources, step.config_file) if step.config_path else step.config_map
            setters.update({name: _given(value) for name, value in values.items()})
    return setters


def _given(text: str) -> _Setter:
    try:
        root = parse(text).root
    except YamlError:
        root = None
    return _Setter(flow_text(root), "array", 0) if isinstance(root, Seq) else _Setter(text, "str", 0)


def _of_file(resources: ResourceList, path: str) -> dict[str, str]:
    """Return the setters of a file: the data of the resource in it."""
    for item in resources:
        if item.path == path and isinstance(item.node("data"), Map):
            return {name: node.text for name, node in data_entries(item) if isinstance(node, Scalar)}
    return {}
