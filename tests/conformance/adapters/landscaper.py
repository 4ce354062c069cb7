"""The records of the folder landscaper: which module judges which file.

Each module below has FILES (file name -> judge) and may have notes(), as adapters/ have them.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

PARTS = ("landscaper_spiff", "landscaper_controllers", "landscaper_schemas", "landscaper_live")

_modules: list[ModuleType] = [import_module(f"tests.conformance.adapters.{part}") for part in PARTS]

FILES: dict[str, Any] = {name: judge for module in _modules for name, judge in module.FILES.items()}


def notes() -> list[str]:
    """The notes of all parts, in order."""
    return [line for module in _modules if hasattr(module, "notes") for line in module.notes()]
