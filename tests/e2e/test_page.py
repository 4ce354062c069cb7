"""The page of krmkit report in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from krmkit.cli import main
from krmkit.views.page import page
from tests.e2e.browser import Browser, chromium
from tests.e2e.manypackages import sample, thousand
from tests.unit.cli.packages import KPTFILE, PACK, one_pack

pytestmark = pytest.mark.browser
EDGE = "examples/edge-cluster-profile"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def profile(project: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of one package."""
    place = tmp_path_factory.mktemp("page") / "profile.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert main(["report", EDGE, "-o", str(place)]) == 0
    return place.as_uri()


@pytest.fixture(scope="module")
def fleet(project: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of many packages, some of which fail."""
    place = tmp_path_factory.mktemp("page") / "fleet.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert main(["report", "functions", "-o", str(place)]) == 1
    return place.as_uri()


def test_it_opens(browser: Browser, profile: str) -> None:
    """No error on the console, no request but for the page itself, and all sections are there."""
    browser.open(profile)

    sections = browser.run("return [...document.querySelectorAll('main section')].map((each) => each.id)")
    assert sections == ["findings", "packs-0", "changes", "values", "pipeline"]
    assert browser.errors() == []
    assert browser.requests() == [profile]
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


def test_nothing_to_show(browser: Browser, tmp_path: Path) -> None:
    """A report on no package opens, too: --since may leave none."""
    place = tmp_path / "page.html"
    place.write_text(page({"packages": []}))

    browser.open(place.as_uri())

    assert browser.text("#title") == "0 packages" and browser.errors() == []


def test_side_by_side_and_folded(browser: Browser, profile: str) -> None:
    """What changed stands side by side; unchanged lines are folded until they are asked for."""
    browser.open(profile)

    row = browser.run(
        "return [...document.querySelectorAll('.diff tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
        ".find((cells) => cells.length === 4 && cells[1].includes('datastore: sqlite'))"
    )
    assert (row[0], row[2]) == ("48", "48") and "datastore: etcd" in row[3]
    rows = len(browser.all(".file:first-of-type .diff tr"))
    browser.click(".file:first-of-type .fold button")
    assert len(browser.all(".file:first-of-type .diff tr")) == rows + 44 - 1


def test_why_on_click(browser: Browser, profile: str) -> None:
    """A line of the diff says where its value comes from; Esc closes the answer."""
    browser.open(profile)

    browser.run(
        "[...document.querySelectorAll('.diff td')].find((cell) => cell.textContent.includes('model: large'))"
        ".querySelector('button.why').focus()"
    )
    browser.press(Keys.ENTER)
    said = browser.text("#why")
    assert "ConfigMap/line-vision charts.line-vision.model" in said
    assert "small → large" in said
    assert f"{EDGE}/packs/line-vision.yaml:89:7" in said
    browser.press(Keys.ESCAPE)
    assert not browser.run("return document.getElementById('why').open")
    assert browser.run("return document.activeElement.className") == "why"


def test_pictures(browser: Browser, profile: str) -> None:
    """The graph has every pack and arrows; each picture says what it shows, and tables say the same."""
    browser.open(profile)

    names = browser.run(
        "return [...document.querySelectorAll('.graph .pack .name')].map((each) => each.textContent)"
    )
    assert {"edge-os", "edge-k3s", "mesh-cni", "block-csi", "line-vision", "site-telemetry"} <= set(names)
    assert browser.run("return document.querySelectorAll('.graph .arrow.good').length") >= 4
    unnamed = "return [...document.querySelectorAll('svg[role=img]')].filter((each) => !each.getAttribute('aria-label')).length"
    assert browser.run(unnamed) == 0
    text = browser.run("return document.querySelector('main').textContent")
    assert "3250m of 16000m (20 %)" in text


def test_search(browser: Browser, fleet: str) -> None:
    """`/` goes to the search; it looks into findings too; Esc ends it."""
    browser.open(fleet)
    whole = len(browser.all("#by-package tbody tr"))

    browser.press("/")
    browser.press("unknown-preset")

    # A search begins when no letter came for a moment, so the page may find something for half of the words before.
    browser.until("return document.querySelector('#by-package').textContent.includes('“unknown-preset”')")
    assert len(browser.all("#by-package tbody tr")) < whole
    found = browser.run(
        "return [...document.querySelectorAll('#by-package tbody a')].map((each) => each.title)"
    )
    assert "functions/apply-presets/examples/unknown-preset" in found
    assert browser.text("#status") == f"{len(found)} package{'s' * (len(found) != 1)} found"
    browser.press(Keys.ESCAPE)
    assert len(browser.all("#by-package tbody tr")) == whole


def test_enter_opens_what_was_found(browser: Browser, fleet: str) -> None:
    """Enter need not wait for the search, and opens the first package of the list."""
    browser.open(fleet)

    browser.press("/")
    browser.press("unknown-preset")
    browser.press(Keys.ENTER)

    browser.until("return document.querySelector('main h2.path') !== null")
    first = browser.run("return document.querySelector('#packages ul:not(.views) .path').title")
    assert browser.run("return document.querySelector('main h2.path').textContent") == first


def test_the_verdict_is_first(browser: Browser, tmp_path: Path) -> None:
    """Tiles count what failed, was refused, changes and rolls; lists leave out the folder that all packages share."""
    package: dict[str, Any] = {"results": [], "changes": [], "functions": [], "failure": ""}
    clusters: list[dict[str, Any]] = [
        {"action": action, "rolls": [], "changes": [], "errors": [], "waits": []}
        for action in ("refused", "same")
    ]
    reports = [
        {**package, "path": "sites/north/a", "topology": {"clusters": clusters}},
        {**package, "path": "sites/north/b\u202egnp", "failure": "it broke"},
        {**package, "path": "sites/south"},
    ]
    place = tmp_path / "page.html"
    place.write_text(page({"packages": reports}), "utf-8")

    browser.open(place.as_uri())

    assert browser.errors() == []
    tiles = [each.text.split("\n") for each in browser.all(".card")]
    assert tiles[:4] == [
        ["1", "failed"],
        ["1", "Clusters refused"],
        ["0", "would change"],
        ["0", "Clusters roll machines"],
    ]
    listed = [each.text for each in browser.all("#packages ul:not(.views) .path")]
    assert listed == ["north/a", "north/b[U+202E]gnp", "south"]


def test_search_inside_a_package(browser: Browser, profile: str) -> None:
    """Only the findings, files and values that hold the words stay."""
    browser.open(profile)

    browser.press("/", "wireguard")

    browser.until(
        "const files = [...document.querySelectorAll('.file summary')];"
        "return files.length === 1 && files[0].textContent.includes('mesh-cni.yaml')"
    )


def test_keys(browser: Browser, fleet: str) -> None:
    """j and k go through the packages, n through what one shows, ? shows the keys; a letter in the search is a letter."""
    browser.open(fleet)
    first = browser.run("return document.querySelector('#packages ul:last-of-type .path').title")

    browser.press("j")
    browser.until("return location.hash === '#package=0'")
    assert browser.text("main h2") == first
    browser.run(
        "for (const key of 'jjk') document.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
    )
    browser.until("return location.hash === '#package=1'")
    browser.press("k")
    browser.until("return location.hash === '#package=0'")
    browser.press("n")
    assert browser.run("return document.activeElement.hasAttribute('data-item')")
    browser.press("?")
    assert "next package" in browser.text("#help")
    browser.press(Keys.ESCAPE, "/", "j")
    assert browser.run("return [location.hash, document.getElementById('search').value]") == [
        "#package=0",
        "j",
    ]


def test_filters(browser: Browser, fleet: str) -> None:
    """The list shows what failed, when asked for it."""
    browser.open(fleet)

    failed = next(each for each in browser.all(".filters button") if each.text.startswith("Failed"))
    count = int(failed.text.split()[-1])
    failed.click()

    assert len(browser.all("#by-package tbody tr")) == count
    assert browser.all("#packages .dot.error") and len(browser.all("#packages .dot")) == count


@pytest.mark.parametrize(("is_dark", "name"), [(False, "light"), (True, "dark")])
def test_colours(browser: Browser, profile: str, is_dark: bool, name: str) -> None:
    """As the system asks, or as chosen; text can be read in both."""
    browser.dark(is_dark)
    browser.open(profile)
    browser.run("localStorage.clear()")
    browser.open(profile)

    def light() -> bool:
        colour = browser.run("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(", "))) > 600

    assert light() != is_dark, name
    browser.press("t")
    assert browser.run("return document.documentElement.dataset.theme") == "light" and light()
    browser.press("t")
    assert not light()
    browser.open(profile)
    assert not light(), "the choice is kept"
    browser.press("t")
    browser.dark(False)


@pytest.mark.parametrize("width", [360, 390, 768, 1200])
def test_widths(browser: Browser, profile: str, fleet: str, width: int) -> None:
    """Nothing sticks out at the width of a phone; diffs have one column there."""
    for address in (profile, fleet):
        browser.open(address, width)
        browser.find("main section")
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    browser.open(profile, width)
    assert bool(browser.all(".diff.one")) == (width <= 760)


def test_screen_readers(browser: Browser, fleet: str, profile: str) -> None:
    """Landmarks, one first heading, names of controls, headings of columns."""
    for address in (fleet, profile):
        browser.open(address)
        for landmark in ("header", "main", "[role=search]", "[role=status]"):
            assert len(browser.all(landmark)) >= 1, landmark
        assert len(browser.all("h1")) == 1
        nameless = (
            "return [...document.querySelectorAll('button, input, nav, [role=region], a')].filter((each) =>"
            " !each.getAttribute('aria-label') && !each.textContent.trim()).map((each) => each.outerHTML)"
        )
        assert browser.run(nameless) == []
        bare = "return [...document.querySelectorAll('table')].filter((each) => !each.querySelector('th[scope]')).length"
        assert browser.run(bare) == 0
    assert browser.run("return document.querySelector('nav').getAttribute('aria-label')") == "Contents"


def test_a_thousand_packages(browser: Browser, tmp_path: Path) -> None:
    """Only what is seen is drawn, and the rest comes when it is asked for."""
    place = tmp_path / "page.html"
    place.write_text(page(thousand(json.loads(sample(tmp_path)))))

    browser.open(place.as_uri())

    assert browser.text("#title") == "1,000 packages"
    assert browser.run("return document.querySelectorAll('*').length") < 5000
    assert len(browser.all("#by-package tbody tr")) == 100
    browser.press("/", "package-0999")
    browser.until("return document.querySelectorAll('#by-package tbody tr').length === 1")
    browser.click("#by-package a")
    assert browser.text("main h2") == "fleet/package-0999"
    assert browser.errors() == []


def test_hostile_names(browser: Browser, tmp_path: Path) -> None:
    """Markup in names, values, messages and paths is shown as it is, and does nothing."""
    package = tmp_path / "p <b>&amp; q"
    package.mkdir()
    mark = json.dumps(HOSTILE)
    (package / "Kptfile").write_text(KPTFILE.replace("{preset}", "fast"))
    (package / "app.yaml").write_text(
        PACK.replace("mode: slow   # or fast", f"mode: {HOSTILE}").replace(
            '"version": "1.0.0"', f'"version": {mark}'
        )
    )
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    (wrong / "Kptfile").write_text(KPTFILE.replace('"Mode:{preset}"', mark.replace("<", "</script><", 1)))
    (wrong / "app.yaml").write_text(PACK)
    place = tmp_path / "page.html"
    assert main(["report", str(tmp_path), "-o", str(place)]) == 1

    browser.open(place.as_uri())
    for number in range(2):
        browser.run(f"location.hash = '#package={number}'")
        browser.until("return document.querySelector('main h2.path') !== null")
        browser.run("for (const each of document.querySelectorAll('main details')) each.open = true")
        browser.run(
            "const why = document.querySelector('button.why'); if (why) { why.click(); document.getElementById('why').close(); }"
        )

    assert browser.run("return document.querySelectorAll('img, main b').length") == 0
    assert browser.run("return document.title").endswith("krmkit report")
    assert browser.errors() == []
    assert HOSTILE in browser.run("return document.body.textContent")


def test_secrets_are_not_in_the_source(browser: Browser, package: Path, tmp_path: Path) -> None:
    """Not even where nobody sees them."""
    (package / "secret.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2-hunter2}\n"
    )
    app = package / "app.yaml"
    app.write_text(app.read_text().replace("# or fast", "# hunter2-hunter2"))
    place = tmp_path / "page.html"
    assert main(["report", str(package), "-o", str(place)]) == 0

    browser.open(place.as_uri())

    assert "hunter2" not in browser.driver.page_source
    assert "(secret)" in browser.text(".diff")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with one pack."""
    return one_pack(tmp_path / "package")
