"""The three-way merge means what the real `kpt pkg update` makes of the same three versions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.porch.listkeys import schema_of
from krmkit.porch.merge3 import merge
from tests.e2e.mergecases import Cases, Data

pytestmark = pytest.mark.kpt

IDENTIFIER = "internal.kpt.dev/upstream-identifier"
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"


def run(folder: Path, *command: str) -> None:
    home = {"HOME": str(folder.parent), "KPT_CACHE_DIR": str(folder.parent / "cache")}
    names = {
        f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **home, **names}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def write(folder: Path, resources: list[Data]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, resource in enumerate(resources):
        (folder / f"r{number}.yaml").write_text(
            yaml.dump(resource, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8"
        )


def commit(folder: Path, tag: str) -> None:
    run(folder, "git", "add", ".")
    run(folder, "git", "commit", "-qm", tag)
    run(folder, "git", "tag", tag)


def without_mark(resource: Any) -> Any:
    """kpt marks what it fetched; a mark, and what is empty without it, is no difference."""
    metadata = dict(resource["metadata"])
    annotations = {
        key: value for key, value in (metadata.get("annotations") or {}).items() if key != IDENTIFIER
    }
    metadata.pop("annotations", None)
    return {**resource, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_merges_mean_the_same(kpt: str, tmp_path: Path, seed: int) -> None:
    """500 resources a seed, each edited on both sides; kpt merges them in one update."""
    cases = Cases(seed)
    triples = [cases.triple(f"r{number}") for number in range(500)]
    upstream, local = tmp_path / "upstream", tmp_path / "local"
    write(upstream / "pkg", [base for base, _, _ in triples])
    (upstream / "pkg" / "Kptfile").write_text(KPTFILE, encoding="utf-8")
    run(upstream, "git", "init", "-q", "-b", "main")
    commit(upstream, "v1")
    write(upstream / "pkg", [new for _, new, _ in triples])
    commit(upstream, "v2")
    local.mkdir()
    run(local, "git", "init", "-q", "-b", "main")
    run(local, kpt, "pkg", "get", f"file://{upstream}/.git/pkg@v1", "pkg")
    write(local / "pkg", [here for _, _, here in triples])
    commit(local, "edited")

    run(local, kpt, "pkg", "update", "pkg@v2")

    for number, (base, new, here) in enumerate(triples):
        expected = yaml.load(
            (local / "pkg" / f"r{number}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
        )
        merged = merge(base, new, here, schema_of(base["apiVersion"], base["kind"])).value
        assert without_mark(merged) == without_mark(expected), f"seed {seed}, resource {number}"
