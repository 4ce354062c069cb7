"""set-enforcement-action: set the action of Gatekeeper's constraints on violations: deny, warn or dryrun."""

from __future__ import annotations

from krmkit.krm.finding import WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.common.findings import reporting, wrong_config
from krmkit.systems.everyday.setters.apply import setter_values

_API_VERSION = "constraints.gatekeeper.sh/v1beta1"
_KEY = "enforcementAction"
_ACTIONS = ("deny", "warn", "dryrun")
_PREFIX = "failed to process policies: "


@reporting
def set_enforcement_action(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the action of every constraint, as in data `{enforcementAction: dryrun}`."""
    data = setter_values(config)
    if len(data) != 1:
        message = f"expecting exactly 1 {_KEY} as part of the ConfigMap"
        raise wrong_config(_PREFIX + message, config, "data")
    action = data.get(_KEY, "")
    if action not in _ACTIONS:
        message = f"expected values for {_KEY} are [deny] or [warn] or [dryrun]"
        raise wrong_config(_PREFIX + message, config, f"data.{_KEY}")
    policies = [
        item
        for item in resources.containing(_API_VERSION)
        if item.api_version == _API_VERSION and item.kind and item.name
    ]
    if not policies:
        return [Finding("policies", f"Found no policy to set to [{action}]", severity=WARNING)]
    for item in policies:
        item.set(("spec", _KEY), action)
    named = [Finding("policies", f"Policy name: [{item.name}]", item) for item in policies]
    return [Finding("policies", f"Number of policies set to [{action}]: {len(policies)}"), *named]
