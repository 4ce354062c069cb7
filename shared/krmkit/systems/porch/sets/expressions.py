"""Evaluate the CEL expressions in a set's templates; those that do not depend on the variant only once.

Source: evalExpr, copyAndOverlayMapExpr and the variables of render.go, in the packagevariantsets controller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from krmkit.libraries.cel.expressions import Batch, Bindings, CelError, CelProgram, Environment
from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.variants.pipeline import typed_function

VARIABLES = {
    "repoDefault": "string",
    "packageDefault": "string",
    "upstream": "dyn",
    "target": "dyn",
    "repository": "dyn",
}


@dataclass(slots=True)
class ExpressionValues:
    """The inputs of one variant's expressions: the bindings, and results that are already known."""

    bindings: Bindings
    results: list[str] | None = None


class TemplateExpression:
    """One expression of a template. `field`: its place, for errors."""

    def __init__(self, field: str, text: str, scope: ExpressionScope) -> None:
        scope.expressions.append(self)
        self.field = field
        self.slot = -1  # its index in the results of the scope's batch
        self.program: CelProgram | None = None
        self._constant: str | None = None
        self._error = ""
        environment = scope.environment
        try:
            program = environment.compile(text)
            if program.names <= scope.fixed_names:
                self._constant = program.evaluate(scope.fixed)
            self.program = program
        except CelError as error:
            self._error = str(error)

    @property
    def varies(self) -> bool:
        """Return whether the expression compiled and must be evaluated for every variant."""
        return self.program is not None and self._constant is None

    def text(self, values: ExpressionValues | None) -> str:
        """Return the result. Raises PorchError with the field, also if the expression does not compile."""
        if self._constant is not None:
            return self._constant
        if self.program is None or values is None:
            raise PorchError(f"{self.field}: {self._error}")
        if values.results is not None and self.slot >= 0:
            return values.results[self.slot]
        try:
            return self.program.evaluate(values.bindings)
        except CelError as error:
            raise PorchError(f"{self.field}: {error}") from None


class ExpressionScope:
    """The CEL environment of one set, and the variables that all its variants share."""

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        self.values = dict(values or {})
        self.fixed_names = frozenset(self.values)
        self.expressions: list[TemplateExpression] = []
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

    def bind(self, values: Mapping[str, object]) -> ExpressionValues | None:
        """Return the values for a variant's expressions; None without expressions: CEL is not loaded."""
        return None if self._environment is None else ExpressionValues(self._environment.bind(values))

    def batch(self, expressions: list[TemplateExpression]) -> Batch | None:
        """Return a batch of expressions, each with its index in the results; None if it gains nothing."""
        varying = [expression for expression in expressions if expression.varies]
        if len(varying) < 2:
            return None
        batch = self.environment.batch([one.program for one in varying if one.program is not None])
        if batch is not None:
            for slot, expression in enumerate(varying):
                expression.slot = slot
        return batch


class MapTemplate:
    """A static map, overlaid by the entries {key | keyExpr, value | valueExpr}; later entries override.

    static, entries: the fields of `above` with the map and the entries. place: the path of `above`.
    """

    def __init__(
        self, place: str, above: dict[str, Any], static: str, entries: str, scope: ExpressionScope
    ) -> None:
        field = f"{place}.{entries}"
        self._static: dict[str, str] = above.get(static) or {}
        self._entries: list[tuple[str | TemplateExpression, str | TemplateExpression]] = []
        for index, entry in enumerate(above.get(entries) or ()):
            pair = [
                entry.get(part) or ""
                if entry.get(part + "Expr") is None
                else TemplateExpression(f"{field}[{index}].{part}Expr", entry[part + "Expr"], scope)
                for part in ("key", "value")
            ]
            self._entries.append((pair[0], pair[1]))
        # The result if there are no expressions.
        self.constant: dict[str, str] | None = None
        if all(isinstance(part, str) for pair in self._entries for part in pair):
            self.constant = self._overlaid(None)

    def evaluate(self, values: ExpressionValues | None) -> dict[str, str]:
        """Return the map, sorted by key. It may be shared: do not change it."""
        return self.constant if self.constant is not None else self._overlaid(values)

    def _overlaid(self, values: ExpressionValues | None) -> dict[str, str]:
        result = dict(self._static)
        for key, value in self._entries:
            name = key if isinstance(key, str) else key.text(values)
            result[name] = value if isinstance(value, str) else value.text(values)
        return dict(sorted(result.items()))


class FunctionTemplate:
    """A pipeline function whose configMap may have expressions."""

    def __init__(self, field: str, function: dict[str, Any], scope: ExpressionScope) -> None:
        self._config = MapTemplate(field, function, "configMap", "configMapExprs", scope)
        self._static = typed_function({**function, "configMap": {"": ""}})

    def evaluate(self, values: ExpressionValues | None) -> dict[str, Any]:
        config = self._config.evaluate(values)
        return {
            field: config if field == "configMap" else value
            for field, value in self._static.items()
            if config or field != "configMap"
        }
