"""A disk or quota that ends in the middle: all is written, or nothing and an error says so; the next run makes up for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.fleet.folder import RECORD
from tests.e2e.gitfleet import GitFleet
from tests.e2e.orchestrate import Files, clean_environment, files_of, put
from tests.e2e.test_kill import KPTFILE, PACK

pytestmark = pytest.mark.slow

pytest.importorskip("resource", reason="this system has no limits on the size of files")

LIMITS = (0, 1, 40, 150, 400, 700, 900, 1200, 2000, 100_000_000)  # bytes that a file may have
LIMITED = """
import resource, sys
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from krmkit.cli import main
sys.exit(main(sys.argv[2:]))
"""
SET = """apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: s, namespace: d}
spec:
  upstream: {repo: bp, package: shop, workspaceName: v1}
  targets:
  - repositorySelector: {}
"""
REPOSITORY = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: NAME, namespace: d}\nspec: {}\n"


def limited(words: list[str], size: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(size), *words],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def campaign(words: list[str], root: Path, before: Files, record: str = "") -> None:
    """Run with each limit on the state of before, and then without one. `record`: a file that a failed run may write, too."""
    after: Files | None = None
    for size in reversed(LIMITS):  # the first run has room enough
        put(root, before)
        for path in files_of(root).keys() - before.keys():
            (root / path).unlink()
        done = limited(words, size)
        said = done.stdout + done.stderr
        if after is None:
            assert done.returncode == 0, said
            after = files_of(root)
            assert after != before
            continue
        assert "Traceback" not in said, (size, said)
        found = files_of(root)
        if done.returncode and record:
            found.pop(record, None)
        assert found == (after if done.returncode == 0 else before), (size, said)
        if done.returncode:
            assert "File too large" in said, (size, said)
            assert limited(words, LIMITS[-1]).returncode == 0
            assert files_of(root) == after
    assert done.returncode == 1  # with no byte at all


def packs(place: Path) -> list[str]:
    return [
        str(
            put(
                place / f"app{number}",
                {
                    "pack.json": f'{{"name": "app{number}", "version": "2.0.0", "layer": "addon"}}',
                    "values.yaml": "a: 1\n" * (number * 60 + 1),
                },
            )
        )
        for number in range(3)
    ]


def test_render(tmp_path: Path) -> None:
    rest = ["\n".join(f"    key{line}: value {line}" for line in range(count)) for count in (1, 20, 60)]
    files = {f"app-{n}.yaml": PACK.format(number=n, rest=rest[n]) for n in range(3)}
    root = put(tmp_path / "p", {"Kptfile": KPTFILE, **files})
    campaign(["render", str(root)], root, files_of(root))


def test_import(tmp_path: Path) -> None:
    root = put(tmp_path / "p", {"other.yaml": "a: 1\n"})
    campaign(["pack", "import", *packs(tmp_path / "packs"), "--out", str(root)], root, files_of(root))


def test_variants(tmp_path: Path) -> None:
    place = put(
        tmp_path,
        {
            "set.yaml": SET,
            **{f"objects/r{n}.yaml": REPOSITORY.replace("NAME", f"r{n}") for n in range(3)},
            "bp/bp/shop/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n",
            "bp/bp/shop/m.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: " + "x" * 800 + "}\n",
            "out/keep": "mine\n",
        },
    )  # fmt: skip
    words = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "bp")]
    words += ["--objects", str(place / "objects"), "--out", str(place / "out")]
    campaign(words, place / "out", files_of(place / "out"), RECORD)


def test_sync(tmp_path: Path, project: Path) -> None:
    """git cannot write: the refs are those of before, or all new ones, and the next sync brings the fleet there."""
    fleet = GitFleet(tmp_path, project)
    fleet.want(revision=1)
    before = fleet.refs()
    for size in LIMITS[:-1]:
        done = limited(fleet.command("sync")[3:], size)
        assert "Traceback" not in done.stdout + done.stderr, (size, done.stderr)
        if done.returncode:
            assert fleet.refs() == before, (size, done.stderr)
        else:
            break
    fleet.sync()
    assert fleet.refs() != before
