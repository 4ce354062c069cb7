"""Evaluate the validations of a TopologyExtension: CEL rules over templates, for ValidateTopology."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.cel.expressions import Bindings, CelError
from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment, KubeProgram
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.hooks.messages import described
from krmkit.systems.clusterapi.patches.request import RequestItem, matches

_SCOPE = {"self": "dyn", "variables": "dyn", "builtin": "dyn", "settings": "dyn"}


class Validations:
    """The rules of one handler, compiled once. `problems`: (path, message) of their errors."""

    def __init__(self, validations: list[Object], environment: Callable[[], KubeEnvironment]) -> None:
        self.problems: list[tuple[str, str]] = []
        self._rules: list[_Rule] = []
        if not validations:
            return
        self._environment = environment()
        scope = self._environment.scope(_SCOPE)
        for index, one in enumerate(validations):
            message = None
            field = "rule"
            try:
                program = self._environment.compile(one["rule"], scope, "BOOL")
                field = "messageExpression"
                if one.get("messageExpression"):
                    message = self._environment.compile(one["messageExpression"], scope, "STRING")
            except CelError as error:
                self.problems.append((f"[{index}].{field}", str(error)))
                continue
            self._rules.append(_Rule(one, program, message))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def violations(
        self, item: RequestItem, values: Object, settings: Object, shown: Callable[[str], str]
    ) -> list[str]:
        """Return the messages of the violated rules, in the order of the rules."""
        chosen = [rule for rule in self._rules if not rule.selector or matches(item, rule.selector)]
        if not chosen:
            return []
        builtin = mapping(values, "builtin")
        activation = self._environment.bind(
            {"self": item.object, "variables": values, "builtin": builtin, "settings": settings}
        )
        where = described(item)
        return [f"{where}: {shown(problem)}" for rule in chosen for problem in rule.violation(activation)]


class _Rule:
    def __init__(self, validation: Object, program: KubeProgram, message: KubeProgram | None) -> None:
        self.selector: Object = mapping(validation, "selector")
        self._program = program
        self._message = message
        self._text = str(validation.get("message") or f"failed rule: {validation['rule']}")

    def violation(self, activation: Bindings) -> list[str]:
        """Return the rule's message if it fails or cannot be evaluated; `[]` if it holds."""
        try:
            if self._program.evaluate(activation) is True:
                return []
        except CelError as error:
            return [f"{self._text}: {error}"]
        if self._message is not None:
            try:
                found = self._message.evaluate(activation)
            except CelError:
                return [self._text]
            if isinstance(found, str) and found.strip():
                return [found]
        return [self._text]
