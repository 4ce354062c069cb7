"""set-image: another name, tag or digest for the images of containers.

An image is meant if it is the name alone, or the name with a tag, a digest, or both: `nginx` means nginx:1.25, and neither
docker.io/library/nginx nor nginx-ingress.
"""

from __future__ import annotations

from krmkit.everyday.fields.images import image_table
from krmkit.everyday.fields.maps import WrongTypeError, places
from krmkit.everyday.fields.specs import field_specs
from krmkit.everyday.fields.tables import LIST, FieldSpec
from krmkit.everyday.findings import EverydayConfigError, EverydayError, info, reporting
from krmkit.everyday.kptconfig import (
    GROUP,
    described,
    group_of,
    is_config_map,
    is_nothing,
    string_at,
    texts_at,
)
from krmkit.json.paths import dotted
from krmkit.krm.fieldpath import Path
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.yaml.data import go_value, is_null
from krmkit.yaml.scalars import go_resolve
from krmkit.yaml.tree import Map, Scalar

_KEYS = ("name", "newName", "newTag", "digest")
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.{}-")
_DIGEST = "@sha256:"


class Image:
    """What is to change: images of this `name`, and what they get in its place ("" for what stays)."""

    __slots__ = ("digest", "name", "new_name", "new_tag")

    def __init__(self, name: str, new_name: str, new_tag: str, digest: str) -> None:
        self.name = name
        self.new_name = new_name
        self.new_tag = new_tag
        self.digest = digest

    def new(self, image: str) -> str:
        """The image in the place of one; the same where it is not meant.

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
    """Whether a text is what may stand behind the name of an image: `:tag`, `@sha256:digest`, both, or nothing."""
    tag, at, digest = text.partition(_DIGEST)
    if tag and not (tag[0] == ":" and _SIGNS.issuperset(tag[1:])):
        return False
    return not at or _SIGNS.issuperset(digest)


@reporting
def set_image(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the images that the config means.

    Example: data `{name: nginx, newTag: "1.27"}` makes `image: nginx:1.27` of `image: nginx:1.25`.
    """
    image, more = _decoded(config)
    table = image_table(more)
    results: list[Finding] = []
    for item in list(resources.containing(image.name)):
        for spec in table.of(item):
            plain = _set_plainly(item, spec, image)
            if plain is not None:
                results += plain
                continue
            try:
                found = places(item, spec)
            except WrongTypeError as wrong:
                message = f"must be a list, got {described(item.node(*wrong.path))}"
                raise EverydayError("wrong-type", message, item, dotted(wrong.path)) from None
            for path in found:
                results += _set(item, path, spec, image)
    return results or [info("images", "no images changed")]


def _set_plainly(item: Resource, spec: FieldSpec, image: Image) -> list[Finding] | None:
    """Set the images of a list that is plain to see without a parse; None where it is not."""
    steps = spec.steps
    if LIST not in steps:
        return None
    path = steps[: steps.index(LIST)]
    if item.is_plainly_absent(path):
        return []
    texts = item.entry_strings(path, steps[-1]) if len(path) + 2 == len(steps) else None
    if texts is None or any(text is not None and go_resolve(text)[0] != "str" for text in texts):
        return None
    values = [image.new(text) if text is not None else None for text in texts]
    changes = [(old, new) for old, new in zip(texts, values, strict=True) if old and new and old != new]
    if changes:
        # Before anything is said: naming the resource may parse it, and the entries are plain to see only before that.
        item.set_entries(path, steps[-1], values)
    return [_changed(item, spec, old, new) for old, new in changes]


def _changed(item: Resource, spec: FieldSpec, old: str, new: str) -> Finding:
    finding = info("images", f"set image from {old} to {new}", item, spec.path.replace("[]", ""))
    finding.current, finding.proposed = old, new
    return finding


def _set(item: Resource, path: Path, spec: FieldSpec, image: Image) -> list[Finding]:
    node = item.node(*path)
    if is_null(node):
        return []
    if not isinstance(node, Scalar) or not isinstance(go_value(node), str):
        what = node.text if isinstance(node, Scalar) else described(node)
        raise EverydayError("wrong-type", f"must be the name of an image, got {what}", item, dotted(path))
    new = image.new(node.text)
    if new == node.text:
        return []
    old = node.text
    item.set(path, new)
    return [_changed(item, spec, old, new)]


def _decoded(config: Resource | None) -> tuple[Image, list[FieldSpec]]:
    """What the config says. Raises EverydayConfigError."""
    if config is None or is_nothing(config):
        raise EverydayConfigError("must specify `name`", config)
    more: list[FieldSpec] = []
    if is_config_map(config):
        texts = texts_at(config, "data")
        for key in texts:
            if key not in _KEYS:
                raise EverydayConfigError(f"ConfigMap has wrong field name {key}", config, f"data.{key}")
    elif config.kind == "SetImage" and group_of(config.api_version) == GROUP:
        if not is_null(config.node("image")) and not isinstance(config.node("image"), Map):
            raise EverydayConfigError(
                f"must be a map, got {described(config.node('image'))}", config, "image"
            )
        texts = {key: string_at(config, "image", key) for key in _KEYS}
        more = field_specs(config, "additionalImageFields")
    else:
        raise EverydayConfigError(f"unknown FunctionConfig `{config.kind}`, expect SetImage", config)
    name, new_name, new_tag, digest = (texts.get(key, "") for key in _KEYS)
    if not name:
        raise EverydayConfigError("must specify `name`", config)
    if not (new_name or new_tag or digest):
        raise EverydayConfigError("must specify one of `newName`, `newTag`, or `digest`", config)
    return Image(name, new_name, new_tag, digest), more
