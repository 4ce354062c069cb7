"""Executions and the status of installations, which the controllers write beside the objects themselves."""

from __future__ import annotations

from krmkit.krm.resource import Resource
from krmkit.landscaper.apinames import API_VERSION
from krmkit.landscaper.components import Data
from krmkit.landscaper.rendered import RenderedInstallation


def execution_object(rendered: RenderedInstallation) -> Data:
    """Return the Execution of an installation: its deploy items as templates."""
    items: list[Data] = []
    for item in rendered.deploy_items:
        template: Data = {"name": item.name, "type": item.type, **item.options}
        if item.target is not None:
            template["target"] = dict(item.target)
        if item.labels:
            template["labels"] = dict(item.labels)
        if item.config is not None:
            template["config"] = item.config
        if item.depends_on:
            template["dependsOn"] = list(item.depends_on)
        items.append(template)
    known = rendered.prerequisites
    context = known.context_name if known is not None else "default"
    return {
        "apiVersion": API_VERSION,
        "kind": "Execution",
        "metadata": {"name": rendered.name, "namespace": rendered.namespace},
        "spec": {"context": context, "deployItems": items},
    }


def write_status(item: Resource, rendered: RenderedInstallation) -> None:
    """Write an installation's phase, and the names of its nested installations and its execution, to its item."""
    status: Data = {"phase": rendered.phase}
    if rendered.children:
        status["installationRefs"] = [
            {"name": child.path.rpartition("/")[2], "ref": {"name": child.name, "namespace": child.namespace}}
            for child in rendered.children
        ]
    if rendered.deploy_items:
        status["executionRef"] = {"name": rendered.name, "namespace": rendered.namespace}
    for key, value in status.items():
        if item.get("status", key) != value:
            item.set(("status", key), value)
