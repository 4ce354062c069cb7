"""The documents as the tests of them see them: pages, and the fenced blocks on them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from krmkit.fn import loader

ROOT = Path(__file__).resolve().parents[2]
DEFINITIONS = {name: loader.load(name).definition for name in loader.names()}
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("functions/*/README.md"),
        *ROOT.glob("examples/*/README.md"),
    ]
)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]+`")
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[str]:
    """The texts of a page's fenced blocks in these languages."""
    found = _BLOCK.finditer(page.read_text("utf-8"))
    return [match["text"] for match in found if match["language"] in languages]
