"""set-image: which images are meant, and what they become."""

from __future__ import annotations

import pytest

from krmkit.everyday.images import Image, set_image
from krmkit.krm.resourcelist import ResourceList

LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web
  spec:
    containers:
%s
functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {name: nginx, newTag: '2'}}
"""


@pytest.mark.parametrize(
    ("image", "change", "new"),
    [
        ("nginx", Image("nginx", "", "2", ""), "nginx:2"),
        ("nginx:1", Image("nginx", "", "2", ""), "nginx:2"),
        ("nginx@sha256:ab", Image("nginx", "", "2", ""), "nginx:2"),
        ("nginx:1@sha256:ab", Image("nginx", "", "2", ""), "nginx:2"),
        ("nginx:1", Image("nginx", "apache", "", ""), "apache:1"),
        ("nginx@sha256:ab", Image("nginx", "apache", "", ""), "apache@sha256:ab"),
        ("nginx:1", Image("nginx", "", "2", "sha256:cd"), "nginx@sha256:cd"),
        ("docker.io/library/nginx", Image("nginx", "", "2", ""), "docker.io/library/nginx"),
        ("nginx-ingress:1", Image("nginx", "", "2", ""), "nginx-ingress:1"),
        ("registry:5000/nginx:1", Image("registry", "", "2", ""), "registry:5000/nginx:1"),
        ("nginxx", Image("ng.nx", "", "2", ""), "nginxx"),
    ],
)
def test_an_image_is_meant_by_its_whole_name(image: str, change: Image, new: str) -> None:
    assert change.new(image) == new


@pytest.mark.parametrize(
    ("containers", "images"),
    [
        # An entry without an image, and one of another name, among those that change: each keeps its own.
        (
            "    - image: nginx:1\n      name: a\n    - name: b\n    - image: redis:1\n    - name: c\n      image: nginx:1 # pinned",
            ["nginx:2", None, "redis:1", "nginx:2"],
        ),
        ("    - image: 'nginx:1'\n    - {image: nginx}", ["nginx:2", "nginx:2"]),
        ('    - image: "nginx"\n      name: a', ["nginx:2"]),
    ],
)
def test_each_container_gets_its_own_image(containers: str, images: list[str | None]) -> None:
    resources = ResourceList.parse(LIST % containers)

    set_image(resources, resources.function_config)

    item = next(iter(resources))
    assert [item.get("spec", "containers", index, "image") for index in range(len(images))] == images


@pytest.mark.parametrize(
    ("containers", "field", "message"),
    [
        (
            "    - image: nginx\n    - image: 5",
            "spec.containers[1].image",
            "must be the name of an image, got 5",
        ),
        (
            "    - image: nginx\n    - image: {a: b}",
            "spec.containers[1].image",
            "must be the name of an image, got a map",
        ),
    ],
)
def test_an_image_of_a_wrong_type_is_an_error(containers: str, field: str, message: str) -> None:
    resources = ResourceList.parse(LIST % containers)

    found = set_image(resources, resources.function_config)

    assert [(one.rule, one.field, one.message) for one in found] == [("wrong-type", field, message)]
