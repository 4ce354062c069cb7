"""The names that a Cluster probably meant, of those that its ClusterClass has."""

from __future__ import annotations

from krmkit.clusterapi.webhooks.compatibility import WORKER_KINDS, spec_of, workers_of
from krmkit.json import Object
from krmkit.kube.fielderror import FieldError
from krmkit.messages.nearest import proposal


def meant(error: FieldError, cluster_class: Object | None) -> str:
    """Return the nearest name for an error about one that the class does not have: `; did you mean "worker"?`, else ""."""
    if cluster_class is None:
        return ""
    spec = spec_of(cluster_class)
    if error.detail == "variable is not defined":
        name = error.field.rpartition("[")[2].removesuffix("]")
        return proposal(name, [variable.get("name", "") for variable in spec.get("variables") or ()])
    if error.field.endswith(".class") and "does not exist in ClusterClass" in error.detail:
        for kind in WORKER_KINDS:
            if error.field.startswith(f"spec.topology.workers.{kind}["):
                names = [worker.get("class", "") for worker in workers_of(spec, kind)]
                return proposal(str(error.value), names)
    return ""
