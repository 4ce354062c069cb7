"""The tools of developers: the environment, the scaffold, golden files, the benchmark's page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.fn.contract.expected import difference, snapshot
from krmkit.fn.definition import GROUP_VERSION
from krmkit.storage.disk.scaffold import Place, files, make_folder
from tests.bench import run as bench
from tests.bench.bench_beside import figures
from tests.bench.timing import Command, MeasureError, in_turns, row
from tools import new
from tools.definitions import Definition
from tools.generate import readme

OLD = "#!/bin/sh\nexit 0\n"
WITHOUT_VENV = """\
#!/bin/sh
case "$*" in
*ensurepip*) exit 1 ;;
*version_info\\[*) echo 3.12 ;;
*) echo "$0" ;;
esac
"""
ENVIRONMENTS: list[tuple[str, str | None, str]] = [
    ("no python", None, "python3 is missing"),
    ("old python", OLD, "Python 3.11 or newer is needed"),
    ("no venv module", WITHOUT_VENV, "python3-venv"),
]


@pytest.mark.parametrize(
    ("program", "message"), [case[1:] for case in ENVIRONMENTS], ids=[case[0] for case in ENVIRONMENTS]
)
def test_environment_names_what_is_missing(
    project: Path, tmp_path: Path, program: str | None, message: str
) -> None:
    """Without a Python that will do, the command says what to install, and makes nothing."""
    python = tmp_path / "python-of-a-test"
    if program is not None:
        python.write_text(program, "utf-8")
        python.chmod(0o755)
    done = subprocess.run(
        ["sh", str(project / "tools/venv.sh"), str(tmp_path / "venv"), "requirements/run.txt"],
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert message in done.stderr
    assert "apt-get install" in done.stderr or "make PYTHON=" in done.stderr
    assert not (tmp_path / "venv").exists()


@pytest.fixture
def scaffold(project: Path, tmp_path: Path) -> Path:
    (tmp_path / "shared").symlink_to(project / "shared")
    folder = tmp_path / "functions" / "set-colours"
    make_folder(folder, files("set-colours", Place("registry.example.com", GROUP_VERSION, inside=True)))
    return folder


def test_scaffold_is_complete(scaffold: Path) -> None:
    """A new function's definition and page are usable as they are."""
    definition = Definition(scaffold)

    assert (definition.name, definition.kind) == ("set-colours", "SetColours")
    assert definition.examples == ["basic"]
    text = readme(definition)
    assert "| `label` | string, required |" in text
    assert "registry.example.com/set-colours" in text
    assert "{" not in text.replace("{{", "")


def test_scaffold_works(scaffold: Path) -> None:
    """A new function runs before anything in it is edited."""
    items = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a # stays\n"
        "functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: SetColours\n  metadata:\n    name: c\n"
        "  spec:\n    label: example\n"
    )
    done = subprocess.run(
        [sys.executable, str(scaffold / "main.py")], input=items, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert '    name: a # stays\n    labels:\n      example: "true"\n' in done.stdout


@pytest.mark.parametrize(
    "name", ["", "one", "Two-Words", "two_words", "two--words", "../two-words", "test-words"]
)
def test_scaffold_refuses_a_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that could not be an image's and a command's is refused before a file is written."""
    assert new.main([name]) == 2
    assert "lower case with dashes" in capsys.readouterr().err


def test_golden_diff(tmp_path: Path) -> None:
    """A diff names new, changed and removed files as in a checkout, whatever .gitignore or the machine's settings say."""
    package, index = tmp_path / "package", tmp_path / "index.git"
    package.mkdir()
    for name, text in {"same": "1\n", "changed": "1\n", "removed": "x\n", ".gitignore": "new\n"}.items():
        (package / name).write_text(text, "utf-8")
    before = snapshot(index, package)
    (package / "changed").write_text("2\n", "utf-8")
    (package / "new").write_text("n\n", "utf-8")
    (package / "removed").unlink()
    lines = difference(index, package, before).splitlines()

    assert [line for line in lines if line.startswith("diff ")] == [
        "diff --git a/changed b/changed",
        "diff --git a/new b/new",
        "diff --git a/removed b/removed",
    ]
    assert "+n" in lines


def test_page_of_the_benchmark() -> None:
    """The page names the goals that were reached and those that were missed."""
    rows = [
        row("small", "a function", 12.34, "ms"),
        row("small", "a function / bare", 1.7, "x", 1.8),
        row("large", "a function / other", 0.09, "x", 0.08),
    ]
    text = bench.report(rows, "2 cores")

    assert "| a function | 12.3 ms |  |  |" in text
    assert "| a function / bare | 1.70 x | <= 1.8 | reached |" in text
    assert "| a function / other | 0.090 x | <= 0.08 | **missed** |" in text


def test_figures_from_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the figures beside kpt's programs that were measured elsewhere, unless this run measures them."""
    monkeypatch.delenv("KRMKIT_GO", raising=False)
    page = bench.REPORT.read_text("utf-8")
    assert figures() in page or " / set-labels of kpt's catalog |" in page
    assert "| 1,000 | 0.81 (0.54) | 1.6 (1.06) |" in figures()

    monkeypatch.setenv("KRMKIT_GO", "programs")
    assert figures() == ""


def test_medians_are_taken_in_turns() -> None:
    """Every round calls everything once, first in one order, then in the other; the round before does not count."""
    order: list[str] = []
    times = {"a": iter([9.0, 1.0, 3.0, 2.0]), "b": iter([9.0, 5.0, 5.0, 6.0])}

    def measured(name: str) -> float:
        order.append(name)
        return next(times[name])

    medians = in_turns({"a": lambda: measured("a"), "b": lambda: measured("b")}, 3)

    assert medians == {"a": 2.0, "b": 5.0}
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"


def test_measured_process_must_succeed() -> None:
    """A process that ends in another way than it should is no measurement."""
    command = Command([sys.executable, "-I", "-S", "-c", "raise SystemExit(3)"])

    for measure in (command.seconds, command.peak, command.output):
        with pytest.raises(MeasureError, match="exit code 3"):
            measure()
