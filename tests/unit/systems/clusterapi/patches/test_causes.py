"""What set the paths of a template while patches change it, and what of that the desired object takes over."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.libraries.json.patch import Draft
from krmkit.systems.clusterapi.patches.causes import (
    record_merge,
    record_operation,
    references,
    write_back_causes,
)

OLD, NEW = Cause("template", "old", follows=True), Cause("patch", "new")
DOCUMENT: dict[str, Any] = {"spec": {"list": ["a", "b"], "map": {"x/y": 1}}}


@pytest.mark.parametrize(
    ("operation", "path"),
    [
        ({"op": "add", "path": "/spec/map/z", "value": 1}, ("spec", "map", "z")),
        ({"op": "replace", "path": "/spec/map/x~1y", "value": 2}, ("spec", "map", "x/y")),
        ({"op": "add", "path": "/spec/list/-", "value": "c"}, ("spec", "list", 2)),
        ({"op": "add", "path": "/spec/list/0", "value": "c"}, ("spec", "list", 0)),
        ({"op": "add", "path": "/spec/list/-1", "value": "c"}, ("spec", "list", 2)),
        ({"op": "replace", "path": "/spec/list/-1", "value": "c"}, ("spec", "list", 1)),
        ({"op": "remove", "path": "/spec/map"}, ("spec", "map")),
        ({"op": "copy", "from": "/spec/map", "path": "/spec/other"}, ("spec", "other")),
        ({"op": "add", "path": "", "value": {}}, ()),
    ],
    ids=lambda one: f"{one['op']} {one['path']}" if isinstance(one, dict) else "",
)
def test_operations(operation: dict[str, Any], path: Path) -> None:
    """Each operation sets the path that it means in the document; list positions are those after it."""
    draft, paths = Draft(DOCUMENT), PathCauses()
    draft.apply([operation])

    assert record_operation(paths, operation, draft.document, [NEW]) == path
    assert paths.at(path) == [NEW]


def test_lists_move() -> None:
    """What an earlier patch set in a list is found where a later one has moved it."""
    draft, paths = Draft(DOCUMENT), PathCauses()
    for operation, cause in (
        ({"op": "add", "path": "/spec/list/-", "value": "c"}, OLD),
        ({"op": "add", "path": "/spec/list/0", "value": "z"}, NEW),
        ({"op": "remove", "path": "/spec/list/1"}, NEW),
    ):
        draft.apply([operation])
        record_operation(paths, operation, draft.document, [cause])

    assert draft.document["spec"]["list"] == ["z", "b", "c"]
    assert [paths.at(("spec", "list", number)) for number in range(3)] == [[NEW], [], [OLD]]


def test_merges() -> None:
    """A merge patch sets each of its values, and removes where it has null."""
    paths = PathCauses()
    record_merge(paths, {"spec": {"a": {"b": 1}, "gone": None, "empty": {}}}, [NEW])

    assert [path for path, _ in paths.entries()] == [("spec", "a", "b"), ("spec", "gone"), ("spec", "empty")]


@pytest.mark.parametrize(
    ("change", "enabled", "expected"),
    [
        ({"value": 1}, None, []),
        ({"valueFrom": {"variable": "a.b[0]"}}, None, ["a.b[0]"]),
        ({"valueFrom": {"template": "{{ .a.b }}{{ .c }}"}}, "{{ .c }}{{ .d }}", ["a.b", "c", "d"]),
        ({"valueFrom": {"template": "{{ .a"}}, "{{ .d }}", ["d"]),
    ],
    ids=["a constant", "a variable", "templates", "a broken template"],
)
def test_references(change: dict[str, Any], enabled: str | None, expected: list[str]) -> None:
    """The variables of the value and of the condition, each once."""
    assert references(change, enabled) == expected


def test_what_the_object_takes_over() -> None:
    """Spec, labels and annotations of the patched template; what is protected keeps its value, and its causes."""
    object_causes, patched = PathCauses(), PathCauses()
    object_causes.set((), OLD)
    object_causes.set(("spec", "replicas"), Cause("topology", "replicas"))
    for path in (
        ("metadata", "name"),
        ("spec", "template", "spec", "replicas"),
        ("spec", "template", "spec", "files"),
        ("spec", "template", "metadata", "labels", "site"),
    ):
        patched.set(path, NEW)
    target = {"metadata": {}, "spec": {"replicas": 1}}

    write_back_causes(object_causes, patched, target, False, [("spec", "replicas")])

    assert {path: found[0].name for path, found in object_causes.entries()} == {
        (): "old",
        ("spec", "replicas"): "replicas",
        ("spec", "files"): "new",
        ("metadata", "labels", "site"): "new",
    }


def test_a_patch_above_what_is_protected() -> None:
    """A patch of the whole spec sets all of it but the fields that keep their value."""
    object_causes, patched = PathCauses(), PathCauses()
    object_causes.set(("spec", "machine", "labels", "old"), Cause("class", "old tier"))
    object_causes.set(("spec", "machine"), OLD)
    object_causes.set(("spec", "machine", "labels", "tier"), Cause("class", "tier"))
    patched.set(("spec", "template", "spec"), NEW)
    target = {"spec": {"machine": {"labels": {"tier": "x"}}}}

    write_back_causes(object_causes, patched, target, False, [("spec", "machine", "labels")])

    assert object_causes.at(("spec", "other")) == [NEW]
    assert object_causes.at(("spec", "machine", "labels", "tier"))[0].name == "tier"
    assert object_causes.at(("spec", "machine", "labels", "old"))[0].name == "old"
    assert object_causes.at(("spec", "machine", "drain")) == [NEW]
