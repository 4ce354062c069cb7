"""Kubernetes label selectors, as apimachinery's LabelSelectorAsSelector reads them.

Source: k8s.io/apimachinery, pkg/apis/meta/v1/helpers.go and pkg/labels/selector.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube.names import is_qualified_name, is_valid_label_value

IN, NOT_IN, EXISTS, DOES_NOT_EXIST = "In", "NotIn", "Exists", "DoesNotExist"
OPERATORS = (IN, NOT_IN, EXISTS, DOES_NOT_EXIST)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on a label: the operator is one of OPERATORS."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return True if the labels fulfil it. Without the label NotIn holds, In does not."""
        if self.operator == IN:
            return self.key in labels and labels[self.key] in self.values
        if self.operator == NOT_IN:
            return self.key not in labels or labels[self.key] not in self.values
        return (self.key in labels) is (self.operator == EXISTS)


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Requirements that must all hold; without any it matches everything."""

    requirements: list[Requirement]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return True if every requirement holds for an object with these labels."""
        return all(requirement.matches(labels) for requirement in self.requirements)


def parse_selector(data: Mapping[str, object]) -> LabelSelector:
    """Read a LabelSelector: {matchLabels, matchExpressions[{key, operator, values}]}.

    Other keys are skipped. Raises GoInputError for the first problem.
    """
    requirements: list[Requirement] = []
    labels = data.get("matchLabels") or {}
    if not isinstance(labels, dict):
        raise GoInputError("matchLabels is not a map of strings")
    for key in sorted(labels):
        requirements.append(_requirement(f"matchLabels[{key}]", key, IN, [labels[key]]))
    expressions = data.get("matchExpressions") or []
    if not isinstance(expressions, list):
        raise GoInputError("matchExpressions is not a list")
    for index, expression in enumerate(expressions):
        if not isinstance(expression, dict):
            raise GoInputError(f"matchExpressions[{index}] is not a map with key, operator and values")
        operator = expression.get("operator") or ""
        if operator not in OPERATORS:
            raise GoInputError(
                f'"{operator}" is not a valid label selector operator'
                f" (matchExpressions[{index}]; valid are {', '.join(OPERATORS)})"
            )
        requirements.append(
            _requirement(
                f"matchExpressions[{index}]", expression.get("key"), operator, expression.get("values")
            )
        )
    return LabelSelector(requirements)


def _requirement(where: str, key: object, operator: str, values: object) -> Requirement:
    if values is None:
        values = []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise GoInputError(f"{where}: values are not a list of strings")
    if not isinstance(key, str) or is_qualified_name(key):
        raise GoInputError(
            f'{where}: "{key or ""}" is not a label key (a name of at most 63 characters, or prefix/name)'
        )
    if operator in (IN, NOT_IN) and not values:
        raise GoInputError(f"{where}: for 'in', 'notin' operators, values set can't be empty")
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        raise GoInputError(f"{where}: values set must be empty for exists and does not exist")
    for value in values:
        if is_valid_label_value(value):
            raise GoInputError(
                f'{where}: "{value}" is not a label value'
                " (at most 63 of letters, digits, '-', '_' and '.', the first and the last a letter or a digit)"
            )
    return Requirement(key, operator, tuple(values))
