"""Paths into data as findings and results print them: `spec.items[0]."a.b"`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def join(path: str, key: str) -> str:
    """Extend a path by a map key; a key that would be misread inside a path is put in double quotes."""
    if not key or "." in key or "[" in key or '"' in key or " " in key:
        key = '"' + key.replace('"', '\\"') + '"'
    return path + "." + key if path else key


def dotted(steps: Iterable[str | int]) -> str:
    """Print keys and list positions: `dotted(("spec", "items", 0, "a.b"))` is `spec.items[0]."a.b"`."""
    text = ""
    for step in steps:
        text = f"{text}[{step}]" if isinstance(step, int) else join(text, step)
    return text


def steps_of(text: str) -> list[str | int]:
    """Read the keys and positions of a printed path: `steps_of('a.b[0]."x.y"') == ["a", "b", 0, "x.y"]`.

    Paths of other programs may quote a key in brackets: `a['x.y']`.
    """
    import re

    step = r"""\[["']([^"']*)["']\]|\[([0-9]{1,9})\]|"((?:[^"\\]|\\.)*)"|([^.\[\]"]+)"""
    found: list[str | int] = []
    for bracketed, number, quoted, plain in re.findall(step, text):
        found.append(int(number) if number else bracketed or quoted.replace('\\"', '"') or plain)
    return found
