"""Write the status of Installations, and Executions, as Landscaper's controllers do."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.apinames import API_VERSION, HASH_ANNOTATION, object_name
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.flow.outcome import WAITING, RenderedInstallation
from krmkit.systems.landscaper.items.hashes import raw_hash
from krmkit.systems.landscaper.items.identity import name_of, parent_of, scope_of, template_of
from krmkit.systems.landscaper.items.installations import Items
from krmkit.systems.landscaper.items.objects import World


def execution_object(rendered: RenderedInstallation) -> Data:
    """Return the Execution of an installation, with its deploy items as templates."""
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


def phase_of(rendered: RenderedInstallation) -> str:
    """Return the phase in which the controllers leave an installation.

    Init: it waits for another installation's export. Progressing: it waits for its own deploy items or nested
    installations.
    """
    if rendered.phase != WAITING:
        return rendered.phase
    return "Progressing" if rendered.objects else "Init"


def status_findings(root: RenderedInstallation, items: Items) -> list[Finding]:
    """Return the --explain findings about a root Installation's status."""
    place = items.place("Installation", root.namespace, root.name)
    phase = phase_of(root)
    if place is None or place.get("status", "phase") == phase:
        return []
    message = f"{root.path}: the controller comes to the phase {phase}; writeStatus: true writes it here"
    return [Finding("status", message, place, "status.phase")]


@dataclass(frozen=True, slots=True)
class Statuses:
    """The status of Installations in a world. `hashed`: use a hash of imported data as their generation.

    A redacted status has no such hash: short secrets can be guessed from it.
    """

    world: World
    hashed: bool

    def write(self, item: Resource, rendered: RenderedInstallation) -> None:
        """Write an installation's status to its item. Fields that are no longer true go, others stay."""
        status = self.of(rendered)
        for key in ("phase", "imports", "installationRefs", "subInstCache", "executionRef"):
            old = item.get("status", key)
            if key in status:
                if old != status[key]:
                    item.set(("status", key), status[key])
            elif old is not None:
                item.remove(("status", key))

    def of(self, rendered: RenderedInstallation) -> Data:
        """Return phase, imports, nested installations and execution as a status has them.

        Landscaper's documentation has `imports` and `installationRefs`; its newer controllers keep the names
        of nested installations in `subInstCache`. So the status has both.
        """
        status: Data = {"phase": phase_of(rendered)}
        imports = self._imports(rendered)
        if imports:
            status["imports"] = imports
        named = {template_of(one.installation): one for one in rendered.children}
        if named:
            status["installationRefs"] = [
                {"name": name, "ref": {"name": one.name, "namespace": one.namespace}}
                for name, one in named.items()
            ]
            status["subInstCache"] = {
                "activeSubs": [{"specName": name, "objectName": one.name} for name, one in named.items()]
            }
        if rendered.deploy_items:
            status["executionRef"] = {"name": rendered.name, "namespace": rendered.namespace}
        return status

    def _imports(self, rendered: RenderedInstallation) -> list[Data]:
        """Return the state of each import that was found: data first, then targets, in the spec's order.

        The controllers that write this do not know targetMap, so such an import has no state.
        """
        wanted = mapping(rendered.spec.get("imports"))
        imports = rendered.imports
        named = [(text(entry.get("name")), entry) for entry in entries(wanted.get("data"))]
        given = imports.data
        states = [self._data(name, one, given[name], rendered) for name, one in named if name in given]
        for entry in entries(wanted.get("targets")):
            name = text(entry.get("name"))
            state: Data = {"name": name}
            if name in imports.targets:
                target = imports.targets[name]
                state.update(type="target", target=text(entry.get("target")))
                states.append({**state, **self._source(target, _generation(target), rendered)})
            elif name in imports.target_lists:
                elements = [
                    {"target": name_of(target), **self._source(target, _generation(target), rendered)}
                    for target in imports.target_lists[name]
                ]
                states.append({**state, "type": "targetList", "targetList": elements})
        return states

    def _data(self, name: str, entry: Data, value: object, rendered: RenderedInstallation) -> Data:
        state: Data = {"name": name, "type": "dataobject"}
        item: Data = {}
        reference = text(entry.get("dataRef"))
        if reference:
            state["dataRef"] = reference
            key = object_name(scope_of(rendered.installation), reference)
            item = self.world.get("DataObject", rendered.namespace, key) or {}
        for field in ("secretRef", "configMapRef"):
            source = entry.get(field)
            if isinstance(source, dict) and not reference:
                state[field] = f"{rendered.namespace}/{text(source.get('name'))}#{text(source.get('key'))}"
        known = text(mapping(mapping(item.get("metadata")).get("annotations")).get(HASH_ANNOTATION))
        generation = (known or raw_hash(value)) if self.hashed else ""
        return {**state, **self._source(item, generation, rendered)}

    def _source(self, item: Data, generation: str, rendered: RenderedInstallation) -> Data:
        """Return the installation that exports an object, unless it is the parent, and its generation.

        The generation of an export is the configGeneration of its installation, which only its status has.
        """
        owner = parent_of(item)
        found: Data = {}
        if owner and owner != parent_of(rendered.installation):
            found["sourceRef"] = {"name": owner, "namespace": rendered.namespace}
            exporter = self.world.get("Installation", rendered.namespace, owner) or {}
            generation = text(mapping(exporter.get("status")).get("configGeneration"))
        return {**found, "configGeneration": generation} if generation else found


def _generation(target: Data) -> str:
    """Return metadata.generation of a Target from a cluster; "" for a Target from a file."""
    generation = mapping(target.get("metadata")).get("generation")
    return str(int(generation)) if isinstance(generation, int | float) else ""
