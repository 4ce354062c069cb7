"""Annotations that orchestrators and krmkit put on resources: their names, and the numbers among them."""

from __future__ import annotations

PATH = "internal.config.kubernetes.io/path"
INDEX = "internal.config.kubernetes.io/index"
LEGACY_PATH = "config.kubernetes.io/path"
LEGACY_INDEX = "config.kubernetes.io/index"
PACKAGE_PATH = "internal.config.kubernetes.io/package-path"
LOCAL_CONFIG = "config.kubernetes.io/local-config"
GENERATED_BY = "krmkit.dev/generated-by"
FAIL_ON = "krmkit.dev/fail-on"

_OF_TOOLS = frozenset((LEGACY_PATH, LEGACY_INDEX, LOCAL_CONFIG))
_PREFIXES_OF_TOOLS = (
    "internal.config.kubernetes.io/",
    "internal.config.k8s.io/",
    "config.k8s.io/",
    "kustomize.config.k8s.io/",
    "krmkit.dev/",
)

_DIGITS = 18  # Go's numbers have no more, and Python refuses to read some thousands of them


def number(text: str) -> int | None:
    """The whole number, from 0, that an annotation says; None where it says none."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _DIGITS else None


def is_tool_key(name: str) -> bool:
    """Whether an annotation belongs to kpt, kustomize or krmkit: engines do not see those, and copies do not have them."""
    return name in _OF_TOOLS or name.startswith(_PREFIXES_OF_TOOLS)
