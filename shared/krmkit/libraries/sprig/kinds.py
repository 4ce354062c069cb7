"""Reflection: Go's names of types and kinds, and equality of both type and content."""

from __future__ import annotations

from krmkit.libraries.go.core.values import kind_of, type_of
from krmkit.libraries.sprig.compare import deep_equal

__all__ = ["deep_equal", "kind_is", "kind_of", "type_is", "type_is_like", "type_of"]


def type_is(name: str, value: object) -> bool:
    """typeIs."""
    return name == type_of(value)


def type_is_like(name: str, value: object) -> bool:
    """typeIsLike: a pointer to the type will do."""
    return type_of(value) in (name, "*" + name)


def kind_is(name: str, value: object) -> bool:
    """kindIs."""
    return name == kind_of(value)
