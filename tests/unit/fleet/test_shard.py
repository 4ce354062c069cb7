"""Shards: which part of a fleet a package is in, and that the parts together are the whole."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet.folder import RECORD
from krmkit.fleet.shard import Shard, shard
from tests.unit.cli.fleets import KPTFILE, folders, render, repository, written

NAMES = [f"site-{number}" for number in range(12)]


def test_every_package_is_in_one_part() -> None:
    """Whatever its name, also one that is not text; parts are about the same size."""
    names = [*(f"shops/shop-{number}" for number in range(3000)), "", "\udcff", "ünïcode"]

    for count in (1, 2, 3, 7):
        parts = [sum(Shard(number, count).takes(name) for name in names) for number in range(1, count + 1)]
        assert sum(parts) == len(names)
        assert max(parts) - min(parts) < 250


def test_the_hash_stays() -> None:
    """A part holds the same packages in every version, or an update of krmkit would move packages between shards."""
    taken = [name for name in NAMES if Shard(2, 3).takes(name)]

    assert taken == ["site-0", "site-1", "site-7", "site-10"]


@pytest.mark.parametrize(
    "text", ["", "0/3", "4/3", "1", "1/", "/3", "-1/3", "1/0", "a/b", "1/3/5", "²/3", "1/1" + "0" * 12]
)
def test_what_is_no_shard(text: str) -> None:
    """The message says what it must be."""
    with pytest.raises(argparse.ArgumentTypeError, match="must be K/N"):
        shard(text)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A set, and twelve repositories."""
    folders(tmp_path)
    for path in ("north.yaml", "deep/south.yaml"):
        (tmp_path / "objects" / path).unlink()
    for name in NAMES:
        (tmp_path / f"objects/{name}.yaml").write_text(repository(name, name))
    return tmp_path


def files(place: Path, out: str = "out") -> dict[str, bytes]:
    root = place / out
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def packages(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in found.items() if not path.startswith(RECORD)}


def one_run(place: Path) -> dict[str, bytes]:
    """The files of one run, elsewhere."""
    shutil.move(place / "out", place / "parts")
    assert render(place) == 0
    found = files(place)
    shutil.rmtree(place / "out")
    shutil.move(place / "parts", place / "out")
    return found


def test_three_shards_make_what_one_run_makes(place: Path) -> None:
    """Each one writes its own packages and its own record; a run over everything makes one record of them."""
    before: dict[str, bytes] = {}
    for number in (1, 2, 3):
        assert render(place, "--shard", f"{number}/3") == 0
        now = files(place)
        assert {path: now[path] for path in before} == before
        before = now
    assert sorted(path for path in before if path.startswith(RECORD)) == [
        f"{RECORD}-{n}-of-3" for n in (1, 2, 3)
    ]

    whole = one_run(place)
    assert packages(before) == packages(whole)
    assert render(place) == 0
    assert files(place) == whole


def test_a_shard_twice_changes_nothing(place: Path) -> None:
    """The record too stays as it is."""
    assert render(place, "--shard", "2/3") == 0
    before = files(place)

    assert render(place, "--shard", "2/3", "--check") == 0
    assert render(place, "--shard", "2/3") == 0
    assert files(place) == before


def test_shards_of_other_machines(place: Path) -> None:
    """Parts that were made in copies of the folder, and put together, are what one run makes: also what goes and what changes."""
    assert render(place) == 0
    (place / "objects/site-3.yaml").unlink()
    (place / "objects/site-7.yaml").unlink()
    (place / "packages/bp/shop/Kptfile").write_text(KPTFILE + "info: {description: new}\n")
    start = files(place)
    shutil.move(place / "out", place / "start")
    together: dict[str, bytes] = dict(start)
    touched: list[set[str]] = []
    for number in (1, 2, 3):
        shutil.copytree(place / "start", place / "out")
        assert render(place, "--prune", "--shard", f"{number}/3") == 0
        now = files(place)
        changed = {path for path in {*now, *start} if now.get(path) != start.get(path)}
        for path in changed:
            if path in now:
                together[path] = now[path]
            else:
                del together[path]
        touched.append(changed)
        shutil.rmtree(place / "out")
    assert not touched[0] & touched[1] and not touched[1] & touched[2] and not touched[0] & touched[2]

    for path, content in together.items():
        (place / "out" / path).parent.mkdir(parents=True, exist_ok=True)
        (place / "out" / path).write_bytes(content)
    assert render(place) == 0
    assert not any(path.startswith(("site-3/", "site-7/")) for path in files(place))
    assert files(place) == one_run(place)


def test_another_number_of_shards(place: Path) -> None:
    """Records of three shards and of two together: what was written last counts, and edits by hand are seen."""
    for number in (1, 2, 3):
        render(place, "--shard", f"{number}/3")
    (place / "packages/bp/shop/README.md").write_text("# Shop 2\n")
    for number in (1, 2):
        assert render(place, "--shard", f"{number}/2") == 0
    assert render(place, "--check") == 0
    (place / "out/site-1/shop/README.md").write_text("by hand\n")

    assert render(place) == 1
    assert (place / "out/site-1/shop/README.md").read_text() == "by hand\n"


def test_two_shards_cannot_have_one_package(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two variants for one folder are told, whichever shard they are in."""
    one = (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: NAME}\n"
        "spec: {upstream: {repo: bp, package: shop}, downstream: {repo: r, package: p}}\n"
    )
    (place / "set.yaml").write_text("---\n".join(one.replace("NAME", name) for name in "abcdef"))
    for number in (1, 2, 3):
        render(place, "--shard", f"{number}/3")

    said = capsys.readouterr().out
    assert "r/p is already the package of a" in said
    assert "6 variants, 3 files changed, 5 failed" in said
    assert [path for path in written(place) if path.endswith("Kptfile")] == ["r/p/Kptfile"]


@pytest.mark.parametrize(
    "record",
    [
        '{"packages": {"../x": null}}',
        '{"generation": [], "packages": {}}',
        "[]",
        '{"generation": 1e400, "packages": {}}',
        "\udcff",
    ],
)
def test_a_broken_record_of_a_shard(place: Path, capsys: pytest.CaptureFixture[str], record: str) -> None:
    """It says which files may be overwritten, so nothing is written."""
    (place / "out").mkdir()
    (place / f"out/{RECORD}-1-of-2").write_bytes(record.encode("utf-8", "surrogateescape"))

    assert render(place) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert written(place) == [f"{RECORD}-1-of-2"]


def test_render_r_by_shards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every package is rendered by one shard, named by its path below the folder."""
    for name in NAMES:
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "Kptfile").write_text(
            KPTFILE.replace("shop", name)
            + "pipeline:\n  mutators:\n  - image: ghcr.io/krmkit/set-package-context\n"
        )
    seen: list[str] = []
    for number in (1, 2, 3):
        assert main(["render", "-r", str(tmp_path / "all"), "--shard", f"{number}/3", "-f", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)["packages"]
        seen += [package["path"].rpartition("/")[2] for package in shown]
        assert all(Shard(number, 3).takes(package["path"].rpartition("/")[2]) for package in shown)

    assert sorted(seen) == sorted(NAMES)
    assert main(["render", "-r", str(tmp_path / "all"), "--check"]) == 0


def test_a_shard_needs_many_packages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One package has no parts."""
    assert main(["render", str(tmp_path), "--shard", "1/2"]) == 1
    assert "--shard is for --recursive; add -r" in capsys.readouterr().err
