"""The names of krmkit's images in files that people write: registry and tag are those of shared/krmkit/__init__.py.

`make generate` writes both. Files say which function they mean; a tag that is no version, such as `:v1`, stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

import krmkit

PLACES = ("README.md", "docs", "examples", "functions", "deploy", "shared/krmkit")
SUFFIXES = {".md", ".yaml", ".patch", ".json", ".txt", ""}
# Documents in which an image is a repository without a tag.
REPOSITORIES = {"metadata.yaml"}
VERSION = r"unstable|latest|v\d+\.\d+\.\d+(?:rc\d+)?"


def pattern(registry: str, names: set[str]) -> re.Pattern[str]:
    """An image of krmkit's without a tag, or with that of a version."""
    every = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"(?<![\w./-]){re.escape(registry)}/({every})(?::(?:{VERSION}))?(?![\w:@.-]*[\w@]|/)")


def registry_of(root: Path) -> str:
    """The registry that the files name now, as the generated catalog.yaml says; it differs after a change of krmkit.REGISTRY."""
    path = root / "catalog.yaml"
    found = re.search(
        r"^ +image: (\S+)/[^/\s]+$", path.read_text("utf-8") if path.exists() else "", re.MULTILINE
    )
    return found[1] if found else krmkit.REGISTRY


def named(root: Path, files: dict[Path, str], names: set[str]) -> dict[Path, str]:
    """The files, generated ones in the text of `files`, in which an image's name changes, with the new text."""
    image = pattern(registry_of(root), names)
    changed = {}
    for path in written(root):
        text = files.get(path)
        if text is None:
            text = path.read_bytes().decode("utf-8", "replace")
        new = image.sub(lambda match: f"{krmkit.REGISTRY}/{match[1]}:{krmkit.TAG}", text)
        if new != text:
            changed[path] = new
    return changed


def written(root: Path) -> list[Path]:
    """Texts that people write and that name images to run."""
    found = []
    for place in PLACES:
        start = root / place
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            if path.suffix in SUFFIXES and path.name not in REPOSITORIES and path.is_file():
                found.append(path)
    return found
