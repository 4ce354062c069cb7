"""set-image: set another name, tag or digest of container images.

A name selects images with exactly this name, with or without a tag and digest: `nginx` selects nginx:1.25,
but neither docker.io/library/nginx nor nginx-ingress.
"""

from __future__ import annotations

from krmkit.krm.apart import apart
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.tree import Map, Scalar
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import (
    GROUP,
    described,
    group_of,
    is_config_map,
    is_nothing,
    string_at,
    texts_at,
)
from krmkit.systems.everyday.fields.maps import WrongTypeError, places
from krmkit.systems.everyday.fields.specs import field_specs
from krmkit.systems.everyday.fields.tables import LIST, FieldSpec, FieldTable

_KEYS = ("name", "newName", "newTag", "digest")
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.{}-")
_DIGEST = "@sha256:"
# Kinds in which something else than a list of containers is a mistake, in whatever group.
_POD_KINDS = frozenset(
    ("Pod", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "ReplicationController", "Job", "CronJob", "PodTemplate")
)  # fmt: skip
# Source: release v0.1.1 of set-image; CronJob and PodTemplate are added, as their pods run too.
_LISTS = ("containers[].image", "initContainers[].image")


def _pods(root: str, kinds: tuple[str, ...] = (), group: str | None = None) -> list[FieldSpec]:
    return [FieldSpec(f"{root}.{images}", kinds, group) for images in _LISTS]


_IMAGES = (
    *_pods("spec.template.spec"),
    *_pods("spec"),
    *_pods("spec.jobTemplate.spec.template.spec", ("CronJob",), "batch"),
    *_pods("template.spec", ("PodTemplate",), ""),
)


class Image:
    """A change of the images named `name`: the new name, tag and digest ("" to keep)."""

    __slots__ = ("digest", "name", "new_name", "new_tag")

    def __init__(self, name: str, new_name: str, new_tag: str, digest: str) -> None:
        self.name = name
        self.new_name = new_name
        self.new_tag = new_tag
        self.digest = digest

    def new(self, image: str) -> str:
        """Return the changed image, or the same image if it has another name.

        Example: `Image("nginx", "apache", "", "").new("nginx:1.2") == "apache:1.2"`.
        """
        rest = image.removeprefix(self.name)
        if not image.startswith(self.name) or not _is_version(rest):
            return image
        name = self.new_name or self.name
        if self.digest:
            return f"{name}@{self.digest}"
        return f"{name}:{self.new_tag}" if self.new_tag else name + rest


def _is_version(text: str) -> bool:
    """Return True if a text can follow the name of an image: `:tag`, `@sha256:digest`, both, or ""."""
    tag, at, digest = text.partition(_DIGEST)
    if tag and not (tag[0] == ":" and _SIGNS.issuperset(tag[1:])):
        return False
    return not at or _SIGNS.issuperset(digest)


@reporting
def set_image(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the images that the config selects.

    Example: data `{name: nginx, newTag: "1.27"}` makes `image: nginx:1.27` of `image: nginx:1.25`.
    """
    image, more = _decoded(config)
    table = FieldTable((*_IMAGES, *more))

    def one(item: Resource) -> list[Finding]:
        return _set_all(item, table, image, bool(more))

    results = [finding for found in apart(resources, resources.items, one) for finding in found]
    return results or [Finding("images", "no images changed")]


def _set_all(item: Resource, table: FieldTable, image: Image, has_more: bool) -> list[Finding]:
    """Set the images of a resource. `has_more`: the config adds fields. Raises Refused for a wrong type."""
    # Kinds with pods are always looked into: containers of a wrong type are an error there.
    if not has_more and item.kind not in _POD_KINDS and not item.may_hold(image.name):
        return []
    results: list[Finding] = []
    for spec in table.possible(item):
        try:
            results += _set(item, spec, image)
        except WrongTypeError as wrong:
            # Custom kinds may use these fields otherwise; Kubernetes' kinds and a config's fields do not.
            if spec not in _IMAGES or item.kind in _POD_KINDS:
                message = f"{_wanted(wrong)}, got {described(item.node(*wrong.path))}"
                raise refused("wrong-type", message, item, dotted(wrong.path)) from None
    return results


def _set(item: Resource, spec: FieldSpec, image: Image) -> list[Finding]:
    """Set the images at a field spec. Raises WrongTypeError, with nothing changed."""
    steps = spec.steps
    if not all(map(item.may_hold, steps[: steps.index(LIST)] if LIST in steps else steps)):
        return []
    changes = []
    for path in places(item, spec):
        wrong = item.obstacle(path, lenient=True)
        if wrong is not None:
            raise WrongTypeError(wrong, path)
        node = item.read(*path)
        if is_null(node):
            continue
        if not isinstance(node, Scalar):
            raise WrongTypeError(path, path)
        new = image.new(node.text)
        if new != node.text:
            changes.append((path, node.text, new))
    for path, _, new in changes:
        item.set(path, new)
    return [_changed(item, spec, old, new) for _, old, new in changes]


def _changed(item: Resource, spec: FieldSpec, old: str, new: str) -> Finding:
    finding = Finding("images", f"set image from {old} to {new}", item, spec.path.replace("[]", ""))
    finding.current, finding.proposed = old, new
    return finding


def _wanted(wrong: WrongTypeError) -> str:
    """Describe the required type at the place of a WrongTypeError."""
    if wrong.path == wrong.wanted:
        return "must be the name of an image"
    following = wrong.wanted[len(wrong.path)]
    return "must be a list" if isinstance(following, int) or following == LIST else "must be a map"


def _decoded(config: Resource | None) -> tuple[Image, list[FieldSpec]]:
    """Return the config's change and its additional fields. Raises Refused."""
    if config is None or is_nothing(config):
        raise wrong_config("must specify `name`", config)
    more: list[FieldSpec] = []
    if is_config_map(config):
        texts = texts_at(config, "data")
        for key in texts:
            if key not in _KEYS:
                raise wrong_config(f"ConfigMap has wrong field name {key}", config, f"data.{key}")
    elif config.kind == "SetImage" and group_of(config.api_version) == GROUP:
        if not is_null(config.node("image")) and not isinstance(config.node("image"), Map):
            raise wrong_config(f"must be a map, got {described(config.node('image'))}", config, "image")
        texts = {key: string_at(config, "image", key) for key in _KEYS}
        more = field_specs(config, "additionalImageFields")
    else:
        raise wrong_config(f"unknown FunctionConfig `{config.kind}`, expect SetImage", config)
    name, new_name, new_tag, digest = (texts.get(key, "") for key in _KEYS)
    if not name:
        raise wrong_config("must specify `name`", config)
    if not (new_name or new_tag or digest):
        raise wrong_config("must specify one of `newName`, `newTag`, or `digest`", config)
    return Image(name, new_name, new_tag, digest), more
