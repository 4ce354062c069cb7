"""The documents lead somewhere: links to files and headings that are there, every page within reach, rules two jumps away."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from krmkit.fn import loader
from tests.meta.pages import FENCED, INLINE, ROOT, each_page

OVERVIEWS = ("tutorial.md", "kustomize.md", "ci.md", "troubleshooting.md", "limits.md", "architecture.md")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(?P<title>.+)$", re.MULTILINE)


def anchor(title: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def dead_links(text: str, folder: Path) -> list[str]:
    """Relative links that lead to no file, or to no heading of one."""
    dead = []
    for match in LINK.finditer(INLINE.sub("", FENCED.sub("", text))):
        target, _, fragment = match["target"].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        path = folder / target if target else None
        if path is not None and not path.exists():
            dead.append(match["target"])
        elif fragment:
            titles = HEADING.findall(FENCED.sub("", path.read_text("utf-8") if path else text))
            if fragment not in map(anchor, titles):
                dead.append(match["target"])
    return dead


@each_page
def test_links(page: Path) -> None:
    """No relative link of a page is dead."""
    assert not dead_links(page.read_text("utf-8"), page.parent)


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[a](tests/meta/test_docs.py)", []),
        ("[a](docs/nowhere.md)", ["docs/nowhere.md"]),
        ("# One `two`\n[a](#one-two)", []),
        ("# One\n[a](#two)", ["#two"]),
        ("[a](README.md#for-whom)", []),
        ("[a](README.md#no-such-heading)", ["README.md#no-such-heading"]),
        ("[a](https://example.com/x)", []),
        ("`[a](no-link)`\n```sh\n[b](none)\n```", []),
    ],
)
def test_dead_links_are_found(text: str, dead: list[str]) -> None:
    """The search finds files and headings that are not there, and leaves code alone."""
    assert dead_links(text, ROOT) == dead


@each_page
def test_links_to_sources_say_their_names(page: Path) -> None:
    """A link whose text is the name of a source file leads to a file of that name: files move, and their old names stay in texts."""
    links = re.findall(r"\[`?([^\]`]+\.py)`?\]\(([^)\s]+)\)", page.read_text("utf-8").replace("\\_", "_"))

    assert [text for text, target in links if not f"/{target}".endswith(f"/{text}")] == []


def test_readme_leads_to_every_page() -> None:
    """Whatever is in docs is linked from the project's page or from a page that it links."""
    known: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in known or page.suffix != ".md" or not page.is_file():
            continue
        known.add(page)
        for match in LINK.finditer(page.read_text("utf-8")):
            if "://" not in match["target"]:
                todo.append((page.parent / match["target"].partition("#")[0]).resolve())

    pages = set(ROOT.glob("docs/*.md"))
    assert {page.name for page in pages} >= set(OVERVIEWS)
    assert not pages - known


def test_a_rule_is_two_jumps_away() -> None:
    """The module that docs/architecture.md names for a function is one that its main.py imports."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    rows = re.findall(
        r"^\| \[([a-z-]+)\]\(\.\./functions/[a-z-]+/main\.py\) \| \[([a-z]+)/([a-z/]+)\.py\]",
        text,
        re.MULTILINE,
    )

    sources = {name: (ROOT / "functions" / name / "main.py").read_text("utf-8") for name in loader.names()}
    systems = "|".join(sorted({system for _, system, _ in rows}))
    # A function that `make new` has just made has no rule yet.
    ruled = {
        name for name, source in sources.items() if re.search(rf"from krmkit\.systems\.({systems})\.", source)
    }
    assert {name for name, _, _ in rows} == ruled
    for name, system, path in rows:
        assert f"from krmkit.systems.{system}.{path.replace('/', '.')} import " in sources[name], name


@each_page
def test_named_tests(page: Path) -> None:
    """A test that a page names is there."""
    named = re.findall(r"tests/[\w/]+\.py", page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []
