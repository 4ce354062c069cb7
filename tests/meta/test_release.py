"""What `make release` refuses, and that what it builds is the same for the same commit."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import krmkit
from tools.release import ready
from tools.release.distributions import ReleaseError, build, commit_time, distributions, run
from tools.release.sums import main as write_sums

GOOD = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- One thing.\n\n## [1.1.0] - 2025-01-31\n\n- Another.\n"
CHANGELOGS: list[tuple[str, str, list[str]]] = [
    ("as it should be", GOOD, []),
    ("without Unreleased", GOOD.replace("## [Unreleased]\n\n", ""), []),
    ("another version", GOOD.replace("1.2.0", "1.3.0"), ["must have a section `## [1.2.0] - DATE`, has Unreleased, 1.3.0"]),
    ("entries that nobody moved", GOOD.replace("leased]\n", "leased]\n\n- More.\n"), ["1 entries are below [Unreleased]"]),
    ("no date", GOOD.replace("[1.2.0] - 2026-01-31", "[1.2.0]"), ["must have a date"]),
    ("no entries", GOOD.replace("- One thing.\n", ""), ["must have entries, has none"]),
    ("an older version", GOOD.replace("## [Unreleased]", "## [2.0.0] - 2026-02-01\n\n- x"), ["must be the first version, got 2.0.0"]),
    ("nothing at all", "", ["has none"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in CHANGELOGS], ids=[case[0] for case in CHANGELOGS]
)
def test_changelogs(text: str, expected: list[str]) -> None:
    """What is wrong is named, with what would be right."""
    found = ready.problems_of_changelog(text, "1.2.0")

    assert len(found) == len(expected)
    assert all(part in problem for part, problem in zip(expected, found, strict=True))


@pytest.mark.parametrize("version", ["1", "v1.2.0", "1.2", "01.2.0", "1.2.0-rc1", ""])
def test_versions_that_are_none(project: Path, version: str) -> None:
    """Before anything else is looked at."""
    assert ready.problems(project, version) == [f"VERSION must be as in 1.2.0 or 1.2.0rc1, got {version}"]


def test_another_version_than_the_librarys(project: Path) -> None:
    """Names the file to edit, and says all else that is wrong as well."""
    found = ready.problems(project, "99.0.0")

    assert f"shared/krmkit/__init__.py: __version__ must be 99.0.0, got {krmkit.__version__}" in found
    assert any("[99.0.0]" in problem for problem in found)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit of a small project that setuptools builds."""
    folder = tmp_path / "repository"
    (folder / "small").mkdir(parents=True)
    (folder / "small/__init__.py").write_text("x = 1\n")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "small"\nversion = "1.0"\n[tool.setuptools]\npackages = ["small"]\n'
    )
    settings = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        run(["git", *words], folder, **settings)
    return folder


def test_a_repository_that_is_not_ready(repository: Path, tmp_path: Path) -> None:
    """Files that differ from the commit, a tag at another commit, no commit at all."""
    assert ready.problems_of_repository(repository, "1.0") == []

    (repository / "new.txt").write_text("")
    assert "1 files differ from the commit" in ready.problems_of_repository(repository, "1.0")[0]

    run(["git", "tag", "v1.0"], repository)
    run(["git", "add", "."], repository)
    run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "two"], repository)
    [problem] = ready.problems_of_repository(repository, "1.0")
    assert problem.startswith("the tag v1.0 is at ")

    assert "no git repository" in ready.problems_of_repository(tmp_path, "1.0")[0]


def test_two_builds_are_one(repository: Path) -> None:
    """With other rights for new files, in other folders, later; what is not committed is not in it."""
    (repository / "small/later.py").write_text("")
    first = distributions(repository)
    os.utime(repository / "small/__init__.py", (1, 1))

    assert distributions(repository) == first
    assert sorted(first) == ["small-1.0-py3-none-any.whl", "small-1.0.tar.gz"]


def test_what_an_sdist_says_of_its_maker(repository: Path, tmp_path: Path) -> None:
    """The time of the commit, nobody's name, and no rights but the usual."""
    made = build(tmp_path / "work", commit_time(repository), repository)
    (tmp_path / "a.tar.gz").write_bytes(made["small-1.0.tar.gz"])

    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        entries = archive.getmembers()
    assert {(entry.mtime, entry.uid, entry.uname) for entry in entries} == {(commit_time(repository), 0, "")}
    assert {entry.mode for entry in entries} == {0o755, 0o644}
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)


def test_builds_that_differ(repository: Path) -> None:
    """End with the names of what differs."""
    (repository / "setup.py").write_text(
        "import os\nfrom setuptools import setup\nopen('small/now.py', 'w').write(f'x = {os.urandom(8)!r}')\nsetup()\n"
    )
    run(["git", "add", "."], repository)
    run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "two"], repository)

    with pytest.raises(ReleaseError, match=r"two builds of one commit differ: small-1.0-py3-none-any.whl"):
        distributions(repository)


def test_sums(tmp_path: Path) -> None:
    """Of every file, in folders too, as sha256sum checks them."""
    (tmp_path / "images").mkdir()
    (tmp_path / "a").write_text("a")
    (tmp_path / "images/b").write_text("b")

    assert write_sums([], tmp_path) == write_sums([], tmp_path) == 0
    assert (tmp_path / "SHA256SUMS").read_text() == "".join(
        f"{hashlib.sha256(name[-1].encode()).hexdigest()}  {name}\n" for name in ("a", "images/b")
    )


@pytest.fixture
def single_file(tmp_path: Path) -> Path:
    """A krmkit.pyz whose krmkit says what it was called with."""
    from tools.release import singlefile, unpack

    with zipfile.ZipFile(tmp_path / "krmkit-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("krmkit/__init__.py", "")
        wheel.writestr("krmkit/start.py", "import sys\ndef command():\n    print(__file__, sys.argv[1:])\n")
    target = tmp_path / "krmkit.pyz"
    singlefile.written(
        target, tmp_path / "krmkit-1.0-py3-none-any.whl", {unpack.interpreter(): [], "cp39-plan9-vax": []}
    )
    return target


def start(single_file: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", str(single_file), "render", "x"],
        env={"HOME": str(single_file.parent / "home"), "PATH": os.defpath, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_single_file_unpacks_itself_once(single_file: Path, tmp_path: Path) -> None:
    """Into the cache of the user, or where KRMKIT_CACHE says; the second run takes what is there."""
    first = start(single_file)
    [place] = (tmp_path / "home/.cache/krmkit").iterdir()
    (place / "krmkit/start.py").write_text("def command():\n    print('the second')\n")

    assert first.stdout == f"{place}/krmkit/start.py ['render', 'x']\n"
    assert start(single_file).stdout == "the second\n"
    assert str(tmp_path / "other") in start(single_file, KRMKIT_CACHE=str(tmp_path / "other")).stdout


def test_the_single_file_where_it_cannot_work(single_file: Path, tmp_path: Path) -> None:
    """A cache that cannot be, and an interpreter that it has no wheels for: one line, and what would help."""
    (tmp_path / "file").touch()
    cannot = start(single_file, KRMKIT_CACHE=str(tmp_path / "file"))
    assert (cannot.returncode, cannot.stderr.count("\n")) == (1, 1)
    assert "KRMKIT_CACHE names another folder" in cannot.stderr

    with zipfile.ZipFile(single_file) as old, zipfile.ZipFile(tmp_path / "other.pyz", "w") as new:
        for name in old.namelist():
            new.writestr(
                name, old.read(name).replace(b'"cp3', b'"cp2') if name == "wheels.json" else old.read(name)
            )
    other = start(tmp_path / "other.pyz")
    assert other.returncode == 1
    assert (other.stderr.count("\n"), "must be run by cp2" in other.stderr) == (1, True)
    assert "this is cp3" in other.stderr


def test_the_same_wheels_make_the_same_file(single_file: Path, tmp_path: Path) -> None:
    """Whenever, and in whatever order they are given."""
    from tools.release import singlefile, unpack

    wheel = tmp_path / "krmkit-1.0-py3-none-any.whl"
    os.utime(wheel, (1, 1))
    singlefile.written(tmp_path / "again.pyz", wheel, {"cp39-plan9-vax": [], unpack.interpreter(): []})

    assert (tmp_path / "again.pyz").read_bytes() == single_file.read_bytes()
