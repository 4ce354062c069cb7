"""The page of a report on a platform, in a real Chromium: one view for each system, and the same inside a package."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.views.page import page
from tests.e2e.browser import Browser, chromium

pytestmark = pytest.mark.browser
VIEWS = ["Overview", "Clusters", "Packs", "Installations", "Extensions", "Variants", "Versions"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def platform(project: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the example platform, in which the machines of one site roll."""
    root = tmp_path_factory.mktemp("platform") / "platform"
    shutil.copytree(project / "examples/platform", root)
    fleet = ["--packages", str(root), "--objects", str(root / "fleet/objects"), "--out", str(root / "sites")]
    assert main(["variants", "render", str(root / "fleet/plants.yaml"), *fleet]) == 0
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(root)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    for name, old, new in (("versions.yaml", "v1.31.4", "v1.32.1"), ("packs.yaml", "1.31.4", "1.32.1")):
        place = root / "sites/lyon/plant" / name
        place.write_text(place.read_text("utf-8").replace(old, new), "utf-8")
    place = root.parent / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert main(["report", ".", "-o", str(place)]) == 0
    return place.as_uri()


def test_one_navigation(browser: Browser, platform: str) -> None:
    """Every system that is there has a view, with its number; none that is not."""
    browser.open(platform)

    names = browser.run(
        "return [...document.querySelectorAll('.views a')].map((each) => each.firstChild.textContent)"
    )
    assert names == VIEWS
    for view in VIEWS[1:]:
        browser.run(f"location.hash = '#view={view.lower()}'")
        browser.until(f"return document.querySelector('main h2').textContent === '{view}'")
        assert (
            browser.run("return document.querySelector('.views [aria-current]').firstChild.textContent")
            == view
        )
        assert len(browser.all("main section")) >= 1
    assert browser.errors() == []


def test_the_address_of_a_view(browser: Browser, platform: str) -> None:
    """It can be sent to somebody."""
    browser.open(f"{platform}#view=clusters")

    browser.until("return document.querySelector('main h2').textContent === 'Clusters'")


def test_clusters_as_trees(browser: Browser, platform: str) -> None:
    """What rolls comes first, with its steps; every picture has a text beside it."""
    browser.open(f"{platform}#view=clusters")

    rolling = browser.text("#rolling .cluster")
    assert "lyon/lyon" in rolling and "v1.32.1" in rolling
    assert "rolls in step 1" in rolling and "rolls in step 2" in rolling
    assert "3 machines" in rolling and "Step 2: floor, 2 machines (1 more at a time)" in rolling
    assert browser.run("return document.querySelectorAll('#rolling .tree > li').length") == 2
    assert browser.run("return document.querySelectorAll('#rolling .dots.rolling rect').length") == 5
    assert "bergen/bergen" in browser.text("#resting")
    steps = browser.run(
        "return [...document.querySelectorAll('#rolling table tbody tr')].map((row) => row.cells[0].textContent)"
    )
    assert steps == ["1", "2"]


def test_installations_as_a_graph(browser: Browser, platform: str) -> None:
    """Boxes with phases, an arrow with its key, nested ones in a picture of their own; the table says the same."""
    browser.open(platform)
    browser.run(
        "[...document.querySelectorAll('#packages a')].find((a) => a.textContent.includes('lyon')).click()"
    )
    browser.until("return document.querySelector('main h2').textContent === 'sites/lyon/plant'")

    pictures = browser.run(
        "return [...document.querySelectorAll('#installations svg.installations')].map((each) => each.getAttribute('aria-label'))"
    )
    assert pictures == [
        "Installations: 2 installations, 1 arrow. The table below says the same.",
        "Installations inside store: 1 installation, 0 arrows. The table below says the same.",
    ]
    said = browser.run(
        "return document.querySelector('#installations svg.installations path.arrow title').textContent"
    )
    assert said == "store gives store-url to portal"
    table = browser.run("return document.querySelector('#installations table').textContent")
    assert "after success: 24h" in table and "store/database" in table and "Succeeded" in table
    effect = browser.run("return document.querySelector('#extensions table').textContent")
    assert "mirror.lyon.example.com" in effect and "imageRepository" in effect
    parts = browser.run("return [...document.querySelectorAll('.jump a')].map((each) => each.textContent)")
    assert parts == [
        "Findings",
        "Clusters",
        "Installations",
        "Packs",
        "Extensions",
        "Changes",
        "Values",
        "Pipeline",
    ]


def test_exports_over_packages(browser: Browser, platform: str) -> None:
    """Who exports what, and who imports it."""
    browser.open(f"{platform}#view=installations")

    row = browser.run("return document.querySelector('#links tbody tr').textContent")
    assert "store-url" in row and "portal" in row


def test_the_search_narrows_views(browser: Browser, platform: str) -> None:
    """Only what holds the words stays, and Esc brings the rest back."""
    browser.open(f"{platform}#view=clusters")

    browser.press("/", "turin")

    browser.until("return document.querySelectorAll('main .cluster').length === 1")
    assert "turin/turin" in browser.text("main .cluster")
    browser.press("\ue00c")
    browser.until("return document.querySelectorAll('main .cluster').length === 4")


@pytest.mark.parametrize("width", [360, 768, 1200])
@pytest.mark.parametrize("view", VIEWS)
def test_views_fit(browser: Browser, platform: str, width: int, view: str) -> None:
    """Nothing sticks out at any width, and everything has a name."""
    browser.open(f"{platform}#view={view.lower()}", width)
    browser.find("main section")

    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    nameless = (
        "return [...document.querySelectorAll('button, a, nav, [role=region], svg[role=img]')].filter((each) =>"
        " !each.getAttribute('aria-label') && !each.textContent.trim()).map((each) => each.outerHTML)"
    )
    assert browser.run(nameless) == []
    headings = browser.run(
        "return [...document.querySelectorAll('h1,h2,h3,h4,h5')].map((each) => +each.tagName[1])"
    )
    assert all(after - before <= 1 for before, after in zip(headings, headings[1:], strict=False)), headings
    ids = browser.run("return [...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


def test_installations_without_scrolling(browser: Browser, platform: str) -> None:
    """All columns of the table are seen on a common screen."""
    browser.open(f"{platform}#view=installations", 1200)
    browser.find(".installations-table")

    widths = "const table = document.querySelector('.installations-table table'); return [table.scrollWidth, table.parentElement.clientWidth]"
    needed, there = browser.run(widths)
    assert needed <= there


def test_hostile_names_in_views(browser: Browser, tmp_path: Path) -> None:
    """Markup in what systems say is shown as it is."""
    bad = "<img src=x onerror=\"document.title='owned'\">"
    group = {
        "role": "controlPlane",
        "name": "",
        "replicas": 1,
        "rolls": {"sure": True, "reasons": [bad], "steps": [1]},
    }
    cluster = {"namespace": bad, "name": bad, "version": bad, "action": "change", "groups": [group]}
    node = {
        "path": bad,
        "namespace": "n",
        "name": bad,
        "phase": "Failed",
        "errors": [bad],
        "deployItems": [{"name": bad, "type": bad}],
    }
    extension = {"name": bad, "set": [{"resource": bad, "field": bad, "value": bad, "handler": bad}]}
    one = {
        "path": bad, "functions": [], "results": [], "changes": [], "clusters": [cluster], "extensions": [extension],
        "installations": {"nodes": [node], "edges": [{"from": bad, "to": bad, "key": bad}]},
    }  # fmt: skip
    data = {
        "packages": [one, {**one, "path": "other"}],
        "versions": [{"kind": "kubernetes", "name": bad, "versions": [{"version": bad, "packages": [bad]}]}],
        "collisions": [{"message": bad, "packages": [bad]}],
        "links": [
            {
                "kind": "data",
                "namespace": bad,
                "key": bad,
                "from": [{"package": bad, "installation": bad}],
                "to": [],
            }
        ],
    }
    place = tmp_path / "page.html"
    place.write_text(page(data))

    for part in (
        "view=clusters",
        "view=installations",
        "view=extensions",
        "view=versions",
        "view=collisions",
        "package=0",
    ):
        browser.open(f"{place.as_uri()}#{part}")
        browser.find("main section")
        assert browser.run("return document.querySelectorAll('img').length") == 0
        assert browser.run("return document.title").endswith("krmkit report")
        assert browser.errors() == []
