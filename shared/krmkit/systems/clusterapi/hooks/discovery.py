"""Check and default the answer to Discovery, as defaultAndValidateDiscoveryResponse does.

Source: internal/runtime/client.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.kube.names import is_dns1123_label
from krmkit.systems.clusterapi.model.extensions import (
    DISCOVER_VARIABLES,
    GENERATE_PATCHES,
    GENERATE_UPGRADE_PLAN,
    HOOKS_VERSION,
    VALIDATE_TOPOLOGY,
)

DEFAULT_TIMEOUT = 10
LONGEST_TIMEOUT = 30
FAIL = "Fail"
IGNORE = "Ignore"
_LIFECYCLE = (
    *("BeforeClusterCreate", "AfterControlPlaneInitialized", "BeforeClusterUpgrade", "BeforeClusterDelete"),
    *("BeforeControlPlaneUpgrade", "AfterControlPlaneUpgrade", "BeforeWorkersUpgrade", "AfterWorkersUpgrade"),
    *("AfterClusterUpgrade", "CanUpdateMachine", "CanUpdateMachineSet", "UpdateMachine"),
)
TOPOLOGY_HOOKS = (GENERATE_PATCHES, VALIDATE_TOPOLOGY, DISCOVER_VARIABLES, GENERATE_UPGRADE_PLAN)
KNOWN_HOOKS = frozenset(f"{HOOKS_VERSION}/{hook}" for hook in (*TOPOLOGY_HOOKS, *_LIFECYCLE))


def validate_discovery(response: Object, known: Collection[str] = KNOWN_HOOKS) -> list[str]:
    """Return every problem of a DiscoveryResponse. `known`: all hooks, as `group/version/Hook`.

    >>> validate_discovery({"handlers": [{"name": "a", "requestHook": {"apiVersion": "a/b/c", "hook": "X"}}]})
    ['handler a requestHook APIVersion a/b/c is not valid: unexpected GroupVersion string: a/b/c']
    """
    found: list[str] = []
    names: set[str] = set()
    handlers = response.get("handlers") or []
    if not isinstance(handlers, list):
        return ["handlers must be a list"]
    for handler in handlers:
        if not isinstance(handler, dict):
            found.append(f"handler must be a map, got {type(handler).__name__}")
            continue
        name = str(handler.get("name") or "")
        if name in names:
            found.append(f"duplicate name for handler {name} found")
        names.add(name)
        problems = is_dns1123_label(name)
        if problems:
            found.append(f"handler name {name} is not valid: [{' '.join(problems)}]")
        timeout = handler_timeout(handler)
        if not (isinstance(timeout, int) and 0 <= timeout <= LONGEST_TIMEOUT):
            found.append(f"handler {name} timeoutSeconds {timeout} must be between 0 and {LONGEST_TIMEOUT}")
        policy = failure_policy(handler)
        if policy not in (FAIL, IGNORE):
            found.append(f'handler {name} failurePolicy {policy} must equal "{IGNORE}" or "{FAIL}"')
        hook = handler.get("requestHook") or {}
        if isinstance(hook, dict):
            found += _hook_problems(name, hook, known)
        else:
            found.append(f"handler {name} requestHook must be a map, got {type(hook).__name__}")
    return found


def _hook_problems(name: str, hook: Object, known: Collection[str]) -> list[str]:
    version = str(hook.get("apiVersion") or "")
    if version.count("/") > 1:
        return [
            f"handler {name} requestHook APIVersion {version} is not valid: unexpected GroupVersion string: {version}"
        ]
    reference = f"{version}/{hook.get('hook') or ''}"
    return (
        []
        if reference in known
        else [f"handler {name} requestHook {reference} is not in the Runtime SDK catalog"]
    )


def handler_timeout(handler: Object) -> Any:
    """Return the seconds that a call may take; 0 and absent become the default."""
    return handler.get("timeoutSeconds") or DEFAULT_TIMEOUT


def failure_policy(handler: Object) -> str:
    """Return Fail, or Ignore for a handler whose failed calls count as empty successes."""
    return str(handler.get("failurePolicy") or FAIL)
