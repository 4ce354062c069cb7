"""Convert objects of the kubeadm, core and Docker kinds to another version of their API.

A ClusterClass names the version in which the controller reads a template; `kubectl get` answers in the
newest.
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import drop, entries, find, put
from krmkit.systems.clusterapi.api import kubeadm
from krmkit.systems.clusterapi.api.conversion import convert_machine_health_check, convert_worker_group
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.labels import CONVERSION_DATA, GROUP, group_of, version_of

Change = Callable[[Object], Object]

# Docker's failure domains are a map in v1beta1 and a list in v1beta2, and v1beta2 omits an unset endpoint.
# Source: test/infrastructure/docker/api/v1beta1/conversion.go.
_DOMAINS = (("failureDomains",), ("backend", "docker", "failureDomains"))
_ENDPOINT = ("controlPlaneEndpoint",)
_UNSET = {"host": "", "port": 0}


def same(spec: Object) -> Object:
    return spec


def cluster_to_v1beta2(spec: Object) -> Object:
    """Return the spec of a DevCluster or DockerCluster of v1beta1 as v1beta2."""
    for path in _DOMAINS:
        domains = find(spec, path)
        if isinstance(domains, dict):
            found = [
                {"name": name, **(one if isinstance(one, dict) else {})}
                for name, one in sorted(domains.items())
            ]
            spec = put(spec, path, found)
    endpoint = find(spec, _ENDPOINT)
    if isinstance(endpoint, dict):
        kept = {name: value for name, value in endpoint.items() if value != _UNSET.get(name)}
        spec = put(spec, _ENDPOINT, kept) if kept else drop(spec, _ENDPOINT)
    return spec


def cluster_to_v1beta1(spec: Object) -> Object:
    """Return the spec of a DevCluster or DockerCluster of v1beta2 as v1beta1."""
    for path in _DOMAINS:
        domains = find(spec, path)
        if isinstance(domains, list):
            named = {str(one.get("name", "")): one for one in entries(domains)}
            found = {
                name: {key: value for key, value in one.items() if key != "name"}
                for name, one in named.items()
            }
            spec = put(spec, path, found)
    return spec


V1BETA1 = "v1beta1"
V1BETA2 = "v1beta2"
BOOTSTRAP = "bootstrap.cluster.x-k8s.io"
CONTROL_PLANE = "controlplane.cluster.x-k8s.io"
_SPEC = ("spec",)
_TEMPLATE_SPEC = ("spec", "template", "spec")
_UP: dict[tuple[str, str], tuple[tuple[str, ...], Change]] = {
    (BOOTSTRAP, "KubeadmConfigTemplate"): (_TEMPLATE_SPEC, kubeadm.config_to_v1beta2),
    (BOOTSTRAP, "KubeadmConfig"): (_SPEC, kubeadm.config_to_v1beta2),
    (CONTROL_PLANE, "KubeadmControlPlaneTemplate"): (_TEMPLATE_SPEC, kubeadm.control_plane_to_v1beta2),
    (CONTROL_PLANE, "KubeadmControlPlane"): (_SPEC, kubeadm.control_plane_to_v1beta2),
    (GROUP, "MachineDeployment"): (_SPEC, convert_worker_group),
    (GROUP, "MachinePool"): (_SPEC, convert_worker_group),
    (GROUP, "MachineHealthCheck"): (_SPEC, convert_machine_health_check),
}
_DOWN: dict[tuple[str, str], tuple[tuple[str, ...], Change]] = {
    (BOOTSTRAP, "KubeadmConfigTemplate"): (_TEMPLATE_SPEC, kubeadm.config_to_v1beta1),
    (CONTROL_PLANE, "KubeadmControlPlaneTemplate"): (_TEMPLATE_SPEC, kubeadm.control_plane_to_v1beta1),
}
INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"
for _prefix in ("Dev", "Docker"):
    for _kind, _up, _down in (
        ("Cluster", cluster_to_v1beta2, cluster_to_v1beta1),
        ("Machine", same, same),
        ("MachinePool", same, same),
    ):
        for _suffix, _path in (("", _SPEC), ("Template", _TEMPLATE_SPEC)):
            _UP[INFRASTRUCTURE, f"{_prefix}{_kind}{_suffix}"] = (_path, _up)
            _DOWN[INFRASTRUCTURE, f"{_prefix}{_kind}{_suffix}"] = (_path, _down)

_CONFIG_PLACES: dict[tuple[str, str], tuple[str, ...]] = {
    (BOOTSTRAP, "KubeadmConfig"): _SPEC,
    (BOOTSTRAP, "KubeadmConfigTemplate"): _TEMPLATE_SPEC,
    (CONTROL_PLANE, "KubeadmControlPlane"): (*_SPEC, "kubeadmConfigSpec"),
    (CONTROL_PLANE, "KubeadmControlPlaneTemplate"): (*_TEMPLATE_SPEC, "kubeadmConfigSpec"),
}


def config_place(data: Object) -> tuple[str, ...] | None:
    """Return the path of the KubeadmConfigSpec in an object; None for kinds that have none."""
    return _CONFIG_PLACES.get((group_of(str(data.get("apiVersion", ""))), str(data.get("kind", ""))))


def served_structs(data: Object, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the paths of the absent maps above `path` that a server fills in, outermost first.

    Go writes the structs of v1beta1 even if they are empty, so the controller's patches find them.
    """
    place = config_place(data)
    if place is None or version_of(str(data.get("apiVersion", ""))) != V1BETA1:
        return []
    structs = [
        *((place,) if place[-1] == "kubeadmConfigSpec" else ()),
        *((*place, *one) for one in kubeadm.STRUCTS),
    ]
    found: list[tuple[str, ...]] = []
    for struct in structs:
        above = struct[:-1] in found or isinstance(find(data, struct[:-1]), dict)
        if path[: len(struct)] == struct and above and find(data, struct) is None:
            found.append(struct)
    return found


def is_unknown_conversion(given: str, wanted: str, kind: str) -> bool:
    """Return whether no conversion of the kind between the two apiVersions is known."""
    return given != wanted and _conversion(given, wanted, kind) is None


def _conversion(given: str, wanted: str, kind: str) -> tuple[tuple[str, ...], Change] | None:
    table = {(V1BETA1, V1BETA2): _UP, (V1BETA2, V1BETA1): _DOWN}.get(
        (version_of(given), version_of(wanted)), {}
    )
    return table.get((group_of(given), kind)) if group_of(given) == group_of(wanted) else None


def in_version(data: Object, api_version: str) -> Object | None:
    """Convert an object to an apiVersion; None if no conversion is known.

    in_version({"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta2", "kind": "KubeadmConfigTemplate", ...},
        "bootstrap.cluster.x-k8s.io/v1beta1")

    Raises TopologyError for an object that does not have the form of its kind.
    """
    given = str(data.get("apiVersion", ""))
    if given == api_version:
        return data
    known = _conversion(given, api_version, str(data.get("kind", "")))
    if known is None:
        return None
    versions = version_of(given), version_of(api_version)
    path, change = known
    result = drop({**data, "apiVersion": api_version}, ("metadata", "annotations", CONVERSION_DATA))
    spec = find(result, path)
    if not isinstance(spec, dict):
        return result
    try:
        return put(result, path, change(spec))
    except ValueError as error:
        raise TopologyError(
            f"{label(data)} cannot be converted from {versions[0]} to {versions[1]}: {'.'.join(path)}{error}"
        ) from None


def same_version(current: Object, *others: Object) -> tuple[Object, ...]:
    """Convert objects of one kind to the newest version that all of them can reach.

    If a conversion is not known, the objects come back unchanged. Raises TopologyError.
    """
    versions = {str(one.get("apiVersion", "")) for one in (current, *others) if one}
    if len(versions) < 2:
        return (current, *others)
    wanted = f"{group_of(next(iter(versions)))}/{V1BETA2}"
    found = [in_version(one, wanted) if one else one for one in (current, *others)]
    converted = tuple(one for one in found if one is not None)
    return converted if len(converted) == len(found) else (current, *others)


def label(data: Object) -> str:
    """Return `KubeadmConfigTemplate team/workers`, for messages; without a namespace, the name alone."""
    parts = (find(data, ("metadata", "namespace")), find(data, ("metadata", "name")))
    return f"{data.get('kind', '')} {'/'.join(str(part) for part in parts if part)}"


def how_to_export(api_version: str, kind: str, namespace: str, name: str = "") -> str:
    """Return the `kubectl get KubeadmConfigTemplate.v1beta1.GROUP ...` that exports the kind."""
    parts = [type_at(api_version, kind), *([name] if name else [])]
    return f"kubectl get {' '.join(parts)} -n {namespace} -o yaml"


def type_at(api_version: str, kind: str) -> str:
    """Return a kind with version and group in kubectl's form: `KubeadmConfigTemplate.v1beta1.GROUP`."""
    return ".".join((kind, version_of(api_version), group_of(api_version)))
