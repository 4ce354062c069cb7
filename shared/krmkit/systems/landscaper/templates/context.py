"""Hold the shared context of an installation's template executors: blueprint, component, state."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.krm.resource import Resource
from krmkit.libraries.kube.timestamps import unix_seconds
from krmkit.systems.landscaper.blueprint.blueprints import Blueprint, Executor
from krmkit.systems.landscaper.components.descriptors import V2, Component, ComponentRepository
from krmkit.systems.landscaper.errors import InstallationError

IMPORT, SUBINSTALLATIONS, DEPLOY, EXPORT = "import", "subinst", "deploy", "export"
NOW_FIELD = "spec.now"
"""Where a config has the time."""


def moment(now: object, config: Resource | None = None) -> float | None:
    """Return a config's time in seconds since 1970; None for "". Raises InstallationError (bad-time)."""
    if not now:
        return None
    found = unix_seconds(str(now))
    if found is None:
        message = f"must be a time as 2026-05-01T08:00:00Z, got {now}"
        error = InstallationError("bad-time", message, NOW_FIELD)
        error.finding.at(config)
        raise error
    return found


@dataclass(slots=True)
class TemplateContext:
    """The context of executors. `state` has the keys `deploy<name>` and `export<name>`; `now` is a time."""

    blueprint: Blueprint
    component: Component | None
    components: list[Component]
    repository: ComponentRepository
    state: dict[str, object] = field(default_factory=dict)
    now: float | None = None

    @property
    def schema_version(self) -> str:
        """Return the schema version of the descriptors that templates see."""
        if self.blueprint.schema_version:
            return self.blueprint.schema_version
        return self.component.schema_version if self.component else V2

    def state_key(self, phase: str, executor: Executor) -> str:
        """Return the key of an executor's state; "" for import executors, which have no state."""
        prefix = {DEPLOY: "deploy", SUBINSTALLATIONS: "deploy", EXPORT: "export"}.get(phase, "")
        return f"{prefix}{executor.name}" if prefix else ""
