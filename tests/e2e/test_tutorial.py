"""The tutorial does what it says: its boxes are run one after the other, in a copy, and what comes out is compared.

A box is a fenced `sh` block; a `text` or `yaml` block right below it is what it prints. A comment above it says more:
`<!-- test: exit 1 -->` (it fails), `<!-- test: kpt -->` (needs the real kpt), `<!-- test: runs until the
end -->` (a server; the boxes below it call it), `<!-- test: skip, why -->`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs/tutorial.md"
BOX = re.compile(
    r"(?:<!-- test: (?P<note>[^\n]*) -->\n)?^```sh\n(?P<script>.*?)^```\n(?:```(?:text|yaml)\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


class Box:
    """One block of commands: what is to run, what it prints (None: not shown), and its exit code."""

    def __init__(self, match: re.Match[str]) -> None:
        note = match["note"] or ""
        self.script = match["script"]
        self.output = match["output"]
        self.skipped = note.startswith("skip, ")
        self.kpt = note == "kpt"
        self.lasting = note == "runs until the end"
        found = re.fullmatch(r"exit (\d+)", note)
        self.exit_code = int(found[1]) if found else 0
        assert self.skipped or self.kpt or self.lasting or found or not note, (
            f"what does the note say: {note}"
        )


def boxes(page: Path = TUTORIAL) -> list[Box]:
    return [Box(match) for match in BOX.finditer(page.read_text("utf-8"))]


def pattern_of(shown: str) -> str:
    """A line of `...` stands for any lines, `...` within a line for the rest of what is there."""
    lines = []
    for line in shown.splitlines(keepends=True):
        lines.append("(?:.*\n)*?" if line == "...\n" else re.escape(line).replace(r"\.\.\.", ".*"))
    return "".join(lines)


def write_commands(folder: Path) -> None:
    """The commands that an installed krmkit has, for this checkout."""
    folder.mkdir()
    path = folder / "krmkit"
    path.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}/shared' exec '{sys.executable}' -m krmkit \"$@\"\n")
    path.chmod(0o755)


class Shell:
    """Runs boxes as if they were typed one after the other: the folder stays, nothing else does."""

    def __init__(self, home: Path, commands: Path | None = None) -> None:
        for folder in (
            *("docs", "examples/platform", "examples/without-docker"),
            *("functions/render-cluster-topology/examples", "functions/render-installation/examples"),
        ):
            shutil.copytree(ROOT / folder, home / "checkout" / folder)
        if commands is None:
            write_commands(home / "bin")
        self.folder = home / "checkout"
        self.record = home / "folder"
        kept = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": str(home)}
        self.environment = kept | {"PATH": f"{commands or home / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["sh", "-euc", f"trap 'pwd >\"{self.record}\"' EXIT\n{script}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.folder = Path(self.record.read_text().rstrip("\n"))
        return done

    @contextmanager
    def beside(self, script: str) -> Iterator[None]:
        """Runs a box in a shell of its own, up to the end of the page; returns when it says that it listens."""
        # The last command takes the place of the shell, so that it gets the signal.
        *before, last = script.rstrip("\n").split("\n")
        told = self.folder / "told.log"
        with told.open("wb") as output, subprocess.Popen(
            ["sh", "-euc", "\n".join([*before, f"exec {last}"])],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            until(lambda: b"listening" in told.read_bytes() or process.poll() is not None, told.read_text)
            assert process.poll() is None, told.read_text("utf-8")
            try:
                yield
            finally:
                process.terminate()
        assert process.returncode == 0, told.read_text("utf-8")


def follow(
    home: Path,
    kpt: bool,
    page: Path = TUTORIAL,
    instead: Mapping[str, str] | None = None,
    commands: Path | None = None,
) -> int:
    """Run the boxes that do (or do not) need kpt; returns how many outputs were compared.

    `instead` replaces words, as ports; `commands` is a folder with the commands of an installation, in place of the checkout's.
    """
    shell = Shell(home, commands)
    with ExitStack() as lasting:
        return _follow(shell, lasting, [box for box in boxes(page) if not box.skipped and (kpt or not box.kpt)], instead or {})  # fmt: skip


def _follow(shell: Shell, lasting: ExitStack, chosen: list[Box], instead: Mapping[str, str]) -> int:
    compared = 0
    for box in chosen:
        for word, other in instead.items():
            box.script = box.script.replace(word, other)
        if box.lasting:
            lasting.enter_context(shell.beside(box.script))
            continue
        done = shell.run(box.script)
        told = f"{box.script}\n{done.stdout}{done.stderr}"
        assert done.returncode == box.exit_code, told
        if box.output is not None:
            assert re.fullmatch(pattern_of(box.output), done.stdout + done.stderr), told
            compared += 1
    return compared


def test_the_tutorial_has_boxes() -> None:
    """What is found is what a reader sees: failures to learn from, outputs, one installation, two boxes for kpt."""
    found = boxes()

    assert len(found) == TUTORIAL.read_text("utf-8").count("```sh\n")
    assert sum(box.output is not None for box in found) >= 10
    assert [box.exit_code for box in found].count(1) == 2
    assert sum(box.skipped for box in found) == 1
    assert sum(box.kpt for box in found) == 2


def test_tutorial(tmp_path: Path) -> None:
    """Every box does what the page shows, without kpt, containers and network."""
    assert follow(tmp_path, kpt=False) >= 10


def test_readme(tmp_path: Path) -> None:
    """The project's page: its boxes work in a checkout, one after the other."""
    page = ROOT / "README.md"

    assert follow(tmp_path, kpt=False, page=page) == 1
    home = tmp_path / "checkout/build"
    assert "kind: etcd" in (home / "profile/edge-kube.yaml").read_text(
        "utf-8"
    )  # the first minute shows a change
    assert (home / "shop.html").is_file()
    assert list(home.glob("clusters/topology/default/dev/*.yaml"))
    assert list(home.glob("greeter/landscape/**/*.yaml"))
    assert len(page.read_text("utf-8").splitlines()) < 100  # about one screen


@pytest.mark.kpt
def test_tutorial_with_kpt(tmp_path: Path) -> None:
    """The last part, with the real kpt, comes to the same files."""
    assert follow(tmp_path, kpt=True) >= 11


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        pytest.param("a\n", "a\n", True, id="the same"),
        pytest.param("a\n", "a\nb\n", False, id="more than is shown"),
        pytest.param("...\nb\n", "x\ny\nb\n", True, id="lines left out"),
        pytest.param("...\nb\n", "b\n", True, id="no line to leave out"),
        pytest.param("a ... c\n", "a b c\n", True, id="words left out"),
        pytest.param("a ... c\n", "a b\nc\n", False, id="words of one line only"),
        pytest.param("a.c\n", "abc\n", False, id="a point is a point"),
    ],
)
def test_output_patterns(shown: str, printed: str, fits: bool) -> None:
    """`...` stands for what is left out, and for nothing else."""
    assert bool(re.fullmatch(pattern_of(shown), printed)) is fits
