"""`krmkit link`: programs for `exec:`."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fn import loader
from krmkit.krm.errors import Refused
from krmkit.storage.disk import programs

LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: x # stays
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: config}
  data: {team: red}
"""


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program on the list, with nothing of the checkout in the environment."""
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run(command, input=LIST, env=environment, capture_output=True, text=True, check=False)


def test_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is one program for each function, in a folder that is made; a second call writes them anew."""
    for _ in range(2):
        assert main(["link", f"{tmp_path}/new/bin"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            f"{tmp_path}/new/bin/{name}" for name in loader.names()
        ]

    assert sorted(os.listdir(tmp_path / "new/bin")) == loader.names()


def test_runs(tmp_path: Path) -> None:
    """The program finds interpreter and library by itself, and does what the function does."""
    assert main(["link", str(tmp_path), "set-labels"]) == 0

    done = run(tmp_path / "set-labels")

    assert done.returncode == 0, done.stderr
    assert "    name: x # stays\n    labels:\n      team: red\n" in done.stdout
    assert os.listdir(tmp_path) == ["set-labels"]


def test_odd_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with a space and signs of the shell, or one longer than a kernel reads, still starts the interpreter."""
    own = sys.executable
    for folder in ("a b$c\"d's", "long" * 50):
        python = tmp_path / folder / "python"
        python.parent.mkdir()
        python.write_text(f'#!/bin/sh\nexec "{own}" "$@"\n')
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
        programs.link(str(tmp_path / folder), ["set-labels"])

        done = run(tmp_path / folder / "set-labels")

        assert "team: red" in done.stdout, done.stderr


def test_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The launcher and the first line of krmkit.exe come before an archive with the function's script."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("__main__.py", "raise SystemExit('krmkit itself')")
    (tmp_path / "krmkit.exe").write_bytes(b"MZ launcher#!C:\\python.exe\n" + archive.getvalue())
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "krmkit"), "link"])
    monkeypatch.setattr(programs, "_is_windows", lambda: True)

    assert programs.link(str(tmp_path), ["set-labels"]) == [str(tmp_path / "set-labels.exe")]

    assert (tmp_path / "set-labels.exe").read_bytes().startswith(b"MZ launcher#!C:\\python.exe\nPK")
    done = run(sys.executable, tmp_path / "set-labels.exe")  # Python runs an archive with anything in front
    assert "team: red" in done.stdout, done.stderr


def test_windows_without_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without krmkit.exe the error names what to call."""
    monkeypatch.setattr(programs, "_is_windows", lambda: True)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "__main__.py"), "link"])

    with pytest.raises(Refused, match="call `krmkit link` itself"):
        programs.link(str(tmp_path / "bin"), ["set-labels"])
    assert not os.listdir(tmp_path)


def test_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program of others stays, and so does everything else; an unknown name gets the nearest."""
    (tmp_path / "starlark").write_text("#!/bin/sh\n")

    assert main(["link", str(tmp_path), "set-labels", "starlark"]) == 1
    assert (
        "starlark is there already, and krmkit link did not write it; nothing was written"
        in capsys.readouterr().err
    )
    assert main(["link", str(tmp_path), "set-label"]) == 1
    assert 'there is no function "set-label"; did you mean "set-labels"?' in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["starlark"]


@pytest.mark.parametrize("place", ["", "file", "dangling"])
def test_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    """A file, a link to nothing and an empty text are named, and stay."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine", "utf-8")
    (tmp_path / "dangling").symlink_to("nothing")

    assert main(["link", place]) == 1

    assert f'DIR must be a folder, or the name of a new one, got "{place}"' in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["dangling", "file"]


def test_without_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """The error asks for what must be given only."""
    with pytest.raises(SystemExit):
        main(["link"])

    assert "required: DIR;" in capsys.readouterr().err


def test_a_folder_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that one may not write is named, and no file of a moment in it."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    assert main(["link", str(tmp_path)]) == 1

    assert f"cannot write into {tmp_path}: it must be writable" in capsys.readouterr().err
