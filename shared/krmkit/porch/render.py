"""From the template of a set's target to the spec of a PackageVariant.

Source: renderPackageVariantSpec of the packagevariantsets controller; the order of evaluation, which decides about the error that is
reported, is its own. A template is compiled once; what depends on the upstream alone, or on nothing, is evaluated once.
"""

from __future__ import annotations

from krmkit.lang.cel import CelError, Environment
from krmkit.porch.api import PorchError
from krmkit.porch.functions import typed_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from krmkit.lang.cel import Bindings, Program
    from krmkit.porch.targets import Downstream, TargetObject

VARIABLES = {
    "repoDefault": "string",
    "packageDefault": "string",
    "upstream": "dyn",
    "target": "dyn",
    "repository": "dyn",
}


class Expression:
    """One expression of a template; `field` is its place, as errors name it."""

    __slots__ = ("_constant", "_error", "_program", "field")

    def __init__(self, field: str, text: str, scope: Scope) -> None:
        self.field = field
        self._constant: str | None = None
        self._error = ""
        self._program: Program | None = None
        environment = scope.environment
        try:
            program = environment.compile(text)
            if program.names <= scope.fixed_names:
                self._constant = program.evaluate(scope.fixed)
            self._program = program
        except CelError as error:
            self._error = str(error)

    def text(self, bindings: Bindings | None) -> str:
        """The result. PorchError with the field where it fails; even an expression that never compiled fails only here."""
        if self._constant is not None:
            return self._constant
        if self._program is None or bindings is None:
            raise PorchError(f"{self.field}: {self._error}")
        try:
            return self._program.evaluate(bindings)
        except CelError as error:
            raise PorchError(f"{self.field}: {error}") from None


class Scope:
    """The CEL environment of one set, and the variables that are the same for all of its variants."""

    __slots__ = ("_environment", "_fixed", "fixed_names", "values")

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        self.values = dict(values or {})
        self.fixed_names = frozenset(self.values)
        self._environment: Environment | None = None
        self._fixed: Bindings | None = None

    @property
    def environment(self) -> Environment:
        if self._environment is None:
            try:
                self._environment = Environment(VARIABLES)
            except CelError as error:
                raise PorchError(str(error)) from None
        return self._environment

    @property
    def fixed(self) -> Bindings:
        if self._fixed is None:
            self._fixed = self.environment.bind(self.values)
        return self._fixed

    def bind(self, values: Mapping[str, object]) -> Bindings | None:
        """Values for one variant's expressions; None where no template has any, so that CEL is never loaded."""
        return None if self._environment is None else self._environment.bind(values)


class MapTemplate:
    """A static map and the entries {key | keyExpr, value | valueExpr} that are laid over it; later ones win."""

    __slots__ = ("_entries", "_static", "constant")

    def __init__(
        self, field: str, static: dict[str, str] | None, entries: list[dict[str, Any]] | None, scope: Scope
    ) -> None:
        self._static = static or {}
        self._entries: list[tuple[str | Expression, str | Expression]] = []
        for index, entry in enumerate(entries or ()):
            pair = [
                entry.get(part) or ""
                if entry.get(part + "Expr") is None
                else Expression(f"{field}[{index}].{part}Expr", entry[part + "Expr"], scope)
                for part in ("key", "value")
            ]
            self._entries.append((pair[0], pair[1]))
        # The result where no expression takes part.
        self.constant: dict[str, str] | None = None
        if all(isinstance(part, str) for pair in self._entries for part in pair):
            self.constant = self._overlaid(None)

    def evaluate(self, bindings: Bindings | None) -> dict[str, str]:
        """The map, sorted by key. Not to be changed: it may be shared."""
        return self.constant if self.constant is not None else self._overlaid(bindings)

    def _overlaid(self, bindings: Bindings | None) -> dict[str, str]:
        result = dict(self._static)
        for key, value in self._entries:
            name = key if isinstance(key, str) else key.text(bindings)
            result[name] = value if isinstance(value, str) else value.text(bindings)
        return dict(sorted(result.items()))


class FunctionTemplate:
    """A pipeline function whose configMap may have expressions."""

    __slots__ = ("_config", "_static")

    def __init__(self, field: str, function: dict[str, Any], scope: Scope) -> None:
        self._config = MapTemplate(
            f"{field}.configMapExprs", function.get("configMap"), function.get("configMapExprs"), scope
        )
        self._static = typed_function({**function, "configMap": {"": ""}})

    def evaluate(self, bindings: Bindings | None) -> dict[str, Any]:
        config = self._config.evaluate(bindings)
        return {
            field: config if field == "configMap" else value
            for field, value in self._static.items()
            if config or field != "configMap"
        }


class VariantTemplate:
    """The template of a target, compiled."""

    __slots__ = (
        "_annotations",
        "_context",
        "_injectors",
        "_labels",
        "_package",
        "_pipeline",
        "_policies",
        "_remove",
        "_repo",
    )

    def __init__(self, template: dict[str, Any], scope: Scope) -> None:
        downstream = template.get("downstream") or {}
        self._repo = _overriding("template.downstream.repoExpr", downstream, "repo", scope)
        self._package = _overriding("template.downstream.packageExpr", downstream, "package", scope)
        self._policies = {
            key: template[key]
            for key in ("adoptionPolicy", "deletionPolicy")
            if template.get(key) is not None
        }
        self._labels = MapTemplate(
            "template.labelExprs", template.get("labels"), template.get("labelExprs"), scope
        )
        self._annotations = MapTemplate(
            "template.annotationExprs", template.get("annotations"), template.get("annotationExprs"), scope
        )
        context = template.get("packageContext")
        self._context: MapTemplate | None = None
        self._remove: list[str | Expression] = []
        if context is not None:
            field = "template.packageContext"
            self._context = MapTemplate(
                f"{field}.dataExprs", context.get("data"), context.get("dataExprs"), scope
            )
            self._remove += context.get("removeKeys") or []
            for index, text in enumerate(context.get("removeKeyExprs") or ()):
                self._remove.append(Expression(f"{field}.removeKeyExprs[{index}]", text, scope))
        self._injectors: list[tuple[dict[str, str], str | Expression]] = []
        for index, injector in enumerate(template.get("injectors") or ()):
            kept = {
                key: injector[key] for key in ("group", "version", "kind") if injector.get(key) is not None
            }
            name: str | Expression = injector.get("name") or ""
            if injector.get("nameExpr"):
                name = Expression(f"template.injectors[{index}].nameExpr", injector["nameExpr"], scope)
            self._injectors.append((kept, name))
        pipeline = template.get("pipeline") or {}
        # Validators are rendered before mutators, and written after them.
        self._pipeline = {
            step: [
                FunctionTemplate(f"template.pipeline.{step}[{index}]", function, scope)
                for index, function in enumerate(pipeline.get(step) or ())
            ]
            for step in ("validators", "mutators")
        }

    @property
    def chooses_repo(self) -> bool:
        """Whether the repository comes from an expression, which is evaluated before any is bound."""
        return isinstance(self._repo, Expression)

    def repo(self, default: str, bindings: Bindings | None) -> str:
        return _evaluated(self._repo, default, bindings)

    def fill(self, spec: dict[str, Any], bindings: Bindings | None) -> None:
        """Complete a spec whose downstream is {repo, package default}; all variables are bound."""
        spec["downstream"]["package"] = _evaluated(self._package, spec["downstream"]["package"], bindings)
        spec.update(self._policies)
        labels = self._labels.evaluate(bindings)
        if labels:
            spec["labels"] = labels
        annotations = self._annotations.evaluate(bindings)
        if annotations:
            spec["annotations"] = annotations
        if self._context is not None:
            context: dict[str, Any] = {}
            data = self._context.evaluate(bindings)
            if data:
                context["data"] = data
            removed = {key if isinstance(key, str) else key.text(bindings) for key in self._remove}
            if removed:
                context["removeKeys"] = sorted(removed)
            spec["packageContext"] = context
        injectors = [
            {**kept, "name": name if isinstance(name, str) else name.text(bindings)}
            for kept, name in self._injectors
        ]
        steps = {
            step: [one.evaluate(bindings) for one in functions] for step, functions in self._pipeline.items()
        }
        pipeline = {step: steps[step] for step in ("mutators", "validators") if steps[step]}
        if pipeline:
            spec["pipeline"] = pipeline
        if injectors:
            spec["injectors"] = injectors


class Renderer:
    """Renders the variants of one set. `upstream` is its PackageRevision, `repositories` those of its namespace by name."""

    __slots__ = ("_repositories", "_scope", "_templates", "_upstream_spec")

    def __init__(
        self, upstream_spec: dict[str, Any], upstream: TargetObject, repositories: Mapping[str, TargetObject]
    ) -> None:
        self._upstream_spec = upstream_spec
        self._repositories = repositories
        self._scope = Scope({"upstream": upstream.variable})
        self._templates: dict[int, VariantTemplate] = {}

    def render(self, downstream: Downstream) -> dict[str, Any]:
        """The spec of one variant. PorchError names the field whose expression failed, or the repository that is missing."""
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


def _overriding(field: str, downstream: dict[str, Any], key: str, scope: Scope) -> str | Expression | None:
    """What takes the place of a default: a text or an expression, None where both are absent or empty."""
    if downstream.get(key + "Expr"):
        return Expression(field, downstream[key + "Expr"], scope)
    return downstream.get(key) or None


def _evaluated(value: str | Expression | None, default: str, bindings: Bindings | None) -> str:
    if value is None:
        return default
    return value if isinstance(value, str) else value.text(bindings)
