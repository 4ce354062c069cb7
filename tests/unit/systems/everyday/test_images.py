"""set-image: which images are meant, and what they become."""

from __future__ import annotations

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.images import Image, set_image

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
        # What follows the name is no tag, or no digest: the text is the name of another image, or of none.
        ("nginx:1/x", Image("nginx", "", "2", ""), "nginx:1/x"),
        ("nginx@sha256:ab/x", Image("nginx", "", "2", ""), "nginx@sha256:ab/x"),
        ("nginx:1@sha256:a b", Image("nginx", "", "2", ""), "nginx:1@sha256:a b"),
        ("nginx@md5:ab", Image("nginx", "", "2", ""), "nginx@md5:ab"),
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
    ("spec", "field", "message"),
    [
        (
            "containers: [{image: nginx}, {image: {a: b}}]",
            "spec.containers[1].image",
            "the name of an image, got a map",
        ),
        (
            "containers: [{image: other}, {image: [a]}]",
            "spec.containers[1].image",
            "the name of an image, got a list",
        ),
        ("containers: nothing", "spec.containers", "a list, got a single value"),
        ("initContainers: {a: {image: b}}", "spec.initContainers", "a list, got a map"),
        ("containers: [{image: a}, b]", "spec.containers[1]", "a map, got a single value"),
    ],
)
def test_containers_of_a_wrong_type_are_an_error_whatever_image_is_meant(
    spec: str, field: str, message: str
) -> None:
    resources = _pod(spec)

    found = set_image(resources, resources.function_config)

    assert [(one.rule, one.field, one.message) for one in found] == [
        ("wrong-type", field, f"must be {message}")
    ]


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("containers: 3", "Quota"), ("template: {spec: {containers: {web: {image: nginx}}}}", "Quota"),
     ("containers: [{image: 5}, {image: ~}, {name: a}, ~]", "Pod"), ("containers: ~", "Pod")],
)  # fmt: skip
def test_what_is_no_image_stays(spec: str, kind: str) -> None:
    resources = _pod(spec, kind)
    before = next(iter(resources)).text

    found = set_image(resources, resources.function_config)

    assert [one.message for one in found] == ["no images changed"]
    assert next(iter(resources)).text == before


def _pod(spec: str, kind: str = "Pod") -> ResourceList:
    text = LIST.replace("    containers:\n%s\n", f"    {spec}\n")
    return ResourceList.parse(text.replace("kind: Pod", f"kind: {kind}"))


@pytest.mark.parametrize(
    ("path", "spec", "images"),
    [
        ("spec/images[]", "images: [nginx:1, other, 5]", {"images": ["nginx:2", "other", 5]}),
        ("spec/image", "image: nginx", {"image": "nginx:2"}),
        ("spec/images", "other: nginx", {"other": "nginx"}),
    ],
)
def test_fields_that_the_config_names(path: str, spec: str, images: dict[str, object]) -> None:
    config = f"apiVersion: fn.kpt.dev/v1alpha1, kind: SetImage, metadata: {{name: c}}, image: {{name: nginx, newTag: '2'}}, additionalImageFields: [{{path: '{path}'}}]"
    text = LIST.replace("    containers:\n%s\n", f"    {spec}\n").partition("functionConfig:")[0]
    resources = ResourceList.parse(f"{text}functionConfig: {{{config}}}\n")

    set_image(resources, resources.function_config)

    assert next(iter(resources)).get("spec") == images
