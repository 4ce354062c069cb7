"""Bundles of modules: what is loaded from them, and that a stale one is never used."""

from __future__ import annotations

import marshal
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.fn import bundle
from krmkit.fn import compile as compiler

ROOT = Path(__file__).resolve().parents[3]
LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: a, namespace: b}
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: config}
  data: {namespace: edge}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A checkout with one function, compiled as for an image; returns the function's folder."""
    folder = tmp_path / "functions/set-namespace"
    shutil.copytree(
        ROOT / "tests/functions/set-namespace", folder, ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(
        ROOT / "shared/krmkit", tmp_path / "shared/krmkit", ignore=shutil.ignore_patterns("__pycache__")
    )
    main = folder / "main.py"
    main.write_text(main.read_text("utf-8").replace('"../../../shared"', '"../../shared"'), "utf-8")
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    command = [sys.executable, "-m", "krmkit.fn.compile", "--programs"]
    subprocess.run(command, env={"PYTHONPATH": str(tmp_path / "shared")}, check=True)
    return folder


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A function's process, as images start it; `-v` tells what is looked up."""
    command = [sys.executable, "-I", "-S", *arguments, str(program)]
    return subprocess.run(command, input=LIST, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["main.py", "main.pyc"])
def test_everything_comes_from_the_bundle(place: Path, name: str) -> None:
    """What is in a bundle is not looked up, save what is needed to get at it."""
    done = run(place / name, "-v")

    assert "namespace: edge" in done.stdout
    looked_up = {line.split("'")[1] for line in done.stderr.splitlines() if line.startswith("import 'krmkit")}
    bundled = {module for module, _ in compiler.modules(place / "main.py", place.parents[1] / "shared")}
    assert "krmkit.fn.main" in bundled
    assert looked_up & bundled == ({"krmkit", "krmkit.fn"} if name == "main.py" else set())


@pytest.mark.parametrize("name", ["main.py", "main.pyc"])
@pytest.mark.parametrize("changed", ["functions/set-namespace/main.py", "shared/krmkit/fn/run.py"])
def test_a_stale_bundle_is_not_used(place: Path, name: str, changed: str) -> None:
    """A source that changed since counts, be it the function's own or the library's."""
    source = place.parents[1] / changed
    says = 'import sys\n\nsys.stderr.write("the new one")\n'
    source.write_text(source.read_text("utf-8").replace("import sys\n", says, 1), "utf-8")

    done = run(place / name)

    assert "the new one" in done.stderr
    assert "namespace: edge" in done.stdout


@pytest.mark.parametrize("content", [b"", b"no bundle", b"\xff" * 40, b"N", b"\1\0\0\0N", b"\0\0\0\0"])
def test_a_broken_bundle_is_not_used(place: Path, content: bytes) -> None:
    """A file that no bundle was written to does no harm."""
    Path(bundle.path_of(str(place))).write_bytes(content)

    assert not bundle.use(str(place / "main.py"))
    assert "namespace: edge" in run(place / "main.pyc").stdout


def parts(path: Path) -> tuple[list[bundle.Entry], bytes]:
    """The entries of a bundle, and the codes behind them."""
    content = path.read_bytes()
    end = bundle.SIZE + int.from_bytes(content[: bundle.SIZE], "little")
    return marshal.loads(content[bundle.SIZE : end]), content[end:]


def write(path: Path, entries: list[bundle.Entry] | list[tuple[()]], codes: bytes) -> None:
    """A bundle of these entries and codes."""
    listed = marshal.dumps(entries)
    path.write_bytes(len(listed).to_bytes(bundle.SIZE, "little") + listed + codes)


@pytest.mark.parametrize("bits", [40, 62, 70])
def test_a_code_that_is_larger_than_any_file(place: Path, bits: int) -> None:
    """Such a bundle is not used either."""
    path = Path(bundle.path_of(str(place)))
    entries, codes = parts(path)
    name, source, time, size, _ = entries[-1]
    write(path, [*entries[:-1], (name, source, time, size, 1 << bits)], codes)

    assert not bundle.use(str(place / "main.py"))
    assert "namespace: edge" in run(place / "main.pyc").stdout


def test_a_bundle_without_the_function_is_not_used(place: Path) -> None:
    """What loads modules alone would end without output, and with exit code 0."""
    path = Path(bundle.path_of(str(place)))
    entries, codes = parts(path)
    for fewer in (entries[:-1], [()], []):
        write(path, fewer, codes)

        assert not bundle.use(str(place / "main.py"))
        assert "namespace: edge" in run(place / "main.pyc").stdout


def test_a_bundle_that_was_cut_off_is_not_used(place: Path) -> None:
    """No module runs before the last one has been read."""
    path = Path(bundle.path_of(str(place)))
    entries, codes = parts(path)
    write(path, entries, codes[:-1])

    assert not bundle.use(str(place / "main.py"))
    assert "namespace: edge" in run(place / "main.pyc").stdout


def test_a_bundle_of_many_modules(place: Path) -> None:
    """The list of entries may be as long as it likes; what is loaded is passed over."""
    path = Path(bundle.path_of(str(place)))
    entries, codes = parts(path)
    many = [("sys", f"nowhere/{number}.py", 0, 0, 0) for number in range(2000)]
    write(path, [*many, *entries], codes)

    done = run(place / "main.pyc", "-v")

    assert "namespace: edge" in done.stdout
    assert "import 'krmkit.fn.main'" not in done.stderr


def test_modules_come_after_what_they_need() -> None:
    """Loading one after the other never meets an import of a module that is not there yet."""
    for main in (ROOT / "functions").glob("*/main.py"):
        seen: set[str] = set()
        found = compiler.modules(main, ROOT / "shared")
        names = {name for name, _ in found}
        for name, path in found:
            parents = {name[:end] for end in range(len(name)) if name[end] == "."}
            assert parents <= seen
            assert {
                other for other in compiler.imported(ROOT / "shared" / path) if other in names
            } <= seen | parents
            seen.add(name)
        assert "krmkit.fn.main" in seen


def test_a_traceback_shows_the_source(place: Path) -> None:
    """Code from a bundle knows its file and its lines."""
    main = place / "main.py"
    main.write_text(main.read_text("utf-8").replace("config.spec[", "config.nothing["), "utf-8")
    subprocess.run(
        [sys.executable, "-m", "krmkit.fn.compile", "--programs"],
        env={"PYTHONPATH": str(place.parents[1] / "shared")},
        check=True,
    )

    command = [sys.executable, "-I", "-S", str(place / "main.pyc"), "--debug"]
    done = subprocess.run(command, input=LIST, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert f'{os.path.realpath(main)}", line' in done.stderr
    assert "config.nothing[" in done.stderr
