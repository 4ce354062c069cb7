"""Look up variables by path, such as `nodes[1].labels`. Source: patches/variables/value.go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import atoi
from krmkit.libraries.go.fmt.printing import quote
from krmkit.systems.clusterapi.api.errors import PatchValueError

Segment = tuple[str, int | None]


def parse_path_segment(segment: str) -> Segment:
    """Split a segment into name and index: "nodes[1]" into ("nodes", 1). Raises PatchValueError."""
    left, right = segment.find("["), segment.find("]")
    if left < 0 and right < 0:
        return segment, None
    if left < 0 or right < left:
        raise PatchValueError(f"failed to parse path segment {quote(segment)}")
    digits = segment[left + 1 : right]
    try:
        number = atoi(digits)
    except GoInputError as error:
        raise PatchValueError(
            f"failed to parse array index in path segment {quote(segment)}: {error}"
        ) from None
    if number < 0:
        raise PatchValueError(f"invalid array index {number} in path segment {quote(segment)}")
    return segment[:left], number


class VariablePath:
    """A variable's path, split once for many lookups.

    VariablePath("nodes[0].name").value({"nodes": [{"name": "a"}]})   # "a"
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._names = path.split(".")

    def value(self, variables: Mapping[str, Any]) -> Any:
        """Return the value at the path. Raises PatchValueError."""
        first, *rest = self._names
        try:
            name, index = parse_path_segment(first)
        except PatchValueError as error:
            raise PatchValueError(f"variable {quote(self._path)} is invalid: {error}") from None
        if name not in variables:
            raise PatchValueError(f"variable {quote(first)} does not exist", not_found=True)
        value = variables[name]
        if index is not None:
            value = self._element(value, name, index)
        for segment in rest:
            try:
                name, index = parse_path_segment(segment)
            except PatchValueError as error:
                raise PatchValueError(f"variable {quote(self._path)} has invalid syntax: {error}") from None
            value = self._member(value, name)
            if index is not None:
                value = self._element(value, name, index)
        return value

    def _member(self, value: Any, name: str) -> Any:
        if isinstance(value, dict) and name in value:
            return value[name]
        # The reference's JSON library reads a number as the index of a list.
        if isinstance(value, list) and name.isascii() and name.isdecimal() and len(name) <= 18:
            if int(name) < len(value):
                return value[int(name)]
        raise PatchValueError(
            f"variable {quote(self._path)} does not exist: failed to lookup segment {quote(name)}",
            not_found=True,
        )

    def _element(self, value: Any, name: str, index: int) -> Any:
        if not isinstance(value, list):
            raise PatchValueError(
                f"variable {quote(self._path)} is invalid: failed to get array {quote(name)}:"
                f" value doesn't contain array; it contains {_kind(value)}"
            )
        if index >= len(value):
            raise PatchValueError(
                f"variable {quote(self._path)} is invalid: array does not have index {index}"
            )
        return value[index]


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "object" if isinstance(value, dict) else "string" if isinstance(value, str) else "number"
