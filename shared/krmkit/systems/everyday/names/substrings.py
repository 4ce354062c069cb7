"""ensure-name-substring: add a prefix or suffix to the names of resources, and to the references to them.

Namespaces, CRDs, APIServices and Kptfiles keep their names, and so do names with the substring.
References follow (krmkit.systems.everyday.names.references) in their namespace, as do depends-on annotations.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.kube.scopes import NAMESPACED
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.tree import Map, Scalar, Seq
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import (
    API_VERSION,
    described,
    group_of,
    is_config_map,
    text_at,
    texts_at,
)
from krmkit.systems.everyday.fields.maps import WrongTypeError, places
from krmkit.systems.everyday.fields.specs import renamed_specs
from krmkit.systems.everyday.names import dependson
from krmkit.systems.everyday.names.references import REFERENCES, NameReference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.fieldpath import Path
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList
    from krmkit.systems.everyday.fields.tables import FieldSpec
    from krmkit.systems.everyday.names.dependson import Identity

_PREFIX = "failed to load the `functionConfig`: "
# Kinds that keep their names: (group, None for any, and kind).
_KEPT = (
    (None, "CustomResourceDefinition"),
    (None, "Namespace"),
    ("apiregistration.k8s.io", "APIService"),
    ("kpt.dev", "Kptfile"),
)
_DEFAULT = "default"


class _Substring:
    __slots__ = ("in_front", "text")

    def __init__(self, text: str, in_front: bool) -> None:
        self.text = text
        self.in_front = in_front

    def ensured(self, name: str) -> str:
        if self.text in name:
            return name
        return self.text + name if self.in_front else name + self.text


@reporting
def ensure_name_substring(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Add the config's substring to names.

    Example: data `{prepend: dev-}` makes `dev-web` of `web`, also in a HorizontalPodAutoscaler's reference.
    """
    substring, more = _decoded(config)
    items = list(resources)
    before = _identities(items)
    renamed: dict[Identity, str] = {}
    for identity in before:
        group, _, kind, name = identity
        new = substring.ensured(name)
        if new != name and not _keeps_name(group, kind):
            renamed[identity] = new
    unused = [
        Finding(
            "unused-field", f"{spec.path} is a field of no resource; the path is divided by slashes", config
        )
        for spec in more
        if not sum(_ensure_fields(item, spec, substring) for item in items)
    ]
    names = _Names(renamed)
    for item, identity in zip(items, before, strict=True):
        names.follow(item, identity)
    for item, identity in zip(items, before, strict=True):
        if identity in renamed:
            item.set(("metadata", "name"), renamed[identity])
    dependson.rename(items, renamed)
    return [*unused, Finding("names", f"{len(renamed)} of {len(items)} resources got another name")]


def _keeps_name(group: str, kind: str) -> bool:
    return any(kept in ((group, kind), (None, kind)) for kept in _KEPT)


def _identities(items: list[Resource]) -> list[Identity]:
    """Return each resource's group, namespace, kind and name. Raises Refused for missing or repeated ones."""
    identities: list[Identity] = []
    seen: set[tuple[str, ...]] = set()
    for item in items:
        kind, name = item.kind, item.name
        if not kind or not name:
            missing = "metadata.name" if kind else "kind"
            raise refused(
                "identity", f"failed to convert items to resource map: missing {missing} in object", item
            )
        identity = (group_of(item.api_version), item.namespace or _DEFAULT, kind, name)
        full = (item.api_version, *identity[1:], item.namespace)
        if full in seen:
            message = (
                f"failed to convert items to resource map: a second {kind} is called {name} in one namespace"
            )
            raise refused("identity", message, item)
        seen.add(full)
        identities.append(identity)
    return identities


def _ensure_fields(item: Resource, spec: FieldSpec, substring: _Substring) -> bool:
    """Add the substring to a field of the config; return False if the resource lacks it. Raises Refused."""
    if not spec.fits(item) or _keeps_name(group_of(item.api_version), item.kind):
        return False
    found = False
    try:
        paths = places(item, spec)
    except WrongTypeError as wrong:
        message = (
            f"must be a map or a list for the field {spec.path}, got {described(item.node(*wrong.path))}"
        )
        raise refused("wrong-type", message, item, dotted(wrong.path)) from None
    for path in paths:
        node = item.read(*path)
        found = found or node is not None
        if isinstance(node, Scalar) and not is_null(node):
            item.set(path, substring.ensured(node.text))
        elif isinstance(node, (Map, Seq)):
            message = f"must be a text to get the substring, got {described(node)}"
            raise refused("wrong-type", message, item, dotted(path))
        elif spec.create:
            item.set(path, substring.text)
            found = True
    return found


class _Names:
    """The changed names, by kind and old name."""

    def __init__(self, renamed: dict[Identity, str]) -> None:
        self._new: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
        for (group, namespace, kind, name), new in renamed.items():
            self._new.setdefault((group, kind, name), []).append((namespace, new))
        kinds = {(group, kind) for group, kind, _ in self._new}
        self._references = [one for one in REFERENCES if (one.group, one.kind) in kinds]
        self._by_kind: dict[tuple[str, str], list[NameReference]] = {}

    def follow(self, item: Resource, identity: Identity) -> None:
        """Update the references of a resource."""
        key = (item.api_version, item.kind)
        if key not in self._by_kind:
            self._by_kind[key] = [one for one in self._references if one.spec.fits(item)]
        for reference in self._by_kind[key]:
            words = [step for step in reference.spec.steps if step != "[]"]
            if not item.may_hold(words[-2]) or not item.may_hold(words[-1]):
                continue
            try:
                paths = places(item, reference.spec)
            except WrongTypeError:
                continue
            for path in paths:
                self._change(item, identity, reference, path)

    def _change(self, item: Resource, identity: Identity, reference: NameReference, path: Path) -> None:
        node = item.read(*path)
        if not isinstance(node, Scalar):
            return
        candidates = self._new.get((reference.group, reference.kind, node.text))
        if candidates is None:
            return
        kind = item.read(*path[:-1], "kind")
        if path[-1] == "name" and isinstance(kind, Scalar) and kind.text != reference.kind:
            return
        wanted: str | None = None if reference.cluster else self._namespace(item, path, identity)
        for namespace, new in candidates:
            if wanted is None or namespace == wanted:
                item.set(path, new)
                return

    def _namespace(self, item: Resource, path: Path, identity: Identity) -> str | None:
        """Return the referenced namespace: the one beside the name, else the referrer's; None for any."""
        said = item.read(*path[:-1], "namespace")
        if path[-1] == "name" and isinstance(said, Scalar):
            return said.text or _DEFAULT
        group, namespace, kind, _ = identity
        return namespace if (group, kind) in NAMESPACED else None


def _decoded(config: Resource | None) -> tuple[_Substring, list[FieldSpec]]:
    """Return the substring and the config's additional fields. Raises Refused."""
    if config is None or not config.root.entries:
        raise wrong_config(f"{_PREFIX}missing Resource metadata")
    if is_config_map(config):
        data = texts_at(config, "data")
        if len(data) != 1:
            message = f"only 1 entry is allowed in the ConfigMap, but got: {len(data)}"
            raise wrong_config(_PREFIX + message, config, "data")
        (mode, text), more = next(iter(data.items())), []
    elif config.kind == "EnsureNameSubstring" and config.api_version == API_VERSION:
        mode, text = text_at(config, "editMode") or "prepend", text_at(config, "substring")
        more = renamed_specs(config, "additionalNameFields", "fieldSpecs", _PREFIX)
    else:
        group, _, version = config.api_version.rpartition("/")
        got = f"{group}/{version}, Kind={config.kind}"
        message = (
            f"function config must be either /v1, Kind=ConfigMap or {API_VERSION}, Kind=EnsureNameSubstring"
        )
        raise wrong_config(f"{_PREFIX}{message}, but we got: {got}", config)
    if mode not in ("prepend", "append"):
        message = f"unknown editMode: {mode}, only prepend and append are allowed"
        raise wrong_config(_PREFIX + message, config)
    if not text:
        raise wrong_config(f"{_PREFIX}substring must not be empty", config)
    return _Substring(text, mode == "prepend"), more
