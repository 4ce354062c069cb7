"""The names of krmkit's images, and the releases of actions, in files that people write.

`make generate` writes both: registry and tag are those of shared/krmkit/__init__.py, actions those that .github pins by digest. Files say which function they mean; a tag that is no version, such as `:v1`, stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

import krmkit

PLACES = ("README.md", "docs", "examples", "functions", "deploy", "shared/krmkit")
SUFFIXES = {".md", ".yaml", ".patch", ".json", ".txt", ""}
# Documents in which an image is a repository without a tag.
REPOSITORIES = {"metadata.yaml"}
ACTION = re.compile(r"(?<=uses: )([\w-]+/[\w-]+)@\S+(?: # v\d\S*)?")
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


def actions_of(root: Path) -> dict[str, str]:
    """Action -> how the workflows of this repository name it: digest, and the release that this is."""
    texts = [path.read_text("utf-8") for path in sorted((root / ".github/workflows").glob("*.yml"))]
    return {match[1]: match[0] for text in texts for match in ACTION.finditer(text)}


def named(root: Path, files: dict[Path, str], names: set[str]) -> dict[Path, str]:
    """Return the files in which the name of an image or action changes, with the new text.

    Generated files have their text in `files`.
    """
    image = pattern(registry_of(root), names)
    actions = actions_of(root)
    changed = {}
    for path in written(root):
        text = files.get(path)
        if text is None:
            text = path.read_bytes().decode("utf-8", "replace")
        new = image.sub(lambda match: f"{krmkit.REGISTRY}/{match[1]}:{krmkit.TAG}", text)
        new = ACTION.sub(lambda match: actions.get(match[1], match[0]), new)
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
