"""Objects of a fleet by namespace and name: the same ones as going through all would find, at a cost that grows with them."""

from __future__ import annotations

from functools import partial

import pytest

from krmkit.fleet.objects import FleetObjects
from krmkit.krm.resource import Resource
from krmkit.systems.porch.api.apinames import in_namespace
from tests.costs import check_shape


def made(kind: str, name: str, namespace: str) -> Resource:
    version = "config.porch.kpt.dev/v1alpha1" if kind == "Repository" else "v1"
    place = f"\n  namespace: {namespace}" if namespace else ""
    return Resource(f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}{place}\n")


OBJECTS = [
    made("ConfigMap", "a", "shops"),
    made("Repository", "deploy", "other"),
    made("ConfigMap", "b", ""),
    made("Repository", "deploy", "shops"),
    made("ConfigMap", "deploy", "shops"),
    made("ConfigMap", "c", "default"),
    made("Repository", "deploy", ""),
]


@pytest.mark.parametrize("namespace", ["shops", "other", "default", "", "nobody"])
def test_objects_of_a_namespace(namespace: str) -> None:
    """They come in their order, those without a namespace among them."""
    found = FleetObjects(OBJECTS).of(namespace)

    assert found == [one for one in OBJECTS if in_namespace(one.namespace, namespace)]
    assert found


def test_repositories() -> None:
    """The first one of a name that counts; other kinds of the name do not."""
    objects = FleetObjects(OBJECTS)

    assert objects.repositories == [OBJECTS[1], OBJECTS[3], OBJECTS[6]]
    assert objects.repository("deploy", "shops") is OBJECTS[3]
    assert objects.repository("deploy", "") is OBJECTS[6]
    assert objects.repository("a", "shops") is None


def test_twice_the_namespaces_cost_twice() -> None:
    """Each namespace asks for its objects and its repository."""

    def work(count: int) -> None:
        names = [f"team-{number}" for number in range(count)]
        objects = FleetObjects([made("Repository", name, name) for name in names])
        for name in names:
            assert len(objects.of(name)) == 1
            assert objects.repository(name, name) is not None

    check_shape(lambda count: partial(work, count))


def test_objects_of_other_namespaces() -> None:
    """One of each type, for hints; what a namespace has itself is none of them."""
    objects = FleetObjects(OBJECTS)

    assert objects.elsewhere("deploy", "shops") == [OBJECTS[1]]
    assert objects.elsewhere("deploy", "other") == [OBJECTS[3], OBJECTS[4]]
    assert objects.elsewhere("b", "shops") == [] == objects.elsewhere("nobody", "shops")
