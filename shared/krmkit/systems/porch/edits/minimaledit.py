"""Edit only values that differ; order new fields as kyaml does. Comments, order and quotes of the rest stay.

Source of the order: sigs.k8s.io/kustomize/kyaml/yaml/order.go.
"""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.copies import detached
from krmkit.libraries.yaml.data import go_value, lookup, same_data, wide_data
from krmkit.libraries.yaml.tree import Alias, Map, Node, Scalar, Seq, deref

_PAIRING = ("internal.config.kubernetes.io/id", "config.k8s.io/id")


def own(resource: Resource, *path: str) -> Node | None:
    """Return the node at a path for editing; an alias or merge key on the way becomes a copy.

    If the node, or a parent, has an anchor, its aliases become copies, so that their values stay.
    """
    node: Node = resource.root
    for depth, name in enumerate(path):
        if not isinstance(node, Map):
            return None
        entry = node.entry(name)
        if entry is None:
            merged = lookup(node, name)
            if merged is None:
                return None
            resource.set(path[: depth + 1], detached(merged))
        elif isinstance(entry.value, Alias):
            resource.set(path[: depth + 1], detached(entry.value))
        following = node.get(name)
        assert following is not None
        node = following
        if node.anchor is not None and isinstance(node, (Map, Seq)):
            _untie(resource.root, node)
    return node


def _untie(container: Node, target: Node) -> None:
    """Replace all aliases of `target` at and below `container` by copies."""
    if isinstance(container, Map):
        for entry in container.entries:
            if isinstance(entry.value, Alias) and entry.value.target is target:
                container.replace(entry, detached(entry.value))
            else:
                _untie(entry.value, target)
    elif isinstance(container, Seq):
        for position, item in enumerate(container.items):
            if isinstance(item, Alias) and item.target is target:
                container.replace(position, detached(item))
            else:
                _untie(item, target)


def overwrite(resource: Resource, path: tuple[str, ...], value: object) -> None:
    """Set the data at `path` to `value`, mappings key by key, so that equal lines stay."""
    node = own(resource, *path)
    if node is not None and same_data(wide_data(node, resource.limits), value):
        return
    if not (isinstance(value, dict) and value and isinstance(node, Map) and node.entries) or _merges(node):
        if isinstance(node, Seq):
            keep_comments_here(resource)
        resource.set(path, value)
        return
    for entry in list(node.entries):
        if entry.name is not None and entry.name not in value:
            resource.remove((*path, entry.name))
    for name, item in value.items():
        overwrite(resource, (*path, name), item)


def _merges(node: Map) -> bool:
    return any(entry.name in (None, "<<") for entry in node.entries)


def arrange(resource: Resource, items: Seq, wanted: list[int | object]) -> bool:
    """Set a list to `wanted`: positions of its old items, and new items. Return whether it changed."""
    if wanted[: len(items.items)] != list(range(len(items.items))):
        keep_comments_here(resource)
    order = [entry for entry in wanted if isinstance(entry, int)]
    if order == list(range(len(items.items))) and len(order) == len(wanted):
        return False
    items.reorder(order)
    for position, entry in enumerate(wanted):
        if not isinstance(entry, int):
            items.insert(position, entry)
    resource.changed = True
    return True


def keep_comments_here(resource: Resource) -> None:
    """Stop kpt from copying comments and field order onto list entries at other positions.

    kpt matches a function's output with its input by these annotations, and list entries by position: an
    entry inserted at the front would get the comments of the next one. Without the annotations our text
    stays.
    """
    for name in _PAIRING:
        resource.remove(("metadata", "annotations", name))


def settle(resource: Resource) -> None:
    """Write the recorded edits into the text, so that later moves take whole lines with their comments."""
    _ = resource.text


def value_of(node: object) -> object:
    """Return the value of a scalar as Go reads it; None for any other node."""
    return go_value(node) if isinstance(node, Scalar) else None


def strings_of(node: Map) -> dict[str, Scalar] | None:
    """Return the scalars of a map by key; None if a value is a map or a list."""
    strings: dict[str, Scalar] = {}
    for entry in node.entries:
        value = deref(entry.value)
        if entry.name is None or not isinstance(value, Scalar):
            return None
        strings[entry.name] = value
    return strings


_KNOWN = (
    "name generateName namespace clusterName apiVersion kind metadata type labels annotations spec status "
    "stringData data binaryData "
    "parallelism completions activeDeadlineSeconds backoffLimit replicas selector manualSelector template "
    "ttlSecondsAfterFinished volumeClaimTemplates service serviceName podManagementPolicy updateStrategy strategy minReadySeconds "
    "revision revisionHistoryLimit paused progressDeadlineSeconds "
    "restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy serviceAccountName serviceAccount "
    "automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace hostname subdomain schedulerName "
    "priorityClassName priority runtimeClassName enableServiceLinks nodeSelector hostAliases "
    "initContainers containers volumes securityContext imagePullSecrets affinity tolerations dnsConfig readinessGates "
    "image command args workingDir ports envFrom env resources volumeMounts volumeDevices livenessProbe readinessProbe lifecycle "
    "terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty "
    "clusterIP externalIPs loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy sessionAffinity "
    "protocol port targetPort hostPort containerPort hostIP readOnly mountPath subPath subPathExpr mountPropagation "
    "value valueFrom fieldRef resourceFieldRef configMapKeyRef secretKeyRef prefix configMapRef secretRef"
)
# The last occurrence of a name counts.
_RANK = {name: rank for rank, name in enumerate(_KNOWN.split())}


def ordered(value: object) -> object:
    """Return a copy with the keys of all mappings in kyaml's order."""
    if isinstance(value, dict):
        last = len(_RANK) + 1000
        return {
            key: ordered(value[key]) for key in sorted(value, key=lambda key: (_RANK.get(key, last), key))
        }
    if isinstance(value, list):
        return [ordered(item) for item in value]
    return value
