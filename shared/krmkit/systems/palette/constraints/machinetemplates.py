"""The resources of a node by its machine template: the providers' fields.

Paths are below `spec.template.spec` (below `spec` without a template). For providers whose templates have no
such fields (Docker, Metal3), the name of the template or its kind is a key of instanceTypes.
"""

from __future__ import annotations

from collections.abc import Mapping

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube.quantity import MEBIBYTE, NANO, parse
from krmkit.systems.palette.errors import PackError

Fields = Mapping[str, str]

_CLONED_FROM = "cluster.x-k8s.io/cloned-from-name"
_CPU = ("cores", "sockets", "threads")
_KUBEVIRT_KIND = "KubevirtMachineTemplate"
_KUBEVIRT = "virtualMachineTemplate.spec.template.spec.domain"

# By kind: the first path of a field that leads to something counts. From the API types of each provider.
_TYPE = ("instanceType", "vmSize", "machineType", "instanceSize", "flavor", "type")
_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "": {"instanceType": _TYPE},
    "AWSMachineTemplate": {"instanceType": ("instanceType",), "diskGiB": ("rootVolume.size",)},
    "AWSMachinePool": {"instanceType": ("awsLaunchTemplate.instanceType",)},
    "AzureMachinePool": {"instanceType": ("template.vmSize",)},
    "AzureManagedMachinePool": {"instanceType": ("sku",)},
    "AzureMachineTemplate": {"instanceType": ("vmSize",), "diskGiB": ("osDisk.diskSizeGB",)},
    "GCPMachineTemplate": {"instanceType": ("instanceType",), "diskGB": ("rootDeviceSize",)},
    "OpenStackMachineTemplate": {"instanceType": ("flavor",), "diskGiB": ("rootVolume.sizeGiB",)},
    "VSphereMachineTemplate": {"cpu": ("numCPUs",), "memoryMiB": ("memoryMiB",), "diskGiB": ("diskGiB",)},
    _KUBEVIRT_KIND: {
        "cpu": (*(f"{_KUBEVIRT}.cpu.{part}" for part in _CPU), f"{_KUBEVIRT}.resources.requests.cpu"),
        "memoryMiB": (f"{_KUBEVIRT}.memory.guest", f"{_KUBEVIRT}.resources.requests.memory"),
    },
}


def node_of(
    kind: str, machine: dict[str, object], types: Mapping[str, object], mapping: Mapping[str, Fields]
) -> dict[str, object]:
    """Return the fields that a machine template gives: cpu, memoryMiB, diskGB or diskGiB, instanceType.

    types: instanceTypes of the config, whose keys may also be names of templates and kinds. mapping:
    machineTemplates of the config, paths by kind and field, which take the place of those known here. Raises
    PackError.
    """
    spec = _at(machine, "spec.template.spec") or machine.get("spec")
    paths: dict[str, tuple[str, ...]] = dict(_FIELDS.get(kind, _FIELDS[""]))
    paths.update({field: (path,) for field, path in mapping.get(kind, {}).items()})
    entry: dict[str, object] = {}
    for field, candidates in paths.items():
        for path in candidates:
            value = _at(spec, path)
            if value not in (None, "", 0):
                entry[field] = value if field == "instanceType" else _number(value, field, kind, path)
                break
    if kind == _KUBEVIRT_KIND and isinstance(entry.get("cpu"), int) and "cpu" not in mapping.get(kind, {}):
        entry["cpu"] = _virtual_cpus(_at(spec, f"{_KUBEVIRT}.cpu"), entry["cpu"])
    if not isinstance(entry.get("instanceType"), str):
        entry.pop("instanceType", None)
        metadata = machine.get("metadata")
        names = [_at(metadata, "name"), kind]
        annotations = _at(metadata, "annotations")
        if isinstance(annotations, dict):
            names.insert(0, annotations.get(_CLONED_FROM))
        key = next((name for name in names if isinstance(name, str) and name in types), None)
        if key is not None:
            entry["instanceType"] = key
    return entry


def _virtual_cpus(cpu: object, given: object) -> object:
    """KubeVirt's virtual CPUs: cores times sockets times threads; each is 1 if it is not set."""
    counts = [_at(cpu, name) for name in _CPU]
    if not any(counts):
        return given
    product = 1
    for count in counts:
        product *= count if isinstance(count, int) and count > 0 else 1
    return product


def advice(kind: str, machine: dict[str, object]) -> str:
    """Advice for the config about a template without a machine's resources."""
    annotations = _at(machine, "metadata.annotations")
    cloned = annotations.get(_CLONED_FROM) if isinstance(annotations, dict) else None
    name = cloned or _at(machine, "metadata.name")
    keys = f"instanceTypes.{name} or instanceTypes.{kind}" if name else f"instanceTypes.{kind}"
    return f"set {keys}, or in machineTemplates.{kind} the path of the field that has it"


def _number(value: object, field: str, kind: str, path: str) -> object:
    """Return a number as it is, or a Kubernetes quantity such as `4Gi` in cores or MiB."""
    if not isinstance(value, str):
        return value
    try:
        nano = parse(value)
    except GoInputError as error:
        raise PackError(f"{path} of a {kind}: {error}", field="poolsOfCluster") from None
    unit = {"cpu": NANO, "memoryMiB": MEBIBYTE, "diskGiB": MEBIBYTE * 1024}.get(field, NANO * 10**9)
    whole, rest = divmod(nano, unit)
    return whole if not rest else nano / unit


def _at(data: object, path: str) -> object:
    for name in path.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data
