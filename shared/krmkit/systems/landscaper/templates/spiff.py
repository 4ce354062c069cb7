"""Run Spiff executors and data mappings: spiff++ with Landscaper's functions, and no access to the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.messages.nearest import proposal
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.landscaper.blueprint.blueprints import Blueprint, Executor
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.yaml import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from krmkit.libraries.spiff import SpiffError
    from krmkit.systems.landscaper.templates.context import TemplateContext

_SOURCE = "template"


def map_data(
    mappings: Data, bindings: Callable[[], Data], rule: str, title: str, field: str
) -> tuple[Data, list[InstallationError]]:
    """Return the values of data mappings, and an error with `rule` for each failure, in order of names.

    Each key is a separate spiff document. bindings: returns the imports or exports by name.
    """
    if not mappings:
        return {}, []
    from krmkit.libraries.spiff import Options, SpiffError, evaluate

    found: Data = {}
    errors: list[InstallationError] = []
    names = bindings()
    for name in sorted(mappings):
        try:
            options = Options(bindings=names, access="none", source_name=name)
            found[name] = evaluate(mappings[name], [], options).documents[0]
        except SpiffError as error:
            message = f"unable to template {title}{name}: {error.message}{_meant(error, names)}"
            errors.append(InstallationError(rule, message, f"{field}.{name}"))
    return found, errors


def _meant(error: SpiffError, known: Data) -> str:
    """Return `; did you mean "port"?` for the first unknown name with a near known one, or ""."""
    for line in error.unresolved:
        if line.issue.startswith("*'") and line.issue.endswith("' not found"):
            hint = proposal(line.issue[2:].partition("'")[0].partition(".")[0], known)
            if hint:
                return hint
    return ""


def run_spiff(templater: TemplateContext, phase: str, executor: Executor, values: Data) -> Data:
    """Return the output of a Spiff executor, whose state is marked &state. Raises InstallationError."""
    from krmkit.libraries.spiff import Options, SpiffError, merge

    key = templater.state_key(phase, executor)
    options = Options(
        bindings=values,
        files={f"/{path}": content for path, content in templater.blueprint.files.all().items()},
        access="files",
        source_name=_SOURCE,
        state=templater.state.get(key, {}) if key else None,
        functions=_functions(templater),
    )
    try:
        result = merge(_template(templater, executor), [], options)
    except SpiffError as error:
        raise InstallationError("template", error.message) from None
    if key:
        templater.state[key] = result.state if result.state is not None else {}
    document = result.documents[-1] if result.documents else None
    if document is not None and not isinstance(document, dict):
        raise InstallationError("template", f'executor "{executor.name}": the output must be a mapping')
    return mapping(document)


def _template(templater: TemplateContext, executor: Executor) -> str:
    """Return a template as text; data becomes JSON, which is YAML."""
    if executor.template is None or isinstance(executor.template, str):
        return executor.text(templater.blueprint.files)
    import json

    return json.dumps(executor.template, ensure_ascii=False)


def _functions(templater: TemplateContext) -> dict[str, Callable[..., object]]:
    """Return the functions that Landscaper registers with spiff; getResources is not among them."""
    from krmkit.systems.landscaper.components.images import parse_oci_ref
    from krmkit.systems.landscaper.templates.gotemplate import REFUSED, Lookup, refuse

    lookup = Lookup(templater)
    return {
        "getResource": lambda *args: lookup.resources(args)[0],
        "getComponent": lambda *args: lookup.component(args),
        "getResourceKey": lookup.resource_key,
        "getResourceContent": lookup.resource_content,
        "parseOCIRef": lambda ref: list(parse_oci_ref(str(ref))),
        "ociRefRepo": lambda ref: parse_oci_ref(str(ref))[0],
        "ociRefVersion": lambda ref: parse_oci_ref(str(ref))[1],
        **{name: refuse(name) for name in REFUSED},
    }


def check(executor: Executor, blueprint: Blueprint) -> None:
    """Raise InstallationError (template) if a template is absent or not YAML."""
    if executor.template is None or isinstance(executor.template, str):
        source = executor.text(blueprint.files)
        try:
            load(source)
        except GoInputError as error:
            raise InstallationError("template", str(error)) from None
