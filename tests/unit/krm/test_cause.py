"""Causes: the last writer of a path is what set it, and a copied subtree leads to the very field that was copied."""

from __future__ import annotations

import pytest

from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.run import RunOptions, apply
from krmkit.krm.cause import Cause, CauseLog, PathCauses, config_cause, resource_cause
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList

TEMPLATE = Cause("template", "t", field=("spec", "template"), follows=True)
FIRST, SECOND = Cause("preset", "first"), Cause("preset", "second")
ITEM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: shop\n"


def written(*entries: tuple[Path, Cause]) -> PathCauses:
    found = PathCauses()
    for path, cause in entries:
        found.set(path, cause)
    return found


CASES: list[tuple[str, list[tuple[Path, Cause]], Path, list[str]]] = [
    ("the last writer of a path", [(("a",), FIRST), (("a",), SECOND)], ("a",), ["second"]),
    ("a later writer of what holds it", [(("a", "b"), FIRST), (("a",), SECOND)], ("a", "b"), ["second"]),
    ("a later writer of a part", [(("a",), FIRST), (("a", "b"), SECOND)], ("a", "b"), ["second"]),
    ("the rest keeps its writer", [(("a",), FIRST), (("a", "b"), SECOND)], ("a", "c"), ["first"]),
    ("an element of a list", [(("a", 1), FIRST), (("a", 2), SECOND)], ("a", 1, "x"), ["first"]),
    (
        "what became empty, by all below it",
        [(("a", "b"), FIRST), (("a", "c"), SECOND)],
        ("a",),
        ["first", "second"],
    ),
    ("nothing", [(("a",), FIRST)], ("b",), []),
]


@pytest.mark.parametrize(
    ("entries", "path", "expected"), [one[1:] for one in CASES], ids=[one[0] for one in CASES]
)
def test_at(entries: list[tuple[Path, Cause]], path: Path, expected: list[str]) -> None:
    """What set a value is found by its path."""
    assert [cause.name for cause in written(*entries).at(path)] == expected


def test_a_copied_subtree() -> None:
    """Below it the field of the cause follows the path; the cause that was recorded stays as it is."""
    causes = written(((), TEMPLATE))

    (below,) = causes.at(("spec", "nodes", 0))

    assert below.field == ("spec", "template", "spec", "nodes", 0)
    assert causes.at(()) == [TEMPLATE]
    assert TEMPLATE.field == ("spec", "template")


@pytest.mark.parametrize(
    ("index", "by", "expected"),
    [
        (0, 1, {("l", 1): "first", ("l", 2, "x"): "second", ("m", 0): "first"}),
        (1, 1, {("l", 0): "first", ("l", 2, "x"): "second", ("m", 0): "first"}),
        (0, -1, {("l", 0, "x"): "second", ("m", 0): "first"}),
    ],
)
def test_moved(index: int, by: int, expected: dict[Path, str]) -> None:
    """Entries of a list follow an insertion or a removal before them; other lists stay."""
    causes = written((("l", 0), FIRST), (("l", 1, "x"), SECOND), (("m", 0), FIRST))

    causes.moved(("l",), index, by)

    assert {path: found[0].name for path, found in causes.entries()} == expected


def test_a_new_resource_becomes_an_item() -> None:
    """What was recorded about it is the item's, and causes that name it lead to the item."""
    log = CauseLog()
    made, item = Resource(ITEM), Resource(ITEM)
    log.set(made, ("data",), FIRST)

    log.replace(made, item)

    assert log.find(made) is None
    assert [(one, causes.at(("data",))) for one, causes in log.entries()] == [(item, [FIRST])]
    assert log.now(made) is item
    assert log.now(item) is item


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (config_cause(Resource(ITEM), "spec", "injectors", 0), ("config", "injectors[0]")),
        (config_cause(Resource(ITEM), "data", "a.b"), ("config", '"a.b"')),
        (resource_cause(Resource(ITEM), "data"), ("resource", "ConfigMap/shop/a")),
    ],
    ids=["a field of a config", "a key of a ConfigMap", "a resource"],
)
def test_names(cause: Cause, expected: tuple[str, str]) -> None:
    """Causes are called as users call the inputs."""
    assert (cause.kind, cause.name) == expected


@pytest.mark.parametrize("explain", [False, True])
def test_only_while_explaining(explain: bool) -> None:
    """A run that does not explain has no log, so engines record nothing."""
    seen: list[CauseLog | None] = []
    definition = FunctionDefinition({"name": "f", "kind": "F", "schema": {"type": "object"}})
    resources = ResourceList.of([Resource(ITEM)])

    assert (
        apply(definition, lambda rl, *_: seen.append(rl.causes), resources, None, RunOptions(explain)) == []
    )

    (log,) = seen
    assert (log is not None) is explain
