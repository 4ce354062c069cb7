"""Variables and their schemas, judged by the engines that the functions call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]

FILES: dict[str, Judge] = {}
