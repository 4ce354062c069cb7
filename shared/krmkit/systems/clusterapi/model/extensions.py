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
    """Answers hooks. Messages are as on the wire, except that `patch` is JSON data, not base64."""

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        """Return the response of a hook such as GENERATE_PATCHES. Raises TopologyError without an answer.

        handler: the name in a class, `<handler>.<extensionConfig>`. owner: namespace/name of the class or
        Cluster that the call is for, by default the Cluster of the request's first item.
        """


class NoExtensions:
    """A set of no extensions: every call raises an error that names the missing one."""

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        raise unanswered(hook, handler)


def unanswered(hook: str, handler: str, why: str = "") -> TopologyError:
    """Return the error for a hook that no extension answers."""
    reason = why or "no TopologyExtension or TopologyResponses among the items answers for this extension"
    return TopologyError(f"no answer to {hook} of extension {quote(handler)}: {reason}")


def checked(handler: str, response: Object) -> Object:
    """Return a successful response. Raises TopologyError in the reference's words for any other status."""
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
