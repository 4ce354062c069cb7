"""krmkit preview in a real Chromium: choices are tried at once, and written with the button only."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.e2e.browser import Browser, chromium
from tests.unit.cli.packages import KPTFILE, PACK, contents
from tests.waiting import MOST

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
SQLITE = "#choice-pipeline\\.mutators\\[0\\]-edge-k3s-Datastore-sqlite"
ETCD = "#choice-pipeline\\.mutators\\[0\\]-edge-k3s-Datastore-embedded-etcd"
NAME = "#choice-pipeline\\.mutators\\[1\\]-system-cluster\\.name"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    with chromium() as made:
        yield made


class Server:
    """A `krmkit preview` of a folder; `address` is what it printed."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "krmkit.cli", "preview", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", line)
        if found is None:
            _, said = self.process.communicate(timeout=MOST)
            pytest.fail(f"{line}{said}")
        self.address, self.port = found[0], int(found[1])

    def end(self) -> tuple[int, str]:
        """Ctrl-C; returns the exit code and what it said on stderr."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=MOST)
        return self.process.returncode, said


@pytest.fixture
def profile(project: Path, tmp_path: Path) -> Path:
    """A copy of the example of an edge cluster."""
    folder = tmp_path / "profile"
    shutil.copytree(project / "examples/edge-cluster-profile", folder)
    return folder


@pytest.fixture
def server(profile: Path, browser: Browser) -> Iterator[Server]:
    made = Server(profile)
    yield made
    browser.driver.execute_cdp_cmd("Page.navigate", {"url": "about:blank"})
    assert made.end() == (0, "")


def saved(browser: Browser) -> str:
    """Press the button, and wait for what it says."""
    browser.until("return !document.getElementById('save').disabled")
    browser.click("#save")
    said = "const note = document.getElementById('note'); return note && /^Written/.test(note.textContent) && note.textContent"
    return str(browser.until(said))


def is_selected(browser: Browser, selector: str) -> bool:
    return browser.use(selector, WebElement.is_selected)


def can_save(browser: Browser) -> bool:
    return browser.use("#save", WebElement.is_enabled)


def test_a_preset(browser: Browser, profile: Path, server: Server) -> None:
    """Chosen, it shows in diff and totals; the file changes only after the button, and keeps its comments."""
    before = contents(profile)
    browser.open(server.address)
    assert is_selected(browser, ETCD)
    assert "datastore: etcd" in browser.text("#changes")

    browser.click(SQLITE)

    browser.until("return document.getElementById('waiting').textContent === 'Not written yet: presets.yaml'")
    assert "datastore: etcd" not in browser.text("#changes") and "presets.yaml" in browser.text("#changes")
    assert contents(profile) == before
    assert saved(browser) == "Written: presets.yaml"
    after = contents(profile)
    assert {path for path in after if after[path] != before[path]} == {"presets.yaml"}
    assert after["presets.yaml"] == before["presets.yaml"].replace("embedded-etcd", "sqlite")
    assert is_selected(browser, SQLITE) and not can_save(browser)
    assert browser.errors() == []


def test_a_macro(browser: Browser, profile: Path, server: Server) -> None:
    """A value is tried when it has been typed; discarded, it is gone."""
    before = contents(profile)
    browser.open(server.address)

    field = browser.find(NAME)
    field.clear()
    field.send_keys("plant-99", Keys.TAB)

    browser.until("return document.getElementById('changes').textContent.includes('plant-99-node')")
    browser.click("#discard")
    browser.until("return !document.getElementById('changes').textContent.includes('plant-99-node')")
    assert browser.use(NAME, lambda field: field.get_attribute("value")) == "plant-7"
    assert contents(profile) == before


def test_typing_goes_on(browser: Browser, profile: Path, server: Server) -> None:
    """What is drawn anew while somebody types takes no letter, and tries nothing that is half typed."""
    browser.open(server.address)
    field = browser.find(NAME)
    field.send_keys("-a")

    presets = profile / "presets.yaml"
    presets.write_text("# mine\n" + presets.read_text())
    browser.until(
        "const note = document.getElementById('note'); return note && /changed on disk/.test(note.textContent)"
    )

    assert field == browser.driver.switch_to.active_element
    assert "plant-7-a" not in browser.text("#changes") and not can_save(browser)
    browser.press("b", Keys.TAB)
    browser.until("return document.getElementById('changes').textContent.includes('plant-7-ab-node')")


def test_totals_follow(browser: Browser, server: Server) -> None:
    """What the packs ask of the pools is that of the choices."""
    browser.open(server.address)
    assert "3250m of 16000m" in browser.text("#pool-totals")

    browser.click("#choice-pipeline\\.mutators\\[0\\]-line-vision-Accelerator-cpu")

    browser.until("return document.getElementById('pool-totals').textContent.includes('2250m of 16000m')")


def test_a_broken_config(browser: Browser, profile: Path, server: Server) -> None:
    """The page says that the package cannot be read, counts the error once, and comes back when it is mended."""
    browser.driver.get(server.address)
    browser.until("return document.querySelector('#choices fieldset')")
    before = (profile / "macros.yaml").read_text()
    (profile / "macros.yaml").write_text("a: [\n")
    found = "const one = document.getElementById('no-choices'); return one && one.textContent"

    assert str(browser.until(found)).startswith("The package cannot be read.")
    shown = browser.driver.execute_script("return document.getElementById('choices').textContent")
    assert "1 error" in shown
    assert "null" not in shown

    (profile / "macros.yaml").write_text(before)
    browser.until("return document.querySelector('#choices fieldset')")


def test_no_null(browser: Browser, server: Server) -> None:
    """Parts that are not there leave no trace."""
    browser.driver.get(server.address)
    browser.until("return document.querySelector('#choices .totals')")
    assert (
        browser.driver.execute_script(
            "return [...document.getElementById('choices').childNodes].filter((one) => one.nodeType === Node.TEXT_NODE).length"
        )
        == 0
    )


def test_files_are_watched(browser: Browser, profile: Path, server: Server) -> None:
    """A file that somebody changes shows, beside a choice that stays; what the page did not show is not overwritten."""
    browser.open(server.address)
    browser.click(SQLITE)
    browser.until("return !document.getElementById('save').disabled")

    macros = profile / "macros.yaml"
    other = profile.parent / "macros.yaml"
    other.write_text(macros.read_text().replace("plant-7\n", "plant-12\n"))
    other.replace(macros)  # at once: the page may look at a file that is half written

    note = "const note = document.getElementById('note'); return note && note.textContent"
    said = str(browser.until(note))
    assert "changed on disk" in said and "stays chosen" in said
    assert "plant-12" in browser.text("#changes")
    assert is_selected(browser, SQLITE)
    assert saved(browser) == "Written: presets.yaml"
    assert "plant-12\n" in macros.read_text()


def test_a_file_that_changed_under_it(browser: Browser, profile: Path, server: Server) -> None:
    """Between the last look and the button: it says so, and nothing is written."""
    # The page looks once a second: here it never does. A look that is on its way when the file changes would show the change.
    hidden = {"source": "Object.defineProperty(document, 'hidden', {get: () => true})"}
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", hidden)
    browser.open(server.address)
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    browser.click(SQLITE)
    browser.until("return !document.getElementById('save').disabled")
    presets = profile / "presets.yaml"
    mine = "# mine\n" + presets.read_text()

    presets.write_text(mine)
    browser.click("#save")

    said = str(
        browser.until("const said = document.getElementById('problem'); return said && said.textContent")
    )
    assert "presets.yaml was changed on disk since the page showed it; nothing was written" in said
    assert presets.read_text() == mine
    browser.errors()  # the refused request stands on the console


def test_only_with_the_token(browser: Browser, server: Server) -> None:
    """Another page of the same browser gets nothing, and the address without its token neither."""
    browser.open(server.address.partition("?")[0])
    assert "the token is wrong" in browser.text("body")

    browser.open("data:text/html,<p id='other'>other</p>")
    script = (
        "const done = arguments[arguments.length - 1];"
        "fetch(arguments[0], {mode: 'no-cors', method: 'POST', body: '{}'}).then(() => done('sent'), () => done('refused'))"
    )
    browser.driver.execute_async_script(script, f"http://127.0.0.1:{server.port}/save")
    browser.errors()


def test_it_listens_on_loopback_only(server: Server) -> None:
    """No other address of the machine answers."""
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        with socket.socket() as client:
            client.settimeout(5)
            assert client.connect_ex((str(address), server.port)) != 0


@pytest.mark.parametrize(("width", "is_dark"), [(1400, False), (390, True)])
def test_widths(browser: Browser, server: Server, width: int, is_dark: bool) -> None:
    """Nothing sticks out, and every control has a name."""
    browser.dark(is_dark)
    browser.open(server.address, width)
    browser.find("#choices fieldset")

    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    nameless = (
        "return [...document.querySelectorAll('#choices input')]"
        ".filter((each) => ![...each.labels].some((label) => label.textContent.trim())).length"
    )
    assert browser.run(nameless) == 0
    assert browser.errors() == []
    browser.dark(False)


def test_hostile_packs(browser: Browser, tmp_path: Path) -> None:
    """Names of packs and presets that hold markup can be chosen, and do nothing."""
    folder = tmp_path / "p"
    folder.mkdir()
    name = HOSTILE.replace('"', "")
    (folder / "Kptfile").write_text(KPTFILE.replace('app: "Mode:{preset}"', "app: ''"))
    (folder / "app.yaml").write_text(
        PACK.replace('"version"', f'"displayName": "{name}", "version"').replace(
            "name: fast, group: Mode", f'name: "{name}", group: "{name}", displayName: "{name}"'
        )
    )
    server = Server(folder)
    browser.open(server.address)

    browser.click("#choices input[type=radio]")
    assert saved(browser) == "Written: Kptfile"

    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.title").endswith("krmkit report")
    assert name.replace("'", "''") in (folder / "Kptfile").read_text()
    assert browser.errors() == []
    assert server.end() == (0, "")


def test_secrets_are_not_in_the_source(browser: Browser, profile: Path) -> None:
    """The value of a secret variable is in no answer; the field for it is empty."""
    macros = profile / "macros.yaml"
    macros.write_text(
        macros.read_text() + "  - name: camera_password\n    value: hunter2-hunter2\n    secret: true\n"
    )
    server = Server(profile)
    browser.open(server.address)
    field = browser.find("#choice-pipeline\\.mutators\\[1\\]-variables-camera_password")

    assert (field.get_attribute("type"), field.get_attribute("value")) == ("password", "")
    browser.click(SQLITE)
    browser.until("return !document.getElementById('save').disabled")
    assert "hunter2" not in browser.driver.page_source
    assert "(secret)" in browser.driver.page_source
    browser.click("#discard")
    assert server.end() == (0, "")
