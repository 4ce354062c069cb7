"""Run template executors: each phase of a blueprint has a list of GoTemplate and Spiff executors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.gotemplate import FieldNames, OutputPart, unknown_fields
from krmkit.libraries.messages.nearest import proposal
from krmkit.libraries.schema.fields import entries, mapping, sequence, text
from krmkit.systems.landscaper.blueprint.blueprints import SPIFF, Executor
from krmkit.systems.landscaper.components.descriptors import V2, V3, Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.templates import context
from krmkit.systems.landscaper.templates.outputs import OUTPUTS, folded, misfit, unknown_fields_of
from krmkit.systems.landscaper.templates.spiff import run_spiff
from krmkit.systems.landscaper.yaml import load

if TYPE_CHECKING:
    from krmkit.systems.landscaper.templates.gotemplate import InstallationTemplates

_PHASES = {
    context.IMPORT: "importExecutions",
    context.SUBINSTALLATIONS: "subinstallationExecutions",
    context.DEPLOY: "deployExecutions",
    context.EXPORT: "exportExecutions",
}
_TITLES = {context.SUBINSTALLATIONS: "subinstallation", context.DEPLOY: "deploy", context.EXPORT: "export"}
_NO_VALUE = "<no value>"


class ItemSource(NamedTuple):
    """What made a deploy item: the executor, its number in the output, from 0, and its values."""

    executor: Executor
    number: int
    values: Data


@dataclass(slots=True)
class Templater(context.TemplateContext):
    """The executors of one installation."""

    renderer: InstallationTemplates | None = None
    item_sources: list[ItemSource] = field(default_factory=list)  # of each deploy item
    unknown: list[InstallationError] = field(
        default_factory=list
    )  # keys of output that Landscaper does not read

    def descriptors(self) -> tuple[object, object]:
        """Return the values `cd` and `components`."""
        if self.component is None:
            return None, None
        version = self.schema_version
        listed = [one.shown(version) for one in self.components]
        if version == V3:
            return self.component.shown(version), listed
        return self.component.shown(version), {"meta": {"schemaVersion": V2}, "components": listed}

    def deploy_items(self, values: Data) -> list[Data]:
        """Return the deploy items of all executions, in order, and set `item_sources`."""
        return self._listed(context.DEPLOY, "deployItems", values, self.item_sources)

    def subinstallations(self, values: Data) -> list[Data]:
        """Return the installation templates of all subinstallation executions, in order."""
        return self._listed(context.SUBINSTALLATIONS, "subinstallations", values)

    def exports(self, values: Data) -> Data:
        """Return the exports of all export executions, merged deeply; later ones win."""
        found: Data = {}
        for executor in self.executors(context.EXPORT):
            found = merge_maps(found, mapping(self.run(context.EXPORT, executor, values).get("exports")))
        return found

    def bindings(self, values: Data, imports: Data) -> Data:
        """Return the imports after all import executions. Raises import-validation with their errors."""
        for executor in self.executors(context.IMPORT):
            output = self.run(context.IMPORT, executor, {**values, "imports": imports})
            errors = [one for one in sequence(output.get("errors")) if one is not None]
            if errors:
                listed = ", ".join(map(str, errors))
                raise InstallationError("import-validation", f"import validation failed: {listed}")
            imports = {**imports, **mapping(output.get("bindings"))}
        return imports

    def executors(self, phase: str) -> list[Executor]:
        return self.blueprint.executors(_PHASES[phase])

    def run(self, phase: str, executor: Executor, values: Data) -> Data:
        """Return the output of one executor, decoded. Raises InstallationError (template)."""
        if executor.type == SPIFF:
            return self._output(phase, executor, run_spiff(self, phase, executor, values))
        return self._go_template(phase, executor, values)

    def _output(self, phase: str, executor: Executor, output: object) -> Data:
        """Return the output with its keys spelt like the fields; record unknown keys."""
        found = mapping(folded(output, OUTPUTS[phase]))
        wrong = misfit(found, OUTPUTS[phase])
        if wrong:
            message = f'error while decoding templated execution: executor "{executor.name}": {wrong}'
            raise InstallationError("template", message)
        place = f"{_PHASES[phase]}.{executor_name(executor)}"
        self.unknown += unknown_fields_of(found, OUTPUTS[phase], place)
        return found

    def _listed(
        self, phase: str, key: str, values: Data, sources: list[ItemSource] | None = None
    ) -> list[Data]:
        found: list[Data] = []
        for executor in self.executors(phase):
            listed = entries(self.run(phase, executor, values).get(key))
            found += listed
            if sources is not None:
                sources += [ItemSource(executor, index, values) for index in range(len(listed))]
        return found

    def parts(self, source: ItemSource) -> tuple[str, list[OutputPart]]:
        """Return the output of the GoTemplate that made a deploy item, and what wrote which part of it."""
        key = self.state_key(context.DEPLOY, source.executor)
        text = source.executor.text(self.blueprint.files)
        return self.go_templates().parts(text, self._with_state(source.values, key))

    def go_templates(self) -> InstallationTemplates:
        """Return the functions of GoTemplates, which most installations have."""
        if self.renderer is None:
            from krmkit.systems.landscaper.templates.gotemplate import InstallationTemplates

            self.renderer = InstallationTemplates(self)
        return self.renderer

    def _with_state(self, values: Data, key: str) -> Data:
        return {**values, "state": self.state.get(key, {})} if key else values

    def _go_template(self, phase: str, executor: Executor, values: Data) -> Data:
        source = executor.text(self.blueprint.files)
        key = self.state_key(phase, executor)
        rendered = self.go_templates().render(source, self._with_state(values, key))
        if phase != context.IMPORT and _NO_VALUE in rendered:
            missing = next(iter(unknown_fields(source, _names(values))), None)
            hint = f"; there is no {missing.path}" + proposal(missing.name, missing.known) if missing else ""
            message = _no_value(_TITLES[phase], rendered) + hint
            raise InstallationError("template", message, word=missing.path if missing else "")
        try:
            output = load(rendered)
        except GoInputError as error:
            when = "unable to store state" if key else "error while decoding templated execution"
            raise InstallationError("template", f"{when}: {error}") from None
        if output is not None and not isinstance(output, dict):
            raise InstallationError(
                "template",
                f'executor "{executor.name}": the output must be a mapping, got {type(output).__name__}',
            )
        found = self._output(phase, executor, output)
        if key and found.get("state") is not None:
            self.state[key] = found["state"]
        return found


def template_values(templater: Templater, imports: Data, spec: Data) -> Data:
    """Return the values that every executor sees, whatever its phase."""
    cd, components = templater.descriptors()
    return {
        "imports": imports,
        "cd": cd,
        "components": components,
        "blueprint": spec.get("blueprint"),
        "blueprintDef": spec.get("blueprint"),
        "componentDescriptorDef": mapping(spec.get("componentDescriptor")),
    }


def merge_maps(left: Data, right: Data) -> Data:
    """Merge two maps deeply; values that are not both maps are taken from `right`."""
    found = dict(left)
    for key, value in right.items():
        known = found.get(key)
        found[key] = (
            merge_maps(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
        )
    return found


def _no_value(title: str, rendered: str) -> str:
    """Return the message about lines with `<no value>`, with keys only: lines may contain secrets."""
    places = []
    for number, line in enumerate(rendered.split("\n"), 1):
        if _NO_VALUE in line:
            name = line.split(":", 1)[0].strip(" -") if ":" in line else ""
            places.append(f"line {number}" + (f" ({name})" if name and _NO_VALUE not in name else ""))
    return f'template "{title} execution" contains fields with "no value": {", ".join(places[:10])}'


def _names(values: Data) -> dict[str, FieldNames | None]:
    """Return the names of all fields of values; None for values that are not mappings."""
    return {str(name): _names(value) if isinstance(value, dict) else None for name, value in values.items()}


def executor_name(executor: Executor) -> str:
    """Return the name of an executor in results."""
    return text(executor.name) or "(without a name)"
