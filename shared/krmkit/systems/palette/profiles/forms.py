"""The forms of a cluster profile: where each keeps name, layers and variables, and how to convert them.

A form is known by its shape. Paths are keys with dots between them; a number is a place in a list. `export`
is what the console writes, `create` and `read` are the API's, `flat` is its YAML for Terraform, `terraform`
and `crossplane` are the resources of these two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.libraries.schema.fields import entries, find, mapping, text

Data = dict[str, Any]
Path = tuple[str | int, ...]

BARE_TAG = "spectro__tag"  # the value of a label that is a tag without one
VARIABLE_FIELDS = (
    "name",
    "displayName",
    "description",
    "format",
    "defaultValue",
    "regex",
    "required",
    "immutable",
    "hidden",
    "isSensitive",
    "inputType",
    "options",
)


@dataclass(frozen=True)
class Form:
    """A form: the paths of a profile's and a layer's fields. `snake`: variables are in snake_case."""

    name: str
    fields: dict[str, str]
    layer: dict[str, str]
    snake: bool = False

    @property
    def layer_keys(self) -> list[str]:
        """The keys of a layer in the order in which Palette writes them."""
        return list(dict.fromkeys(path.split(".")[0] for path in self.layer.values()))


_PLAIN = {name: name for name in ("name", "type", "layer", "version", "tag", "uid", "values", "manifests")}
_EXPORT = Form(
    "export",
    {
        "name": "metadata.name",
        "description": "metadata.description",
        "tags": "metadata.labels",
        "version": "spec.version",
        "type": "spec.template.type",
        "cloud": "spec.template.cloudType",
        "layers": "spec.template.packs",
        "variables": "spec.variables",
    },
    {**_PLAIN, "registryUid": "registry.metadata.uid", "registry": "registry.metadata.name"},
)
_ANNOTATED = {"description": "metadata.annotations.description", "uid": "metadata.uid"}
_CREATE = Form(
    "create",
    {**_EXPORT.fields, **_ANNOTATED},
    {name: name for name in _PLAIN if name != "version"} | {"registryUid": "registryUid"},
)
_READ = Form(
    "read",
    {
        **_ANNOTATED,
        "name": "metadata.name",
        "tags": "metadata.labels",
        "context": "metadata.annotations.scope",
        "version": "spec.published.profileVersion",
        "type": "spec.published.type",
        "cloud": "spec.published.cloudType",
        "layers": "spec.published.packs",
    },
    {
        **{name: name for name in _PLAIN if name != "manifests"},
        "uid": "packUid",
        "registryUid": "registryUid",
    },
)
_DRAFT = replace(
    _READ, fields={name: path.replace("published", "draft") for name, path in _READ.fields.items()}
)
_FLAT = Form(
    "flat",
    {
        **{name: name for name in ("name", "uid", "description", "type")},
        "cloud": "cloudType",
        "layers": "packs",
    },
    {**_PLAIN, "registryUid": "registry_uid", "registry": "registry"},
)
_TERRAFORM = Form(
    "terraform",
    {
        **{name: name for name in ("name", "version", "type", "cloud", "description", "context", "tags")},
        "layers": "pack",
        "variables": "profile_variables.0.variable",
    },
    {
        **{name: name for name in ("name", "type", "tag", "uid", "values")},
        "registryUid": "registry_uid",
        "registry": "registry_name",
        "manifests": "manifest",
    },
    snake=True,
)
_CROSSPLANE = Form(
    "crossplane",
    {
        name: f"spec.forProvider.{path.replace('profile_v', 'profileV')}"
        for name, path in _TERRAFORM.fields.items()
    },
    {**_TERRAFORM.layer, "registryUid": "registryUid", "registry": "registryName"},
)
FORMS = {one.name: one for one in (_EXPORT, _CREATE, _READ, _FLAT, _TERRAFORM, _CROSSPLANE)}
_RESOURCE = "spectrocloud_cluster_profile"


@dataclass
class ClusterProfile:
    """A profile in one form. `data`: that of its file; `root`: the path of the profile in it."""

    form: Form
    data: Data
    root: Path = ()

    @classmethod
    def of(cls, data: object, label: str) -> ClusterProfile:
        """Find the profile in the data of a file, by its shape. Raises Refused."""
        roots = list(_resources(data))
        if len(roots) > 1:
            names = ", ".join(str(at(data, (*root, "name")) or root[-1]) for root in roots)
            raise Refused(f"{label}: must hold one profile, got {len(roots)} ({names})")
        if roots:
            return cls(_TERRAFORM, mapping(data), roots[0])
        if isinstance(data, dict):
            for form in (_EXPORT, _READ, _DRAFT, _CROSSPLANE, _TERRAFORM, _FLAT):
                if _fits(data, form):
                    return cls(_CREATE if form is _EXPORT and _is_create(data) else form, data)
        raise Refused(
            f"{label}: is not a cluster profile: its layers must be in spec.template.packs, spec.published.packs, packs,"
            f" spec.forProvider.pack, or in a resource {_RESOURCE}"
        )

    def get(self, field: str) -> Any:
        """Return a field of the profile, such as `name`, `version`, `type`, `cloud`, or None."""
        path = self.form.fields.get(field)
        return at(self.data, (*self.root, *steps(path))) if path else None

    @property
    def own(self) -> Data:
        """The profile itself, without what its file holds beside it."""
        return mapping(at(self.data, self.root))

    @property
    def name(self) -> str:
        """The name; that of the Terraform resource where a name is computed."""
        return text(self.get("name")) or str(next(reversed(self.root), ""))

    @property
    def layers(self) -> list[Data]:
        """The layers, as the form has them."""
        return entries(self.get("layers"))

    def of_layer(self, layer: Data, field: str) -> Any:
        """Return what a layer says of a field of Form.layer."""
        path = self.form.layer.get(field)
        return at(layer, steps(path)) if path else None

    def variables(self) -> list[Data]:
        """Return the definitions of variables, with the names of the API."""
        found = entries(self.get("variables"))
        return [{camel(name): value for name, value in one.items()} for one in found]

    @property
    def tags(self) -> dict[str, str]:
        """The tags as labels: Terraform's `key:value` and `key`."""
        given = self.get("tags")
        if isinstance(given, list):
            pairs = (one.split(":") for one in given if isinstance(one, str))
            return {pair[0]: pair[1].strip() if len(pair) > 1 else BARE_TAG for pair in pairs}
        return mapping(given)


def _fits(data: Data, form: Form) -> bool:
    """Return whether the data have a form's list of layers; a profile may have none yet."""
    layers = at(data, steps(form.fields["layers"]))
    kinds = at(data, steps(form.fields["type"])), at(data, steps(form.fields["name"]))
    if layers is None:
        return form is not _TERRAFORM and all(isinstance(one, str) for one in kinds)
    return isinstance(layers, list)


def _is_create(data: Data) -> bool:
    layers = entries(find(data, ("spec", "template", "packs")))
    if any("registry" in one for one in layers):
        return False
    keyed = any("registryUid" in one or "uid" in one for one in layers)
    return keyed or bool(mapping(data, "metadata", "annotations"))


def _resources(data: object, path: Path = ()) -> Iterator[Path]:
    """Yield paths of resources in Terraform's JSON (by name) and `terraform show -json` (in `values`)."""
    if isinstance(data, list):
        for number, one in enumerate(data):
            yield from _resources(one, (*path, number))
    elif isinstance(data, dict):
        if data.get("type") == _RESOURCE and isinstance(data.get("values"), dict):
            yield *path, "values"
            return
        for name, one in data.items():
            if name == _RESOURCE and isinstance(one, dict):
                for label, inner in one.items():
                    listed = isinstance(inner, list)
                    yield from [(*path, name, label, *((0,) if listed else ()))] if inner else []
            elif name in (
                "resource",
                "values",
                "planned_values",
                "root_module",
                "child_modules",
                "resources",
            ):
                yield from _resources(one, (*path, name))


def converted(profile: ClusterProfile, form: Form) -> tuple[Data, list[str]]:
    """Return the data of a profile in another form, and sentences about what that form has no place for."""
    made: Data = {}
    own = profile.form
    lost = _unknown(at(profile.data, profile.root), {*own.fields.values()})
    for field in {**form.fields, **own.fields}:
        value = profile.get(field)
        if field in ("layers", "variables") or value in (None, "", [], {}):
            continue
        if field == "tags":
            pairs = [key if value == BARE_TAG else f"{key}:{value}" for key, value in profile.tags.items()]
            value = pairs if form.layer.get("manifests") == "manifest" else profile.tags
        if field in form.fields:
            put(made, form.fields[field], value)
        else:
            lost.append(field)
    layers = [_converted_layer(profile, layer, form, lost) for layer in profile.layers]
    put(made, form.fields["layers"], layers)
    variables = profile.variables()
    if variables and "variables" in form.fields:
        named = [
            {snake(key) if form.snake else key: value for key, value in one.items()} for one in variables
        ]
        put(made, form.fields["variables"], named)
    elif variables:
        lost.append("variables")
    said = [f"{form.name} has no place for {name}" for name in dict.fromkeys(lost)]
    missing = [name for name in ("layer", "version") if name in form.layer and name not in own.layer]
    return made, said + [
        f"{form.name} needs the {name} of each layer, which {own.name} has not" for name in missing
    ]


def _converted_layer(profile: ClusterProfile, layer: Data, form: Form, lost: list[str]) -> Data:
    made: Data = {}
    lost += [f"{path} of layers" for path in _unknown(layer, {*profile.form.layer.values()})]
    for field in {**form.layer, **profile.form.layer}:
        value = profile.of_layer(layer, field)
        if value is None or (value in ("", []) and field != "values"):
            continue
        if field in form.layer:
            put(made, form.layer[field], value)
        else:
            lost.append(f"{field} of layers")
    if form.layer.get("manifests") == "manifest" and form.layer["registry"] in made:
        made.pop(
            form.layer["registryUid"], None
        )  # one or the other, and the name is the same in each installation
    return made


def _unknown(data: object, known: set[str], path: str = "") -> list[str]:
    """Return the paths of data with a value that are not known."""
    if path in known or data in (None, "", [], {}, False):
        return []
    if not isinstance(data, dict):
        above = any(one.startswith(f"{path}.") for one in known)
        return [] if above else [path]
    inner = [_unknown(value, known, f"{path}.{name}" if path else name) for name, value in data.items()]
    return [one for each in inner for one in each]


def camel(name: str) -> str:
    """Return `display_name` as `displayName`."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def snake(name: str) -> str:
    """Return `displayName` as `display_name`."""
    return re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", name)


def steps(path: str) -> Path:
    """Return the steps of a path of a form."""
    return tuple(int(one) if one.isdigit() else one for one in path.split("."))


def at(data: Any, path: Path) -> Any:
    """Return what is at a path, None where it leads to nothing."""
    for step in path:
        if isinstance(step, int):
            data = data[step] if isinstance(data, list) and step < len(data) else None
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return data


def put(data: Data, path: str, value: Any) -> None:
    """Set what is at a path of a form; mappings and lists on the way are made."""
    target: Any = data
    way = steps(path)
    for step, following in zip(way, way[1:], strict=False):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if step == len(target):
                target.append(empty)
            target = target[step]
        else:
            target = target.setdefault(step, empty)
    target[way[-1]] = value
