"""set-labels: set labels of resources and of their pod templates, and the selectors that use them.

A selector of a Service, ReplicationController, Deployment, ReplicaSet, DaemonSet or StatefulSet gets every
label; others change only where they have the key already. As in the original, the group of core kinds,
Deployment, ReplicaSet and DaemonSet does not count: a Service of serving.knative.dev/v1 gets a selector too.
Pod affinity terms have the paths of Kubernetes' PodSpec, and get warnings only; the original looks for them
at paths that do not exist.
"""

from __future__ import annotations

from krmkit.krm.apart import apart
from krmkit.krm.cause import CauseLog, config_cause
from krmkit.krm.fieldpath import Path
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import dotted
from krmkit.systems.everyday.common.findings import reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import (
    GROUP,
    group_of,
    is_config_map,
    is_nothing,
    texts_at,
    version_of,
)
from krmkit.systems.everyday.fields.maps import WrongTypeError, places, put
from krmkit.systems.everyday.fields.tables import LIST, FieldSpec, FieldTable
from krmkit.systems.everyday.localconfig import is_local

_TEMPLATE = "spec.template"
_CRON_TEMPLATE = "spec.jobTemplate.spec.template"
_WORKLOADS = ("Deployment", "ReplicaSet", "DaemonSet")  # of any group
_TERMS = (
    "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector.matchLabels",
    "podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector.matchLabels",
    "podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector.matchLabels",
    "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector.matchLabels",
)


def _template(
    root: str, kinds: tuple[str, ...], group: str | None, version: str | None = None
) -> list[FieldSpec]:
    """Return the label fields of a pod template, and its selectors that use these labels."""
    return [
        FieldSpec(f"{root}.metadata.labels", kinds, group, version, create=True, inside=root),
        FieldSpec(
            f"{root}.spec.topologySpreadConstraints[].labelSelector.matchLabels", kinds, group, version
        ),
        *(FieldSpec(f"{root}.spec.affinity.{term}", kinds, group, version) for term in _TERMS),
    ]


LABELS = FieldTable(
    (
        FieldSpec("metadata.labels", create=True),
        FieldSpec("spec.selector", ("Service", "ReplicationController"), version="v1", create=True),
        *_template(_TEMPLATE, ("ReplicationController",), None, "v1"),
        FieldSpec("spec.selector.matchLabels", _WORKLOADS, create=True),
        *_template(_TEMPLATE, _WORKLOADS, None),
        FieldSpec("spec.selector.matchLabels", ("StatefulSet",), "apps", create=True),
        *_template(_TEMPLATE, ("StatefulSet",), "apps"),
        FieldSpec("spec.volumeClaimTemplates[].metadata.labels", ("StatefulSet",), "apps", create=True),
        FieldSpec("spec.volumeClaimTemplates[].selector.matchLabels", ("StatefulSet",), "apps"),
        FieldSpec("spec.selector.matchLabels", ("Job",), "batch"),
        *_template(_TEMPLATE, ("Job",), "batch"),
        FieldSpec(
            "spec.jobTemplate.metadata.labels", ("CronJob",), "batch", create=True, inside="spec.jobTemplate"
        ),
        FieldSpec("spec.jobTemplate.spec.selector.matchLabels", ("CronJob",), "batch"),
        *_template(_CRON_TEMPLATE, ("CronJob",), "batch"),
        FieldSpec("spec.selector.matchLabels", ("PodDisruptionBudget",), "policy"),
        FieldSpec("spec.podSelector.matchLabels", ("NetworkPolicy",), "networking.k8s.io"),
        FieldSpec("spec.ingress[].from[].podSelector.matchLabels", ("NetworkPolicy",), "networking.k8s.io"),
        FieldSpec("spec.egress[].to[].podSelector.matchLabels", ("NetworkPolicy",), "networking.k8s.io"),
    )
)


_UNREAD = "additionalLabelFields"


@reporting
def set_labels(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the labels of the config.

    Example: data `{team: blue}` sets `metadata.labels.team` of every resource and of each Deployment's pods.
    """
    labels, results = _decoded(config)
    if not labels:
        return [*results, Finding("no-labels", "no `labels` arguments are given in FunctionConfig", config)]
    items = [item for item in resources if not is_local(item)]
    if not items:
        return [*results, Finding("labels", "no input resources")]

    def one(item: Resource) -> tuple[int, list[Finding]]:
        return _label(item, labels, config, resources.causes)

    said = apart(resources, items, one)
    count = sum(number for number, _ in said)
    results += [finding for _, found in said for finding in found]
    return [*results, Finding("labels", f"set {count} labels in total")]


def _label(
    item: Resource, labels: dict[str, str], config: Resource | None, causes: CauseLog | None
) -> tuple[int, list[Finding]]:
    """Set the labels of a resource. Return the number of changes and the findings."""
    count = 0
    results: list[Finding] = []
    if item.kind == "Service" and version_of(item.api_version) == "v1" and not item.has("spec", "selector"):
        message = "gets a selector, though it had none: its Endpoints may be written by hand"
        results.append(Finding("new-selector", message, item, "spec.selector"))
    for spec in LABELS.possible(item):
        is_term = ".affinity." in spec.path
        try:
            for path in places(item, spec):
                if is_term:
                    results += _stale_terms(item, path, labels)
                    continue
                put(item, path, labels, spec.create)
                if causes is not None and config is not None:
                    _explain(item, path, labels, config, causes)
                count += len(labels)
        except WrongTypeError as wrong:
            if is_term:
                continue  # the original does not look there, and so finds no mistakes
            results.append(_wrong_type(item, wrong))
            break
    return count, results


def _stale_terms(item: Resource, path: Path, labels: dict[str, str]) -> list[Finding]:
    """Warn of a pod affinity term that selects by an old label value.

    The original looks for such terms at wrong paths, and leaves them.
    """
    found = []
    for key, text in labels.items():
        value = item.get(*path, key) if item.obstacle((*path, key), False) is None else None
        if value is not None and value != text:
            message = f"stays as it is, as with kpt's set-labels, and selects other pods than those with {key}: {text}"
            found.append(Finding("stale-term", message, item, dotted((*path, key))))
    return found


def _explain(item: Resource, path: Path, labels: dict[str, str], config: Resource, causes: CauseLog) -> None:
    """Record the config's entries as the causes of a map's labels."""
    root = "data" if is_config_map(config) else "labels"
    for key in labels:
        if item.node(*path, key) is not None:
            causes.set(item, (*path, key), config_cause(config, root, key))


def _decoded(config: Resource | None) -> tuple[dict[str, str], list[Finding]]:
    """Return the labels, sorted by key, and findings about the config. Raises Refused."""
    if config is None or is_nothing(config):
        raise wrong_config("`FunctionConfig` is not given")
    results: list[Finding] = []
    if is_config_map(config):
        labels = texts_at(config, "data")
    elif config.kind == "SetLabels" and group_of(config.api_version) == GROUP:
        labels = texts_at(config, "labels")
        if config.node(_UNREAD) is not None:
            message = "is not read any more, as in kpt's function; it has no effect"
            results.append(Finding("unread-field", message, config, _UNREAD))
    else:
        group = group_of(config.api_version)
        raise wrong_config(
            f"unknown FunctionConfig `{config.kind}{'.' + group if group else ''}`,"
            " expect `SetLabels.fn.kpt.dev` or `ConfigMap.v1`",
            config,
        )
    return dict(sorted(labels.items())), results


def _wrong_type(item: Resource, wrong: WrongTypeError) -> Finding:
    """Return the finding for a field that cannot have labels, with the original's message."""
    steps = wrong.wanted
    wanted = dotted(steps[: steps.index(LIST)] if LIST in steps else steps)
    message = (
        f'Resource(apiVersion=, kind={item.kind}) has unmatched field type "string" in fieldpath .{wanted}'
    )
    return Finding("wrong-type", message, item, dotted(wrong.path))
