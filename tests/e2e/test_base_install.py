"""What `pip install .` brings, without any extra: every example and every page works, or says first which extra it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from krmkit.fn.contract.expected import FOLDER
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from tests.e2e.installs import ROOT, install
from tests.e2e.test_topology_extension_docs import free_ports
from tests.e2e.test_tutorial import Box, Shell, boxes, follow
from tools.golden import examples

pytestmark = pytest.mark.slow

PACKAGES = [*examples(), *sorted(path.parent for path in ROOT.glob("examples/**/Kptfile"))]
FUNCTIONS = ROOT / "functions"
PAGES = [page for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))) if boxes(page)]
# What no user may see, whatever is installed.
# A table of rules has a text behind the rule, as `internal-error: error`.
BROKEN = re.compile(r"internal-error(?!: error)|Traceback|No module named")
NEEDS = re.compile(
    r"need the package \S+, which is not installed: .*pip install '\.\[(\w+)\]'|(pytest): .*not found"
)
# What a page says before the box that needs it: `pip install ".[cel,extension]"`.
SAID = re.compile(r"pip install [\"'][^\"']*\[([a-z,]+)\][\"']")
FIRST = re.compile(r"^pip install [\"'][^\"']*\[([a-z,]+)\][\"']", re.MULTILINE)
# Pages whose first box installs what all others need.
EXTRAS = {page: match[1] for page in PAGES if (match := FIRST.search(boxes(page)[0].script))}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an installation without extras."""
    return install(tmp_path_factory.mktemp("base"))


@pytest.fixture(autouse=True)
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the checkout is found by the installation."""
    monkeypatch.delenv("PYTHONPATH", raising=False)


def exit_code_of(package: Path) -> int:
    """What .expected says of an example."""
    config = package / FOLDER / "config.yaml"
    if not config.is_file():
        return 0
    (document,) = parse_all(config.read_text("utf-8"))
    said = go_data(document.root)
    assert isinstance(said, dict)
    code = said.get("exitCode", 0)
    assert isinstance(code, int)
    return code


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples(base: Path, package: Path, tmp_path: Path) -> None:
    """An example ends as its .expected says; one that needs an extra is of a function whose page names this extra."""
    shutil.copytree(package, tmp_path / package.name)

    done = subprocess.run(
        [base / "krmkit", "render", tmp_path / package.name],
        env=os.environ | {"PATH": f"{base}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )

    told = done.stdout + done.stderr
    assert not BROKEN.search(told), told
    needs = NEEDS.search(told)
    if needs is None:
        assert done.returncode == exit_code_of(package), told
        return
    # What is checked in addition to the work itself, an info says.
    assert done.returncode == (exit_code_of(package) if "not-checked" in told else 1), told
    page = package.parents[1] / "README.md" if FUNCTIONS in package.parents else ROOT / "docs/everyday.md"
    assert f"pip install '.[{needs[1]}]'" in page.read_text("utf-8"), told


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages(base: Path, page: Path, tmp_path: Path) -> None:
    """A page's boxes run one after the other; the first that needs an extra ends it, and the page has named this extra above."""
    shell = Shell(tmp_path, base)
    above: list[Box] = []
    for box in boxes(page):
        above.append(box)
        if box.skipped or box.kpt:
            continue
        assert not box.lasting, "what serves needs an extra, and a box above it has said so"
        done = shell.run(box.script)
        told = f"{box.script}\n{done.stdout}{done.stderr}"
        assert not BROKEN.search(told), told
        if needs := NEEDS.search(told):
            said = {
                extra for one in above for found in SAID.findall(one.script) for extra in found.split(",")
            }
            assert (needs[1] or "testing") in said, told
            return
        assert done.returncode == box.exit_code, told


@pytest.mark.parametrize("extras", sorted(set(EXTRAS.values())))
def test_extras_are_enough(extras: str, tmp_path: Path) -> None:
    """With the extras that a page asks for, every box does what the page shows."""
    commands = install(tmp_path / "installed", extras)

    for page in (page for page, wanted in EXTRAS.items() if wanted == extras):
        with free_ports("9443", "8080") as ports:
            follow(tmp_path / page.stem, kpt=False, page=page, instead=ports, commands=commands)


def test_pages_are_found() -> None:
    """Pages of all doors are followed, and those with extras are known."""
    names = {page.stem for page in PAGES}

    assert names >= {
        "README",
        "tutorial",
        "landscaper",
        "clusterapi",
        "fleet",
        "platform",
        "topology-extensions",
    }
    assert {page.stem: extras for page, extras in EXTRAS.items()} == {
        "clusterapi": "cel",
        "platform": "cel",
        "topology-extensions": "cel,extension",
        "sdk": "testing",
    }
