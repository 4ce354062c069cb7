"""What the template executors of one installation share: its blueprint, its component, and the state that they keep."""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.landscaper.blueprint import Blueprint, Executor
from krmkit.landscaper.components import V2, Component, ComponentRepository

IMPORT, SUBINSTALLATIONS, DEPLOY, EXPORT = "import", "subinst", "deploy", "export"


@dataclass(slots=True)
class TemplateContext:
    """What executors see. `state` is by key: `deploy<name>` and `export<name>`."""

    blueprint: Blueprint
    component: Component | None
    components: list[Component]
    repository: ComponentRepository
    state: dict[str, object] = field(default_factory=dict)

    @property
    def schema_version(self) -> str:
        """The schema version in which templates see descriptors."""
        if self.blueprint.schema_version:
            return self.blueprint.schema_version
        return self.component.schema_version if self.component else V2

    def state_key(self, phase: str, executor: Executor) -> str:
        """Where an executor's state is kept; deploy and subinstallation executors share a prefix, import ones keep none."""
        prefix = {DEPLOY: "deploy", SUBINSTALLATIONS: "deploy", EXPORT: "export"}.get(phase, "")
        return f"{prefix}{executor.name}" if prefix else ""
