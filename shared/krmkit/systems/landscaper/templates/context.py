"""The shared context of an installation's template executors: its blueprint, its component, and their state."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.systems.landscaper.blueprint.blueprints import Blueprint, Executor
from krmkit.systems.landscaper.components.descriptors import V2, Component, ComponentRepository

IMPORT, SUBINSTALLATIONS, DEPLOY, EXPORT = "import", "subinst", "deploy", "export"


@dataclass(slots=True)
class TemplateContext:
    """The context of executors. `state` is by key: `deploy<name>` and `export<name>`."""

    blueprint: Blueprint
    component: Component | None
    components: list[Component]
    repository: ComponentRepository
    state: dict[str, object] = field(default_factory=dict)

    @property
    def schema_version(self) -> str:
        """Return the schema version of descriptors in templates."""
        if self.blueprint.schema_version:
            return self.blueprint.schema_version
        return self.component.schema_version if self.component else V2

    def state_key(self, phase: str, executor: Executor) -> str:
        """Return the key of an executor's state; deploy and subinstallation executors share a prefix, import executors have no state."""
        prefix = {DEPLOY: "deploy", SUBINSTALLATIONS: "deploy", EXPORT: "export"}.get(phase, "")
        return f"{prefix}{executor.name}" if prefix else ""
