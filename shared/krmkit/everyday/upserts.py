"""upsert-resource: put resources into a package, in the place of those of the same name where there are any.

The config is the resource, or a List of resources. Same are group, kind, namespace and name, and the file where the annotation
target-path names one.
"""

from __future__ import annotations

from krmkit.everyday.findings import EverydayConfigError, reporting
from krmkit.everyday.kptconfig import described, group_of, is_nothing
from krmkit.krm import annotations as names
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.yaml import emit
from krmkit.yaml.data import go_data, is_null
from krmkit.yaml.lines import shift
from krmkit.yaml.tree import Map, Seq, deref

TARGET = "config.kubernetes.io/target-path"
_FUNCTION = "config.kubernetes.io/function"
_ANNOTATIONS = ("metadata", "annotations")
_PLACES = (names.PATH, names.INDEX, names.LEGACY_PATH, names.LEGACY_INDEX)
_INTERNAL = ("internal.config.kubernetes.io/", "config.k8s.io/")


@reporting
def upsert_resource(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Put the config's resources into the list."""
    if config is None or is_nothing(config):
        raise EverydayConfigError(
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
    """The resources of the config, each as a document. Raises EverydayConfigError."""
    if config.kind != "List":
        return [config.text or emit.document(config.get())]
    items = config.node("items")
    if is_null(items):
        return []
    if not isinstance(items, Seq):
        raise EverydayConfigError(f"must be a list of resources, got {described(items)}", config, "items")
    for index, item in enumerate(items.items):
        if not isinstance(deref(item), Map):
            raise EverydayConfigError(
                f"must be a resource, got {described(deref(item))}", config, f"items[{index}]"
            )
    return [emit.document(go_data(item)) for item in items.items]


def _place(new: Resource, path: str, resources: ResourceList) -> None:
    """Say that a new resource goes into a file, behind those that are there."""
    there = [item.index for item in resources if item.path == path]
    for name in (names.LEGACY_PATH, names.PATH):
        new.set((*_ANNOTATIONS, name), path)
    if there:
        for name in (names.LEGACY_INDEX, names.INDEX):
            new.set((*_ANNOTATIONS, name), str(max(there) + 1))


def _strip(new: Resource, places: tuple[str, ...]) -> None:
    """Take off what speaks of the config: what runs it, what it is to replace, and where it lives."""
    for name in (TARGET, _FUNCTION, names.PACKAGE_PATH, *places):
        new.remove((*_ANNOTATIONS, name))
    left = new.node(*_ANNOTATIONS)
    if isinstance(left, Map) and not left.entries:
        new.remove(_ANNOTATIONS)


def _replace(item: Resource, text: str) -> None:
    """Write another resource in an item's place; what says where the item lives stays."""
    new = Resource(text)
    _strip(new, _PLACES)
    known = new.annotations
    given = item.get(*_ANNOTATIONS)
    for name, value in given.items() if isinstance(given, dict) else ():
        if name in _PLACES or (name.startswith(_INTERNAL) and name not in known):
            new.set((*_ANNOTATIONS, name), value)
    if go_data(new.root) == item.get():
        return
    item.rewrite(shift(new.text, 0, item.column)[item.column :])
