"""upsert-resource: where a new resource goes, and which ones it replaces."""

from __future__ import annotations

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.lines import shift
from krmkit.systems.everyday.upserts import upsert_resource

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"


def _list(there: str, *names: str, path: str = "new.yaml") -> ResourceList:
    items = "".join(
        f"  - apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: {name}\n      annotations:\n"
        f"        config.kubernetes.io/target-path: {path}\n"
        for name in names
    )
    return ResourceList.parse(
        f"{HEAD}{there}functionConfig:\n  apiVersion: v1\n  kind: List\n  items:\n{items}"
    )


def _places(resources: ResourceList) -> list[tuple[str, str | None, int | None]]:
    return [(item.name, item.path, item.index) for item in resources]


def test_two_new_resources_of_one_file_lie_behind_each_other() -> None:
    resources = _list("", "a", "b", "c")

    assert upsert_resource(resources, resources.function_config) == []

    assert [(name, path) for name, path, _ in _places(resources)] == [(name, "new.yaml") for name in "abc"]
    numbers = [index for _, _, index in _places(resources)]
    assert len(set(numbers)) == len(numbers), numbers


def test_a_new_resource_goes_behind_those_of_its_file() -> None:
    there = (
        "- apiVersion: v1\n  kind: Service\n  metadata:\n    name: web\n    annotations:\n"
        "      internal.config.kubernetes.io/path: new.yaml\n      internal.config.kubernetes.io/index: '4'\n"
    )
    resources = _list(there, "a", "b")

    upsert_resource(resources, resources.function_config)

    assert _places(resources) == [("web", "new.yaml", 4), ("a", "new.yaml", 5), ("b", "new.yaml", 6)]


def test_two_resources_of_one_name_in_the_config_end_as_one() -> None:
    """The second one takes the place of the first."""
    resources = _list("", "a", "a")

    upsert_resource(resources, resources.function_config)

    assert [item.name for item in resources] == ["a"]


RESOURCE = """\
# about it
apiVersion: v1
kind: ConfigMap
metadata:
  name: new  # its name
data:
  # a key
  yes: "2" # kpt-set: ${two}
  # the end
"""


ONE = "functionConfig:\n" + shift(RESOURCE, 0, 2)
LISTED = "functionConfig:\n  apiVersion: v1\n  kind: List\n  items:\n  -\n" + shift(RESOURCE, 0, 4)


@pytest.mark.parametrize("config", [ONE, LISTED], ids=["one", "List"])
def test_comments_of_a_config_in_the_list_stay(config: str) -> None:
    """A config that comes with the list gives its own lines, as one that comes from a file."""
    resources = ResourceList.parse(
        f"{HEAD}- {{apiVersion: v1, kind: Service, metadata: {{name: web}}}}\n{config}"
    )

    assert upsert_resource(resources, resources.function_config) == []

    assert resources.items[-1].text == RESOURCE


@pytest.mark.parametrize(
    ("there", "count"), [("new.yaml", 1), ("/new.yaml", 1), ("~new.yaml", 2), ("a/new.yaml", 2), ("", 2)]
)
def test_a_target_path_chooses_what_is_replaced(there: str, count: int) -> None:
    """Only a resource of that file; a slash before the path says nothing."""
    item = (
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n    annotations:\n"
        f"      internal.config.kubernetes.io/path: '{there}'\n"
    )
    resources = _list(item, "a")

    upsert_resource(resources, resources.function_config)

    assert len(list(resources)) == count
