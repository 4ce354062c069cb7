"""Simulate exports of deploy items by Go templates, which regular expressions on paths select.

exporter([ExportTemplate("all", "deployItems", ".*/database", "exports: {url: {{ .imports.url }}}")],
repository)

A template sees imports, installationPath, templateName, deployItem, cd, components and state; its output is a
map `exports`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.gotemplate import TemplateError, function_set, parse
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.components.descriptors import ComponentRepository, Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.deployitems import DeployItem, deploy_item_object
from krmkit.systems.landscaper.flow.outcome import RenderedInstallation
from krmkit.systems.landscaper.templates.executors import Templater
from krmkit.systems.landscaper.templates.gotemplate import clock
from krmkit.systems.landscaper.yaml import load

DEPLOY_ITEMS, INSTALLATIONS = "deployItems", "installations"
TEMPLATES_FIELD = "spec.exportTemplates"
"""Where a RenderInstallation has the templates."""


@dataclass(slots=True)
class ExportTemplate:
    """A template of kind deployItems (`exports`) or installations (`dataExports`, `targetExports`)."""

    name: str
    kind: str
    selector: str
    template: str


def exporter(
    templates: list[ExportTemplate], repository: ComponentRepository, now: float | None = None
) -> Callable[[RenderedInstallation, DeployItem], Data | None]:
    """Return a function from a deploy item to its exports by the first matching template, or None.

    Raises InstallationError (invalid) for an invalid regular expression.
    """
    choose = _chooser(templates, DEPLOY_ITEMS)

    def find(rendered: RenderedInstallation, item: DeployItem) -> Data | None:
        template = choose(f"{rendered.path}/{item.name}")
        if template is None:
            return None
        values = _values(rendered, item, template, repository)
        return mapping(_run(template, values, now).get("exports"))

    return find


def installation_exporter(
    templates: list[ExportTemplate], now: float | None = None
) -> Callable[[RenderedInstallation], Data | None]:
    """Return a function from an installation to its exports, or None.

    The inside of an installation with such exports is not rendered.
    """
    choose = _chooser(templates, INSTALLATIONS)

    def find(rendered: RenderedInstallation) -> Data | None:
        template = choose(rendered.path)
        if template is None:
            return None
        return _run(template, {**_shared(rendered, template), "installation": rendered.installation}, now)

    return find


def _chooser(templates: list[ExportTemplate], kind: str) -> Callable[[str], ExportTemplate | None]:
    """Return a function that finds the first template of a kind for a path."""
    selectors = []
    for one in templates:
        try:
            if one.kind == kind:
                selectors.append((pattern.compile(one.selector), one))
        except pattern.PatternError as error:
            message = f"exportTemplates {one.name}: {error}"
            raise InstallationError("invalid", message, TEMPLATES_FIELD) from None
    return lambda path: next((one for selector, one in selectors if selector.search(path)), None)


def _shared(rendered: RenderedInstallation, template: ExportTemplate) -> Data:
    return {"imports": rendered.values, "installationPath": rendered.path, "templateName": template.name}


def _values(
    rendered: RenderedInstallation,
    item: DeployItem,
    template: ExportTemplate,
    repository: ComponentRepository,
) -> Data:
    known = rendered.prerequisites
    assert known is not None
    templater = Templater(known.blueprint, known.component, known.closure, repository)
    cd, components = templater.descriptors()
    made = deploy_item_object(item, rendered.name, rendered.namespace, known.context_name)
    metadata = {**mapping(made["metadata"]), "name": item.name}
    return {
        **_shared(rendered, template),
        "deployItem": {**made, "metadata": metadata},
        "cd": cd,
        "components": components,
        "state": rendered.state,
    }


def _run(template: ExportTemplate, values: Data, now: float | None) -> Data:
    functions = {**function_set("landscaper"), **clock(now)}
    try:
        parsed = parse(template.template, template.name, functions, options=("missingkey=zero",))
        return mapping(load(parsed.execute(values)))
    except TemplateError as error:
        raise InstallationError("template", f"export template {template.name}: {error.message}") from None
    except GoInputError as error:
        raise InstallationError("template", f"export template {template.name}: {error}") from None
