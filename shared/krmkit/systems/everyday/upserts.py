"""upsert-resource: add resources to a package, or replace those with the same identity.

The config is the resource, or a List of resources. The identity is group, kind, namespace, name, and the file
in the annotation target-path, if any.
"""

from __future__ import annotations

from contextlib import suppress

from krmkit.krm import annotations as names
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.copies import lines_of
from krmkit.libraries.yaml.data import go_data, is_null
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.lines import shift
from krmkit.libraries.yaml.tree import Map, Node, Seq, deref
from krmkit.systems.everyday.common.findings import reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import described, group_of, is_nothing

TARGET = "config.kubernetes.io/target-path"
_FUNCTION = "config.kubernetes.io/function"
_ANNOTATIONS = ("metadata", "annotations")
_PLACES = (names.PATH, names.INDEX, names.LEGACY_PATH, names.LEGACY_INDEX)
_INTERNAL = ("internal.config.kubernetes.io/", "config.k8s.io/")


@reporting
def upsert_resource(resources: ResourceList, config: Resource | None) -> list[Finding]:
    if config is None or is_nothing(config):
        raise wrong_config(
            "FunctionConfig is missing; it must be the resource to put into the package, or a List of them"
        )
    known: dict[tuple[str, str, str, str], list[Resource]] = {}
    for item in resources:
        if not item.annotation(_FUNCTION):
            known.setdefault(_identity(item), []).append(item)
    for text in _texts(config):
        new = Resource(text)
        path = new.annotation(TARGET)
        same = [
            item
            for item in known.get(_identity(new), [])
            if not path or (item.path or "").lstrip("/") == path.lstrip("/")
        ]
        for item in same:
            _replace(item, text)
        if not same:
            _strip(new, () if config.kind == "List" else _PLACES)
            if path:
                _place(new, path, resources)
            added = resources.add(Resource(new.text))
            known.setdefault(_identity(added), []).append(added)
    return []


def _identity(item: Resource) -> tuple[str, str, str, str]:
    return group_of(item.api_version), item.kind, item.namespace, item.name


def _texts(config: Resource) -> list[str]:
    """Return the resources of the config, each as a document. Raises Refused."""
    if config.kind != "List":
        return [config.text or _text(config.root)]
    items = config.node("items")
    if is_null(items):
        return []
    if not isinstance(items, Seq):
        raise wrong_config(f"must be a list of resources, got {described(items)}", config, "items")
    for index, item in enumerate(items.items):
        if not isinstance(deref(item), Map):
            raise wrong_config(f"must be a resource, got {described(deref(item))}", config, f"items[{index}]")
    return [_text(deref(item)) for item in items.items]


def _text(node: Node) -> str:
    """Return a resource of the config as a document: its own lines with comments, or written anew."""
    data = go_data(node)
    lines = lines_of(node) if isinstance(node, Map) else ""
    with suppress(YamlError):
        if lines and [go_data(document.root) for document in parse_all(lines)] == [data]:
            return lines
    return emit.document(data)


def _place(new: Resource, path: str, resources: ResourceList) -> None:
    """Set the annotations that put a new resource at the end of a file."""
    there = [item.index for item in resources if item.path == path]
    for name in (names.LEGACY_PATH, names.PATH):
        new.set((*_ANNOTATIONS, name), path)
    if there:
        for name in (names.LEGACY_INDEX, names.INDEX):
            new.set((*_ANNOTATIONS, name), str(max(there) + 1))


def _strip(new: Resource, places: tuple[str, ...]) -> None:
    """Remove the annotations about the config: its function, target and place."""
    for name in (TARGET, _FUNCTION, names.PACKAGE_PATH, *places):
        new.remove((*_ANNOTATIONS, name))
    left = new.node(*_ANNOTATIONS)
    if isinstance(left, Map) and not left.entries:
        new.remove(_ANNOTATIONS)


def _replace(item: Resource, text: str) -> None:
    """Replace an item's resource, but keep the annotations with the item's place."""
    new = Resource(text)
    _strip(new, _PLACES)
    known = new.annotations
    given = item.get(*_ANNOTATIONS)
    for name, value in given.items() if isinstance(given, dict) else ():
        if name in _PLACES or (name.startswith(_INTERNAL) and name not in known):
            new.set((*_ANNOTATIONS, name), value)
    if go_data(new.root) == item.get():
        return
    text = new.text.replace("\r\n", "\n").replace("\n", item.document.newline)
    item.rewrite(shift(text, 0, item.column)[item.column :])
