"""Validate a PackageVariantSet (config.porch.kpt.dev/v1alpha2).

Source: validatePackageVariantSet of the packagevariantsets controller, with its order and messages. One
check is added: entries of configMapExprs follow the rule of all other expression lists.
"""

from __future__ import annotations

from typing import Any

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.porch.api.apinames import READY, Condition, floating_name, revision_number
from krmkit.systems.porch.variants.validation import VALID


def validate_set(spec: dict[str, Any]) -> list[str]:
    """Return all messages in the controller's order. Null counts as absent."""
    errors: list[str] = []
    upstream = spec.get("upstream")
    if upstream is None:
        errors.append("spec.upstream is a required field")
    else:
        errors += [
            f"spec.upstream.{key} is a required field" for key in ("package", "repo") if not upstream.get(key)
        ]
        revision = upstream.get("revision")
        named = revision_number(revision) or floating_name(revision) or upstream.get("workspaceName")
        if not named:
            errors.append("either spec.upstream.revision or spec.upstream.workspaceName must be specified")
    targets = spec.get("targets") or []
    if not targets:
        errors.append("must specify at least one item in spec.targets")
    for index, target in enumerate(targets):
        errors += _target(f"spec.targets[{index}]", target or {})
    return errors


def _target(field: str, target: dict[str, Any]) -> list[str]:
    errors: list[str] = []
    repositories = target.get("repositories")
    if repositories is not None:
        if not repositories:
            errors.append(f"{field}.repositories must not be an empty list if specified")
        for index, repository in enumerate(repositories):
            if not repository.get("name"):
                errors.append(f"{field}.repositories[{index}].name cannot be empty")
            for position, package in enumerate(repository.get("packageNames") or ()):
                if not package:
                    errors.append(f"{field}.repositories[{index}].packageNames[{position}] cannot be empty")
    names = target.get("packageNames")
    if names is not None and repositories is not None:
        errors.append(
            f"{field}.packageNames goes with a selector; beside `repositories` write it below each name"
        )
    for position, package in enumerate(names or ()):
        if not package:
            errors.append(f"{field}.packageNames[{position}] cannot be empty")
    selector = target.get("objectSelector")
    if selector is not None:
        errors += [
            f"{field}.objectselector.{key} cannot be empty"
            for key in ("apiVersion", "kind")
            if not selector.get(key)
        ]
    if sum(given is not None for given in (repositories, target.get("repositorySelector"), selector)) != 1:
        errors.append(
            f"{field} must specify one of `repositories`, `repositorySelector`, or `objectSelector`"
        )
    template = target.get("template")
    return errors if template is None else errors + _template(f"{field}.template", template)


def _template(field: str, template: dict[str, Any]) -> list[str]:
    errors: list[str] = []
    adoption, deletion = template.get("adoptionPolicy"), template.get("deletionPolicy")
    if adoption is not None and adoption not in ("adoptNone", "adoptExisting"):
        errors.append(f'{field}.adoptionPolicy can only be "adoptNone" or "adoptExisting"')
    if deletion is not None and deletion not in ("orphan", "delete"):
        errors.append(f'{field}.deletionPolicy can only be "orphan" or "delete"')
    downstream = mapping(template, "downstream")
    for key in ("repo", "package"):
        if downstream.get(key) is not None and downstream.get(key + "Expr") is not None:
            errors.append(f"{field} may specify only one of `downstream.{key}` and `downstream.{key}Expr`")
    errors += _map_expressions(f"{field}.labelExprs", template.get("labelExprs"))
    errors += _map_expressions(f"{field}.annotationExprs", template.get("annotationExprs"))
    context = mapping(template, "packageContext")
    errors += _map_expressions(f"{field}.packageContext.dataExprs", context.get("dataExprs"))
    for index, injector in enumerate(template.get("injectors") or ()):
        name, expression = injector.get("name"), injector.get("nameExpr")
        if name is not None and expression is not None:
            errors.append(f"{field}.injectors[{index}] may specify only one of `name` and `nameExpr`")
        if name is None and expression is None:
            errors.append(f"{field}.injectors[{index}] must specify either `name` or `nameExpr`")
    pipeline = mapping(template, "pipeline")
    for step in ("validators", "mutators"):
        for index, function in enumerate(pipeline.get(step) or ()):
            errors += _function(f"{field}.pipeline.{step}[{index}]", function)
    return errors


def _function(field: str, function: dict[str, Any]) -> list[str]:
    errors: list[str] = []
    if not function.get("image"):
        errors.append(f"{field}.image must not be empty")
    if "." in (function.get("name") or ""):
        errors.append(f"{field}.name must not contain '.'")
    return errors + _map_expressions(f"{field}.configMapExprs", function.get("configMapExprs"))


def _map_expressions(field: str, entries: list[dict[str, Any]] | None) -> list[str]:
    return [
        f"{field}[{index}] may specify only one of `{key}` and `{key}Expr`"
        for index, entry in enumerate(entries or ())
        for key in ("key", "value")
        if entry.get(key) is not None and entry.get(key + "Expr") is not None
    ]


def conditions_of_reconciled() -> list[Condition]:
    """Return Stalled and Ready of a set with up-to-date variants."""
    return [VALID, Condition(READY, "True", "Reconciled", "package variants successfully reconciled")]
