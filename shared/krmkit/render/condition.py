"""Evaluate the condition of a pipeline's step: CEL over the resources that the function would get.

`when: resources.exists(r, r.kind == "Service")`. Each resource has apiVersion, kind, metadata.name and
metadata.namespace; absent ones are "". Source: `when` of kpt pull request 4469, with the libraries of
Kubernetes' CEL.
"""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.cel.expressions import CelError
from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment, KubeProgram
from krmkit.libraries.messages.extras import MissingDependencyError
from krmkit.libraries.schema.fields import mapping

_VARIABLES = {"resources": "list(dyn)"}


def holds(text: str, items: Sequence[Resource]) -> bool:
    """Return whether a condition is true for the resources. Raises Refused."""
    try:
        environment = KubeEnvironment()
        value = _compiled(environment, text).evaluate(
            environment.bind({"resources": [_seen(item) for item in items]})
        )
    except (CelError, MissingDependencyError) as error:
        raise Refused(str(error)) from None
    if not isinstance(value, bool):
        raise Refused(f"must be true or false, got {value!r}")
    return value


def _compiled(environment: KubeEnvironment, text: str) -> KubeProgram:
    scope = environment.scope(_VARIABLES)
    try:
        return environment.compile(text, scope, "BOOL")
    except CelError as error:
        if not str(error).startswith("must evaluate to"):
            raise
    try:
        return environment.compile(text, scope, "DYN")  # a field of a resource, known when it runs
    except CelError:
        raise Refused("must be true or false, got an expression of another type") from None


def _seen(item: Resource) -> dict[str, object]:
    metadata = {"name": "", "namespace": "", **mapping(item.get("metadata"))}
    return {"apiVersion": "", "kind": "", **mapping(item.get()), "metadata": metadata}
