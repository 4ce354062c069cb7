"""The repairs that a Cluster needs to fit a changed ClusterClass, in words."""

from __future__ import annotations

from krmkit.clusterapi.compatibility import WORKER_KINDS, spec_of, workers_of
from krmkit.lang.fielderror import NOT_SUPPORTED, REQUIRED
from krmkit.lang.listed import listed
from krmkit.lang.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.lang.fielderror import FieldError

    Data = dict[str, Any]

_VARIABLES = ".variables"


def need(error: FieldError, cluster_class: Data) -> str:
    """Return the repair for an error of a Cluster, "" if the error itself names it.

    >>> from krmkit.lang.fielderror import required
    >>> need(required("spec.topology.variables", 'required variable "region" must be set'), {})
    'a value for the variable "region" in spec.topology.variables'
    """
    spec = spec_of(cluster_class)
    if error.field == "spec.topology.version":
        return f"one of the versions {_listed(spec.get('kubernetesVersions') or [])}"
    if error.field.endswith(".class"):
        for kind, what in WORKER_KINDS.items():
            if error.field.startswith(f"spec.topology.workers.{kind}["):
                names = [worker.get("class", "") for worker in workers_of(spec, kind)]
                return f"one of the {what} classes {_listed(names)}"
    if _VARIABLES not in error.field:
        return ""
    if error.type == REQUIRED and error.detail.startswith("required variable "):
        return f"a value for the variable {error.detail.split(' ')[2]} in {error.field}"
    if error.detail == "variable is not defined":
        name = error.field.rpartition("[")[2].removesuffix("]")
        names = [variable.get("name", "") for variable in spec.get("variables") or ()]
        near = nearest(name, names)
        return f"no such variable in the Cluster{f', or the new name {near}' if near else ''}"
    return "" if error.type == NOT_SUPPORTED else f"another value at {error.field}"


def _listed(names: list[str]) -> str:
    return listed(names) or "(none)"
