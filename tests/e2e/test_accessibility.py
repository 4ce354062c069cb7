"""The pages of `krmkit report` and `krmkit preview` as axe judges them, in light and dark colours, wide and narrow."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from krmkit.cli import main
from tests.e2e.browser import Browser, chromium
from tests.e2e.test_preview import Server
from tests.waiting import MOST

pytestmark = pytest.mark.browser
AXE = (resources.files("selenium_axe_python") / "axe-core" / "axe.min.js").read_text("utf-8")
RUN = "const done = arguments[0]; axe.run(document).then(done, (error) => done({violations: [{id: String(error), nodes: []}]}));"
UNFOLD = """for (const section of document.querySelectorAll('main section'))
    [...section.querySelectorAll('details')].forEach((each, at) => { each.open = at < 3; });"""
LOOKS = [
    pytest.param(False, 1200, id="light and wide"),
    pytest.param(True, 390, id="dark and narrow"),
    pytest.param(True, 1200, id="dark and wide"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    with chromium() as made:
        made.driver.set_script_timeout(MOST)
        yield made


PACKAGES = (
    "examples/edge-cluster-profile",
    "functions/apply-presets/examples/unknown-preset",
    "functions/render-installation/examples/greeter",
    "functions/render-cluster-topology/examples/quick-start",
)


@pytest.fixture(scope="module")
def report(project: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of packages of each kind, one of which fails."""
    folder = tmp_path_factory.mktemp("page")
    for name in PACKAGES:
        shutil.copytree(project / name, folder / "all" / Path(name).name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["report", "all", "-o", "report.html"]) == 1
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def preview(project: Path, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A preview of packs."""
    folder = tmp_path_factory.mktemp("preview") / "profile"
    shutil.copytree(project / "examples/edge-cluster-profile", folder)
    server = Server(folder)
    yield server.address
    browser.driver.execute_cdp_cmd("Page.navigate", {"url": "about:blank"})
    assert server.end() == (0, "")


def complaints(browser: Browser) -> list[str]:
    """What axe has against the page as it is now: rule, reason, and the first elements."""
    browser.driver.execute_script(AXE)
    found = browser.driver.execute_async_script(RUN)
    return [
        f"{rule['id']}: {rule.get('help', '')}: "
        + "; ".join(
            f"{node['html'][:150]} {node.get('failureSummary', '')[:300]}" for node in rule["nodes"][:4]
        )
        + f" ({len(rule['nodes'])} in all)"
        for rule in found["violations"]
    ]


def show(browser: Browser, address: str, is_dark: bool, width: int) -> None:
    """Open a page with nothing moving."""
    browser.dark(is_dark)
    browser.open(address, width)
    browser.find("main section")


def test_complaints_are_heard(browser: Browser, tmp_path: Path) -> None:
    """Pale text, and a picture that says nothing."""
    page = tmp_path / "page.html"
    page.write_text(
        '<html lang="en"><title>a</title><main><h1>a</h1><p style="color: #ccc">pale</p><svg role="img"></svg></main></html>'
    )
    browser.open(page.as_uri())

    assert sorted(complaint.split(":")[0] for complaint in complaints(browser)) == [
        "color-contrast",
        "svg-img-alt",
    ]


@pytest.mark.parametrize(("is_dark", "width"), LOOKS)
def test_report(browser: Browser, report: str, is_dark: bool, width: int) -> None:
    """All packages; one of each kind, unfolded; why a value is so; the keys."""
    show(browser, report, is_dark, width)
    assert complaints(browser) == []

    names = browser.run(
        "return JSON.parse(document.getElementById('data').textContent).packages.map((one) => one.path)"
    )
    assert len(names) == len(PACKAGES)
    for name in names:
        browser.run(f"location.hash = '#package={names.index(name)}'")
        browser.until(
            f"return document.querySelector('main h2.path')?.textContent.includes({json.dumps(name)})"
        )
        browser.run(UNFOLD)
        assert complaints(browser) == [], name

    browser.run(f"location.hash = '#package={names.index('all/edge-cluster-profile')}'")
    browser.until("return document.querySelector('button.why') !== null")
    browser.run("document.querySelector('button.why').click()")
    browser.until("return document.getElementById('why').open")
    assert complaints(browser) == []
    browser.press(Keys.ESCAPE, "?")
    browser.until("return document.getElementById('help').open")
    assert complaints(browser) == []
    browser.dark(False)


@pytest.mark.parametrize(("is_dark", "width"), LOOKS)
def test_preview(browser: Browser, preview: str, is_dark: bool, width: int) -> None:
    """Unfolded, and with a choice that waits to be written."""
    show(browser, preview, is_dark, width)
    browser.run(UNFOLD)
    assert complaints(browser) == []

    browser.click("#choice-pipeline\\.mutators\\[0\\]-edge-k3s-Datastore-sqlite")
    browser.until("return document.getElementById('waiting').textContent !== ''")
    assert complaints(browser) == []
    browser.dark(False)
