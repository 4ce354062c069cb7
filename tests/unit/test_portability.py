"""Modules of Unix alone (fcntl, pwd, resource) are no part of loading krmkit: macOS and Windows lack one or all of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = ("fcntl", "grp", "pwd", "resource", "termios")
# Imports every module; what is only there for other people's tests or needs an extra that is not installed is counted apart.
PROGRAM = f"""
import importlib, pkgutil, sys
for name in {BLOCKED!r}:
    sys.modules[name] = None
import krmkit
failed = []
count = 0
for found in pkgutil.walk_packages(krmkit.__path__, "krmkit."):
    if found.name.rpartition(".")[2] == "__main__":
        continue
    count += 1
    try:
        importlib.import_module(found.name)
    except ModuleNotFoundError as error:
        if error.name in {BLOCKED!r}:
            failed.append(f"{{found.name}} imports {{error.name}}")
print(count)
print("\\n".join(failed))
"""


def test_no_module_imports_them() -> None:
    """Every module loads where they are missing."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PYTHONPATH": str(ROOT / "shared"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    count, _, failed = done.stdout.partition("\n")
    assert done.returncode == 0, done.stderr
    assert int(count) > 400
    assert failed.strip() == ""


def test_a_render_without_them(tmp_path: Path) -> None:
    """A package renders and is written; only the lock on its folder is missing."""
    (tmp_path / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/set-namespace\n    configMap: {namespace: shop}\n"
    )
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")
    program = f"import sys\nfor name in {BLOCKED!r}: sys.modules[name] = None\nfrom krmkit.cli import main\nsys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "render", str(tmp_path)],
        env={"PYTHONPATH": str(ROOT / "shared"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "namespace: shop" in (tmp_path / "a.yaml").read_text()


def test_a_sync_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs the lock is refused at once, in words."""
    from krmkit.storage.git.program import GitError, GitRepository
    from krmkit.storage.git.refjournal import RepositoryLock

    repository = GitRepository(tmp_path)
    repository.run("init", "--quiet")
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(GitError, match="run it on Linux or macOS"), RepositoryLock(repository):
        pass


LINUX = re.compile(r"/proc/|prlimit\(|/dev/full|RLIMIT_AS")
MARKED = re.compile(r"pytest\.mark\.linux|skipif\(|pytest\.skip\(")


def test_tests_that_need_linux_are_marked() -> None:
    """A file of tests that looks into /proc, or limits other processes, has a test with the mark `linux`, so that the rest runs on macOS."""
    unmarked = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path != Path(__file__)
        and LINUX.search(text := path.read_text("utf-8"))
        and not MARKED.search(text)
    ]

    assert unmarked == []


def test_the_mark_skips_elsewhere(tmp_path: Path) -> None:
    """On another system a marked test is skipped, with the reason, and others run."""
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.conftest import pytest_addoption, pytest_collection_modifyitems\nsys.platform = 'darwin'\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    linux: x\n    kpt: x\n    browser: x\n")
    (tmp_path / "test_a.py").write_text(
        "import pytest\n@pytest.mark.linux\ndef test_here(): raise AssertionError\ndef test_everywhere(): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-c", "pytest.ini", "."],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "1 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert "only Linux has what this test looks into" in done.stdout
