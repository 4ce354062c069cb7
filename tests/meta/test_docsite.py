"""The site of the documents: every link of a page keeps its meaning, and what is wrong fails `make docs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docsite import CHAPTERS, ROOT, SiteError, dead, lay_out, pages


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small one, with a page of each kind."""
    for name, text in {
        "README.md": "# One\n\n[docs](docs/page.md#two) `[code](nowhere)` [far](https://example.com/x.md)\n",
        "docs/page.md": "# Page\n\n## Two\n\n[source](../lib/a.py) [folder](../lib) [up](../README.md) ![](p.svg)\n",
        "docs/p.svg": "<svg/>",
        "functions/f/README.md": "# f\n\n[page](../../docs/page.md)\n",
        "lib/a.py": "x = 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_links_keep_their_meaning(repository: Path) -> None:
    """README.md is the first page of its folder; a source file and a folder become pages; code and addresses stay."""
    made = pages(repository)

    assert "[docs](docs/page.md#two) `[code](nowhere)` [far](https://example.com/x.md)" in str(
        made["index.md"]
    )
    assert "[source](../lib/a.py.md) [folder](../lib/index.md) [up](../index.md) ![](../docs/p.svg)" in str(
        made["docs/page.md"]
    )
    assert "```python\nx = 1\n" in str(made["lib/a.py.md"])
    assert "- `a.py`\n" in str(made["lib/index.md"])
    assert "[page](../../docs/page.md)" in str(made["functions/f/index.md"])
    assert "\nfunctions/f/index\n" in str(made["index.md"])
    assert made["docs/p.svg"] == repository / "docs/p.svg"


@pytest.mark.parametrize("link", ["nowhere.md", "../../outside.md", "../lib/b.py"])
def test_a_link_that_leads_nowhere(repository: Path, link: str) -> None:
    """The message names the page and the link."""
    (repository / "docs/page.md").write_text(f"# Page\n\n[a]({link})\n", "utf-8")

    with pytest.raises(SiteError, match=rf"docs/page\.md: {link} must be a file or folder"):
        lay_out(repository / "build", repository)


def test_the_documents_can_be_laid_out(tmp_path: Path) -> None:
    """Each page has its place, and the navigation names each of docs/ once."""
    lay_out(tmp_path / "pages")

    named = [page for chapter in CHAPTERS.values() for page in chapter]
    assert sorted(named) == sorted(
        [
            "CONTRIBUTING",
            "CHANGELOG",
            "docs/index",
            *(f"docs/{path.stem}" for path in ROOT.glob("docs/*.md") if path.stem != "README"),
        ]
    )
    assert all((tmp_path / "pages" / f"{page}.md").is_file() for page in named)


PAGES: list[tuple[str, str, str]] = [
    ("a dead link", '<a href="../nowhere/">', "index.html: ../nowhere/ leads nowhere"),
    ("a heading that is not there", '<a href="other/#three">', "index.html: other/#three names no heading"),
    (
        "a script from elsewhere",
        '<script src="https://example.com/a.js">',
        "index.html: loads https://example.com/a.js",
    ),
    ("a style that is not there", '<link href="a.css">', "index.html: a.css leads nowhere"),
    ("all is well", '<a href="other/#two"></a> <a href="https://example.com">', ""),
]


@pytest.mark.parametrize(("text", "problem"), [case[1:] for case in PAGES], ids=[case[0] for case in PAGES])
def test_links_of_a_built_site(tmp_path: Path, text: str, problem: str) -> None:
    """What a reader would come upon is found."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/index.html").write_text('<h2 id="two">Two</h2>', "utf-8")
    (tmp_path / "index.html").write_text(text, "utf-8")

    assert dead(tmp_path) == ([problem] if problem else [])


def test_a_site_without_pages(tmp_path: Path) -> None:
    """Is no success."""
    assert dead(tmp_path) == [f"{tmp_path} has no pages"]
