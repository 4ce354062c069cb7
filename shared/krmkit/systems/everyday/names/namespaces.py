"""set-namespace: set the namespace of resources, of references to them, and of Namespaces themselves.

Fields: `metadata.namespace` of namespaced resources, `metadata.name` of Namespaces, services of CRD webhooks
and APIServices, subjects of RoleBindings and ClusterRoleBindings, depends-on annotations. Local config stays.

Release v0.4.1 ignores `namespaceMatcher` and upstream origins; later ones do not change RoleBindings. Without
a release's tag, RoleBindings change, as in the original's README. Releases before v0.3.0 also set the fields
in `additionalNamespaceFields`; it has no effect in later ones.
"""

from __future__ import annotations

from krmkit.krm.cause import Cause, CauseLog, config_cause
from krmkit.krm.fieldpath import Path
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.kube.scopes import CLUSTER_SCOPED, NAMESPACED
from krmkit.libraries.yaml.data import go_value, is_null
from krmkit.libraries.yaml.tree import Map, Scalar
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import (
    API_VERSION,
    described,
    group_of,
    is_config_map,
    string_at,
)
from krmkit.systems.everyday.common.releases import Release, explained
from krmkit.systems.everyday.fields.maps import places
from krmkit.systems.everyday.fields.specs import field_specs
from krmkit.systems.everyday.localconfig import is_local
from krmkit.systems.everyday.names import dependson

PINNED = Release(0, 4, 1)  # the release that most packages pin
WITHOUT_MORE_FIELDS = Release(0, 3, 0)  # the first release that does not read additionalNamespaceFields
_MORE_FIELDS = "additionalNamespaceFields"
PACKAGE_CONTEXT = "kptfile.kpt.dev"
DEFAULT = "default"

# Paths of namespaces in cluster-scoped kinds, by group and kind. Only existing ones are set: the original
# creates them, which breaks a CRD without a webhook.
_SERVICES: dict[tuple[str, str], Path] = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        "spec", "conversion", "webhook", "clientConfig", "service", "namespace",
    ),
    ("apiregistration.k8s.io", "APIService"): ("spec", "service", "namespace"),
}  # fmt: skip
_CONFIGS = "`ConfigMap.v1` or `SetNamespace.v1alpha1.fn.kpt.dev`"
_RBAC = "rbac.authorization.k8s.io"


class _Setting:
    """The new namespace, the namespace to replace ("" for all), and the release's behaviour.

    causes, cause: the log of causes and the entry to record; None unless the run explains.
    """

    __slots__ = ("cause", "causes", "changed", "count", "matcher", "new", "release")

    def __init__(self, new: str, matcher: str, release: Release | None) -> None:
        self.new = new
        self.release = release
        self.matcher = "" if self.is_pinned else matcher
        self.causes: CauseLog | None = None
        self.cause: Cause | None = None
        self.changed: set[str] = set()
        self.count = 0

    @property
    def is_pinned(self) -> bool:
        return self.release is not None and self.release <= PINNED

    @property
    def leaves_role_bindings(self) -> bool:
        return self.release is not None and self.release > PINNED

    def behaviour(self) -> str:
        matcher = "is ignored" if self.is_pinned else "and upstream origins count"
        bindings = "stay" if self.leaves_role_bindings else "change"
        return f"namespaceMatcher {matcher}, RoleBindings {bindings}"

    def takes(self, old: str, origin: str = "") -> bool:
        """Return True if a namespace is replaced, by its value or by the resource's upstream origin."""
        return not self.matcher or self.matcher in (old, origin)

    def note(self, old: str) -> None:
        self.changed.add(old)
        self.count += 1


@reporting
def set_namespace(resources: ResourceList, config: Resource | None, tag: str = "") -> list[Finding]:
    """Set the namespace of the config. `tag`: the tag of the image, which may name a release.

    Example: data `{namespace: shop}` makes `metadata.namespace: shop` of every Deployment.
    """
    release = Release.read(tag)
    new, matcher = _decoded(config, release is not None and release <= PINNED)
    setting = _Setting(new, matcher, release)
    if resources.causes is not None and config is not None:
        setting.causes, setting.cause = resources.causes, _cause(config)
    items = [item for item in resources if not is_local(item)]
    kinds = [(group_of(item.api_version), item.kind) for item in items]
    namespaced = {
        id(item)
        for item, kind in zip(items, kinds, strict=True)
        if kind in NAMESPACED
        or (kind not in CLUSTER_SCOPED and item.read("metadata", "namespace") is not None)
    }
    if not setting.is_pinned:
        findings = check_origins([(item, id(item) in namespaced) for item in items], bool(setting.matcher))
        if findings:
            return findings
    ids = dependson.identities(items, namespaced)
    results = [explained(release, setting.behaviour())]
    if config is not None and config.node(_MORE_FIELDS) is not None:
        results += _set_more(list(resources), config, setting)
    for item, kind in zip(items, kinds, strict=True):
        if id(item) in namespaced:
            old = _namespace(item, setting)
            origin = (origin_namespace(item) if setting.matcher else "") or old or DEFAULT
            results += _matching(item, origin, setting)
            if setting.takes(old or DEFAULT, origin):
                _set(item, ("metadata", "namespace"), old, setting)
        else:
            results += _set_cluster_scoped(item, setting)
        if kind == (_RBAC, "RoleBinding") and not setting.leaves_role_bindings:
            _set_subjects(item, setting)
    duplicates = _duplicates(items, kinds, namespaced)
    if duplicates:
        return duplicates
    results.append(_summary(setting))
    olds, count = dependson.set_namespaces(items, ids, new, setting.matcher, not setting.is_pinned)
    if setting.is_pinned:
        return results
    what = "all `depends-on` annotations are up-to-date. no `namespace` changed"
    if count:
        what = f'`depends-on` annotation namespace [{" ".join(olds)}] updated to "{new}", {count} value(s) changed'
    return [*results, Finding("depends-on", what)]


def _set_more(items: list[Resource], config: Resource, setting: _Setting) -> list[Finding]:
    """Set the config's additional fields as releases before v0.3.0 do; else warn that they have no effect."""
    if setting.release is None or setting.release >= WITHOUT_MORE_FIELDS:
        message = f"has no effect: kpt's function reads it before {WITHOUT_MORE_FIELDS} only; name such a release in the image's tag"
        return [Finding("unread-field", message, config, _MORE_FIELDS)]
    for spec in field_specs(config, _MORE_FIELDS):
        for item in items:
            for path in places(item, spec) if spec.fits(item) else ():
                node = item.node(*path)
                if isinstance(node, Scalar) or (node is None and spec.create):
                    _set(
                        item,
                        path,
                        "" if is_null(node) or not isinstance(node, Scalar) else node.text,
                        setting,
                    )
    return []


def _cause(config: Resource) -> Cause:
    if not is_config_map(config):
        return config_cause(config, "namespace")
    return config_cause(config, "data", "namespace" if string_at(config, "data", "namespace") else "name")


def _decoded(config: Resource | None, is_pinned: bool) -> tuple[str, str]:
    """Return the new namespace and the namespace to replace. Raises Refused."""
    if config is None or not config.root.entries:
        wanted = "`ConfigMap` or `SetNamespace`" if is_pinned else _CONFIGS
        raise wrong_config(f"FunctionConfig is missing. Expect {wanted}")
    kind, version = config.kind, config.api_version
    if is_config_map(config):
        data = config.node("data")
        if not is_null(data) and not isinstance(data, Map):
            raise wrong_config(f"must be a map, got {described(data)}", config, "data")
        new = string_at(config, "data", "namespace")
        if not new and config.name == PACKAGE_CONTEXT:
            new = string_at(config, "data", "name")
            if not new and is_pinned:
                raise wrong_config("`data.name` should not be empty", config)
        if not new:
            raise wrong_config("`data.namespace` should not be empty", config)
        return new, string_at(config, "data", "namespaceMatcher")
    if kind == "SetNamespace" and version == API_VERSION:
        new = string_at(config, "namespace")
        if not new:
            raise wrong_config("`namespace` should not be empty", config)
        return new, string_at(config, "namespaceMatcher")
    wanted = "`SetNamespace` or `ConfigMap`" if is_pinned else _CONFIGS
    raise wrong_config(f"unknown functionConfig Kind={kind} ApiVersion={version}, expect {wanted}", config)


def _set(item: Resource, path: Path, old: str, setting: _Setting) -> None:
    if setting.causes is not None and setting.cause is not None:
        setting.causes.set(item, path, setting.cause)
    if old != setting.new:
        item.set(path, setting.new)
        setting.note(old or ("" if setting.is_pinned else DEFAULT))


def _namespace(item: Resource, setting: _Setting) -> str:
    node = item.read("metadata", "namespace")
    if isinstance(node, Scalar) and isinstance(go_value(node), str):
        return node.text
    if not is_null(node) and (setting.is_pinned or not isinstance(node, Scalar)):
        message = f"must be a text, got {node.text if isinstance(node, Scalar) else described(node)}"
        raise refused("wrong-type", message, item, "metadata.namespace")
    return ""


def _matching(item: Resource, origin: str, setting: _Setting) -> list[Finding]:
    if not setting.matcher or origin != setting.matcher:
        return []
    return [Finding("namespace", f"[{_named(item)}] has matching origin {origin}")]


def _set_cluster_scoped(item: Resource, setting: _Setting) -> list[Finding]:
    found: list[Finding] = []
    group, kind = group_of(item.api_version), item.kind
    if (group, kind) == ("", "Namespace") and item.api_version == "v1":
        found = _matching(item, item.name, setting)
        if setting.takes(item.name):
            _set(item, ("metadata", "name"), item.name, setting)
    elif (group, kind) == (_RBAC, "ClusterRoleBinding"):
        _set_subjects(item, setting)
    elif (group, kind) in _SERVICES and item.api_version.endswith("/v1"):
        path = _SERVICES[group, kind]
        if item.has(*path[:-1]):
            if item.obstacle(path) is not None:
                message = f"must be a map, got {described(item.node(*path[:-1]))}"
                raise refused("wrong-type", message, item, dotted(path[:-1]))
            old = item.string(*path)
            if setting.takes(old):
                _set(item, path, old, setting)
    return found


def _set_subjects(item: Resource, setting: _Setting) -> None:
    """Set the namespace of every subject that has one; users and groups have none."""
    size = item.size("subjects")
    if size is None:
        message = f"subjects must be a list, got {described(item.node('subjects'))}"
        raise refused("wrong-type", message, item, "subjects")
    for index in range(size):
        path = ("subjects", index, "namespace")
        if item.obstacle(path) is not None:
            message = f"must be a map, got {described(item.node('subjects', index))}"
            raise refused("wrong-type", message, item, dotted(path[:-1]))
        node = item.read(*path)
        old = "" if is_null(node) or not isinstance(node, Scalar) else node.text
        if isinstance(node, Scalar) and setting.takes(old):
            _set(item, path, old, setting)


def _summary(setting: _Setting) -> Finding:
    new = setting.new
    if not setting.count:
        what = "all namespaces are" if setting.is_pinned else "all matching namespaces are"
        return Finding("namespace", f'{what} already "{new}". no value changed')
    olds = sorted(setting.changed)
    listed = ",".join(f'"{old}"' for old in olds) if setting.is_pinned else f"[{' '.join(olds)}]"
    return Finding("namespace", f'namespace {listed} updated to "{new}", {setting.count} value(s) changed')


def _duplicates(items: list[Resource], kinds: list[tuple[str, str]], namespaced: set[int]) -> list[Finding]:
    """Return errors for resources with the same group, kind, namespace and name after the change."""
    findings = []
    seen: set[tuple[str, str, str]] = set()
    same: list[tuple[Resource, str]] = []
    for item, (group, kind) in zip(items, kinds, strict=True):
        name = item.name if kind and id(item) in namespaced else ""
        if name and (group, kind, name) in seen:
            same.append((item, name))
        seen.add((group, kind, name))
    # Compare namespaces only within one group, kind and name.
    names = {(kind, name) for item, name in same for kind in (item.kind,)}
    places: dict[tuple[str, str, str, str], int] = {}
    for item, (group, kind) in zip(items, kinds, strict=True) if names else ():
        if id(item) not in namespaced or (kind, item.name) not in names:
            continue
        key = (group, kind, item.namespace, item.name)
        places[key] = places.get(key, 0) + 1
        if places[key] == 2 and item.namespace:
            who = f"apiVersion={item.api_version}, kind={kind}, Namespace={item.namespace}, Name={item.name}"
            findings.append(Finding("duplicate", f"duplicate Resource({who})", item))
    return findings


def _named(item: Resource) -> str:
    return f"Resource(apiVersion={item.api_version}, kind={item.kind}, namespace={item.namespace}, name={item.name})"


ORIGIN = "internal.kpt.dev/upstream-identifier"
CLUSTER = "~C"


def origin_namespace(item: Resource) -> str:
    """Return the upstream namespace: "~C" if cluster-scoped, "" without the annotation. Raises Refused."""
    text = item.annotation(ORIGIN) if item.may_hold(ORIGIN) else ""
    if not text:
        return ""
    parts = text.split("|")
    if len(parts) != 4:
        message = f'annotation {ORIGIN}: {text} is in bad format. expect "<GROUP>|<KIND>|<NAMESPACE>|<NAME>"'
        raise refused("origin", message)
    return parts[2].strip()


def check_origins(items: list[tuple[Resource, bool]], has_matcher: bool) -> list[Finding]:
    """Return errors for resources with origins in several namespaces. `items`: (item, is namespaced)."""
    findings: list[Finding] = []
    seen: list[str] = []
    for item, is_namespaced in items:
        origin = origin_namespace(item)
        if not is_namespaced or not origin:
            continue
        if origin == CLUSTER:
            who = f"Resource(apiVersion={item.api_version}, kind={item.kind}, namespace={item.namespace}, name={item.name})"
            message = f"{who} is namespace-scoped, but has cluster-scoped or unknown scoepd origin"
            findings.append(Finding("origin", f"{message} {item.annotation(ORIGIN)}", item))
        elif origin not in seen:
            seen.append(origin)
    if len(seen) > 1 and not has_matcher:
        message = f"the resources come from the namespaces {', '.join(seen)}; say in namespaceMatcher which one to replace"
        findings.append(Finding("origin", message))
    return findings
