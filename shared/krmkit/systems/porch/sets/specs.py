"""Render the template of a set's target to the spec of a PackageVariant.

Source: renderPackageVariantSpec of the packagevariantsets controller. The order of evaluation is kept, so
that the first reported error is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.sets.expressions import (
    ExpressionScope,
    ExpressionValues,
    FunctionTemplate,
    MapTemplate,
    TemplateExpression,
)
from krmkit.systems.porch.sets.targets import DownstreamTarget, TargetObject


class VariantTemplate:
    """The compiled template of a target."""

    def __init__(self, template: dict[str, Any], scope: ExpressionScope) -> None:
        downstream = mapping(template, "downstream")
        self._repo = _overriding("template.downstream.repoExpr", downstream, "repo", scope)
        # The expression of repo is evaluated before the repository is known, so it is not in the batch.
        first = len(scope.expressions)
        self._package = _overriding("template.downstream.packageExpr", downstream, "package", scope)
        policies = ("adoptionPolicy", "deletionPolicy")
        self._policies = {key: template[key] for key in policies if template.get(key) is not None}
        self._labels = MapTemplate("template", template, "labels", "labelExprs", scope)
        self._annotations = MapTemplate("template", template, "annotations", "annotationExprs", scope)
        context = template.get("packageContext")
        self._context: MapTemplate | None = None
        self._remove: list[str | TemplateExpression] = []
        if context is not None:
            field = "template.packageContext"
            self._context = MapTemplate(field, context, "data", "dataExprs", scope)
            self._remove += context.get("removeKeys") or []
            for index, text in enumerate(context.get("removeKeyExprs") or ()):
                self._remove.append(TemplateExpression(f"{field}.removeKeyExprs[{index}]", text, scope))
        self._injectors: list[tuple[dict[str, str], str | TemplateExpression]] = []
        for index, injector in enumerate(template.get("injectors") or ()):
            kept = {
                key: injector[key] for key in ("group", "version", "kind") if injector.get(key) is not None
            }
            name: str | TemplateExpression = injector.get("name") or ""
            if injector.get("nameExpr"):
                name = TemplateExpression(
                    f"template.injectors[{index}].nameExpr", injector["nameExpr"], scope
                )
            self._injectors.append((kept, name))
        pipeline = mapping(template, "pipeline")
        # Validators are rendered before mutators, and written after them.
        self._pipeline = {
            step: [
                FunctionTemplate(f"template.pipeline.{step}[{index}]", function, scope)
                for index, function in enumerate(pipeline.get(step) or ())
            ]
            for step in ("validators", "mutators")
        }
        self._batch = scope.batch(scope.expressions[first:])

    @property
    def chooses_repo(self) -> bool:
        """Return whether an expression gives the repository, which must run before repositories are bound."""
        return isinstance(self._repo, TemplateExpression)

    def repo(self, default: str, values: ExpressionValues | None) -> str:
        return _evaluated(self._repo, default, values)

    def fill(self, spec: dict[str, Any], values: ExpressionValues | None) -> None:
        """Complete a spec whose downstream is {repo, package default}; all variables are bound."""
        if self._batch is not None and values is not None:
            values.results = self._batch.evaluate(values.bindings)
        spec["downstream"]["package"] = _evaluated(self._package, spec["downstream"]["package"], values)
        spec.update(self._policies)
        for key, overlaid in (("labels", self._labels), ("annotations", self._annotations)):
            if found := overlaid.evaluate(values):
                spec[key] = found
        if self._context is not None:
            context: dict[str, Any] = {}
            data = self._context.evaluate(values)
            if data:
                context["data"] = data
            removed = {key if isinstance(key, str) else key.text(values) for key in self._remove}
            if removed:
                context["removeKeys"] = sorted(removed)
            spec["packageContext"] = context
        injectors = [
            {**kept, "name": name if isinstance(name, str) else name.text(values)}
            for kept, name in self._injectors
        ]
        steps = {
            step: [one.evaluate(values) for one in functions] for step, functions in self._pipeline.items()
        }
        pipeline = {step: steps[step] for step in ("mutators", "validators") if steps[step]}
        if pipeline:
            spec["pipeline"] = pipeline
        if injectors:
            spec["injectors"] = injectors


class VariantRenderer:
    """Render the variants of one set. `repositories`: the Repositories of its namespace, by name."""

    def __init__(
        self, upstream_spec: dict[str, Any], upstream: TargetObject, repositories: Mapping[str, TargetObject]
    ) -> None:
        self._upstream_spec = {key: value for key, value in upstream_spec.items() if value is not None}
        self._repositories = repositories
        self._scope = ExpressionScope({"upstream": upstream.variable})
        self._templates: dict[int, VariantTemplate] = {}

    def render(self, downstream: DownstreamTarget) -> dict[str, Any]:
        """Return the spec of one variant. PorchError names the failed field or the missing repository."""
        repo, package = downstream.repo, downstream.package
        spec: dict[str, Any] = {
            "upstream": self._upstream_spec,
            "downstream": {"repo": repo, "package": package},
        }
        if downstream.template is None:
            return spec
        template = self._templates.get(downstream.target)
        if template is None:
            template = VariantTemplate(downstream.template, self._scope)
            self._templates[downstream.target] = template
        target: object = {"repo": repo, "package": package}
        if downstream.object is not None:
            target = downstream.object.variable
        values = {**self._scope.values, "repoDefault": repo, "packageDefault": package, "target": target}
        repo = template.repo(repo, self._scope.bind(values) if template.chooses_repo else None)
        spec["downstream"]["repo"] = repo
        repository = self._repositories.get(repo)
        if repository is None:
            raise PorchError(
                f'repository "{repo}" could not be loaded (no Repository of that name is among the items of the namespace)'
            )
        values["repository"] = repository.variable
        template.fill(spec, self._scope.bind(values))
        return spec


def _overriding(
    field: str, downstream: dict[str, Any], key: str, scope: ExpressionScope
) -> str | TemplateExpression | None:
    """Return the text or expression that replaces a default; None if both are absent or empty."""
    if downstream.get(key + "Expr"):
        return TemplateExpression(field, downstream[key + "Expr"], scope)
    return downstream.get(key) or None


def _evaluated(value: str | TemplateExpression | None, default: str, values: ExpressionValues | None) -> str:
    if value is None:
        return default
    return value if isinstance(value, str) else value.text(values)
