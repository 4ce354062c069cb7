"""The example platform over git: packs, a class, an Installation and macros of facts, at three sites that follow one blueprint."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.gitfleet import git

SITES = ("lyon", "turin", "bergen")
PACKS = "packs.yaml"


class Sites:
    """`blueprints` is a checkout with the package `plant`; each site has a repository of its own."""

    def __init__(self, root: Path, project: Path) -> None:
        self.root = root
        self.environment = {**os.environ, "PYTHONPATH": str(project / "shared")}
        example = project / "examples/platform"
        shutil.copytree(example / "fleet", root / "fleet")
        shutil.copytree(example / "blueprints", root / "blueprints")
        git(root, "init", "-q", "-b", "main", "blueprints")
        for site in SITES:
            git(root, "init", "-q", "--bare", "-b", "main", f"{site}.git")
        self.release(1)

    def release(self, number: int, *pairs: tuple[str, str]) -> None:
        """Publish a version of the blueprint with texts of its packs replaced, and let the sites follow it."""
        packs = self.root / "blueprints/plant" / PACKS
        text = packs.read_text("utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        packs.write_text(text, "utf-8")
        work = self.root / "blueprints"
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", f"plant v{number}")
        git(work, "tag", f"plant/v{number}")
        file = self.root / "fleet/plants.yaml"
        file.write_text(re.sub(r"revision: v\d+", f"revision: v{number}", file.read_text("utf-8")), "utf-8")

    def sync(self, *words: str) -> str:
        repos = [f"--repo={site}={self.root / site}.git" for site in SITES]
        call = [sys.executable, "-m", "krmkit.cli", "variants", "sync", "fleet/plants.yaml", *repos]
        call += [f"--repo=blueprints={self.root}/blueprints", "--objects", "fleet/objects", *words]
        done = subprocess.run(
            call, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def packs(self, site: str, ref: str) -> str:
        return git(self.root / f"{site}.git", "show", f"{ref}:plant/{PACKS}")


@pytest.fixture
def sites(tmp_path: Path, project: Path) -> Sites:
    return Sites(tmp_path, project)


def test_a_blueprint_at_three_sites(sites: Sites) -> None:
    """Upstream's value reaches all sites, a person's edit beside it stays, and a real conflict is one line with its place."""
    assert sites.sync("--approve", "auto").count("published plant/v1") == len(SITES)
    git(sites.root, "clone", "-q", "-b", "main", "lyon.git", "work")
    place = sites.root / "work/plant" / PACKS
    text = place.read_text("utf-8")
    assert text.count("        memory: 8Gi\n") == 1
    place.write_text(text.replace("        memory: 8Gi\n", "        memory: 2Gi # a small plant\n"), "utf-8")
    git(sites.root / "work", "commit", "-q", "-a", "-m", "Lyon is small")
    git(sites.root / "work", "tag", "plant/v2")
    git(sites.root / "work", "push", "-q", "origin", "plant/v2")

    sites.release(2, ('"version": "2.0.0"', '"version": "2.1.0"'))
    said = sites.sync("--approve", "auto")

    assert "conflict" not in said and said.count("updated drafts/plant/") == len(SITES)
    for site in SITES:
        packs = sites.packs(site, "plant/v3" if site == "lyon" else "plant/v2")
        assert '"version": "2.1.0"' in packs
        assert ("        memory: 2Gi # a small plant\n" in packs) == (site == "lyon")

    sites.release(3, ("memory: 8Gi\n", "memory: 4Gi\n"))
    conflicts = [line for line in sites.sync("--approve", "auto").splitlines() if "conflict: " in line]

    (line,) = conflicts
    found = re.search(
        r" conflict: packs\.yaml:(\d+):9 data\.\"values\.yaml\"\.store\.requests\.memory: (.*)$", line
    )
    assert found is not None, line
    assert found[2] == "changed upstream to '4Gi' and locally to '2Gi': upstream wins"
    lines = sites.packs("lyon", "drafts/plant/packagevariant-3").splitlines()
    assert "memory: 4Gi" in lines[int(found[1]) - 1]
    assert "memory: 4Gi" in sites.packs("turin", "plant/v3") and "plant/v4" not in git(
        sites.root / "lyon.git", "tag"
    )
    assert sites.sync("--approve", "auto").count("conflict: ") == 1
