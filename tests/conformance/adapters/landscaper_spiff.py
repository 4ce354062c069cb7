"""Records of the spiff language: templates merged, expressions parsed and evaluated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

FILES: dict[str, Callable[[dict[str, object], Path], tuple[bool, str]]] = {}
