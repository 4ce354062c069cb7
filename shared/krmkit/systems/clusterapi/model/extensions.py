"""Runtime extensions as the patch engine sees them: objects that answer the topology mutation hooks.

Source: api/runtime/hooks/v1alpha1 and exp/runtime/client of kubernetes-sigs/cluster-api.
"""

from __future__ import annotations

from typing import Protocol

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError

HOOKS_VERSION = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
GENERATE_PATCHES = "GeneratePatches"
VALIDATE_TOPOLOGY = "ValidateTopology"
DISCOVER_VARIABLES = "DiscoverVariables"
GENERATE_UPGRADE_PLAN = "GenerateUpgradePlan"
JSON_PATCH = "JSONPatch"
JSON_MERGE_PATCH = "JSONMergePatch"


class Extensions(Protocol):
    """Answers hooks. `handler` is the name in a class: `<handler>.<extensionConfig>`.

    Requests and responses have the shape of the wire, except that `patch` is JSON data, not base64.
    """

    def generate_patches(self, handler: str, request: Object) -> Object:
        """Return a GeneratePatchesResponse. Raises TopologyError if no extension answers."""

    def validate_topology(self, handler: str, request: Object) -> Object:
        """Return a ValidateTopologyResponse. Raises TopologyError if no extension answers."""

    def discover_variables(self, handler: str, request: Object, owner: str = "default/") -> Object:
        """Return a DiscoverVariablesResponse for the class `owner` (namespace/name). Raises TopologyError."""

    def generate_upgrade_plan(self, handler: str, request: Object) -> Object:
        """Return a GenerateUpgradePlanResponse. Raises TopologyError if no extension answers."""


class NoExtensions:
    """No extensions: every call raises an error that names the missing one."""

    def generate_patches(self, handler: str, request: Object) -> Object:
        """Raise TopologyError."""
        raise unanswered(GENERATE_PATCHES, handler)

    def validate_topology(self, handler: str, request: Object) -> Object:
        """Raise TopologyError."""
        raise unanswered(VALIDATE_TOPOLOGY, handler)

    def discover_variables(self, handler: str, request: Object, owner: str = "default/") -> Object:
        """Raise TopologyError."""
        raise unanswered(DISCOVER_VARIABLES, handler)

    def generate_upgrade_plan(self, handler: str, request: Object) -> Object:
        """Raise TopologyError."""
        raise unanswered(GENERATE_UPGRADE_PLAN, handler)


def unanswered(hook: str, handler: str, why: str = "") -> TopologyError:
    """Return the error for a hook that no extension answers."""
    reason = why or "no TopologyExtension or TopologyResponses among the items answers for this extension"
    return TopologyError(f"no answer to {hook} of extension {quote(handler)}: {reason}")


def checked(handler: str, response: Object) -> Object:
    """Return a response with status Success. Raises TopologyError in the reference's words for others."""
    status = response.get("status")
    if status == "Success":
        return response
    message = response.get("message", "")
    if status == "Failure":
        raise refused(handler, str(message))
    raise TopologyError(
        f"failed to call extension handler {quote(handler)}: got unknown response status {quote(str(status or ''))}"
    )


def refused(handler: str, message: str) -> TopologyError:
    """Return the error for an answer with status Failure, in the reference's words."""
    return TopologyError(
        f"failed to call extension handler {quote(handler)}: got failure response with message: {message}"
    )
