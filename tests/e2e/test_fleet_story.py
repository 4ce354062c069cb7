"""A year of a fleet, told in git: two upstream packages, three sets, fifty variants, two downstream repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.gitfleet import APP, KPTFILE, git

pytestmark = pytest.mark.slow

SHOPS = [f"shop-{number:02}" for number in range(30)]
SITES = [f"site-{number:02}" for number in range(15)]
STORES = [f"store-{number}" for number in range(5)]


class Story:
    """`run` calls krmkit; the sets are written anew for each chapter."""

    def __init__(self, root: Path, project: Path) -> None:
        self.root = root
        self.environment = {**os.environ, "PYTHONPATH": str(project / "shared")}
        git(root, "init", "-q", "--bare", "-b", "main", "blueprints.git")
        git(root, "clone", "-q", "blueprints.git", "work")
        for name in ("retail.git", "edge.git"):
            git(root, "init", "-q", "--bare", "-b", "main", name)
        self.web, self.cache = 1, 1
        self.policies: dict[str, dict[str, str]] = {}
        self.sites = list(SITES)

    def release(self, package: str, version: int, text: str) -> None:
        work = self.root / "work"
        (work / package).mkdir(exist_ok=True)
        (work / package / "Kptfile").write_text(
            KPTFILE.replace("name: web", f"name: {package}"), encoding="utf-8"
        )
        (work / package / "app.yaml").write_text(text, encoding="utf-8")
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", f"{package} v{version}")
        git(work, "tag", f"{package}/v{version}")
        git(work, "push", "-q", "origin", "HEAD:main", f"{package}/v{version}")

    def write_sets(self) -> None:
        """Shops get the web server from retail.git, sites get it in edge.git, stores a cache in retail.git."""
        sets = [
            self.set("shops", "web", self.web, "retail", SHOPS),
            self.set("sites", "web", self.web, "edge", self.sites),
            self.set("stores", "cache", self.cache, "retail", STORES),
        ]
        (self.root / "sets.yaml").write_text(yaml.dump_all(sets), encoding="utf-8")

    def set(self, name: str, package: str, revision: int, repo: str, names: list[str]) -> dict[str, Any]:
        template = {
            "packageContext": {"data": {"tier": name}},
            "labels": {"fleet": name},
            **self.policies.get(name, {}),
        }
        targets = [{"repositories": [{"name": repo, "packageNames": names}], "template": template}]
        upstream = {"repo": "blueprints", "package": package, "revision": revision}
        return {
            "apiVersion": "config.porch.kpt.dev/v1alpha2",
            "kind": "PackageVariantSet",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"upstream": upstream, "targets": targets},
        }

    def run(self, command: str, *words: str) -> str:
        self.write_sets()
        repos = [f"--repo={name}={self.root / name}.git" for name in ("blueprints", "retail", "edge")]
        (self.root / "objects").mkdir(exist_ok=True)
        objects = [
            {
                "apiVersion": "config.porch.kpt.dev/v1alpha1",
                "kind": "Repository",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"deployment": True},
            }
            for name in ("retail", "edge")
        ]
        (self.root / "objects" / "all.yaml").write_text(yaml.dump_all(objects), encoding="utf-8")
        call = [sys.executable, "-m", "krmkit.cli", "variants", command, str(self.root / "sets.yaml"), *repos]
        done = subprocess.run(
            [*call, "--objects", str(self.root / "objects"), *words],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def log(self, repo: str, ref: str) -> list[str]:
        return git(self.root / f"{repo}.git", "log", "--format=%s", ref).splitlines()

    def show(self, repo: str, place: str) -> str:
        return git(self.root / f"{repo}.git", "show", place)


def test_the_story(tmp_path: Path, project: Path) -> None:
    """Clone, approve, update, edit, conflict, adopt, orphan, delete: each chapter does what it says, and no more."""
    story = Story(tmp_path, project)
    story.release("web", 1, APP)
    story.release("cache", 1, APP)

    assert "50 variants changed, 0 unchanged, 0 failed" in story.run("sync")
    rows = json.loads(story.run("status", "-f", "json"))["variants"]
    assert {row["labels"]["fleet"] for row in rows} == {"shops", "sites", "stores"}
    assert "50 variants changed" in story.run("sync", "--approve", "auto")
    assert story.log("edge", "main") == ["Publish 15 packages"]
    assert story.log("retail", "main") == ["Publish 35 packages"]

    # A new version of one package concerns its variants only.
    story.release("web", 2, APP.replace('"1"', '"2"'))
    story.web = 2
    assert "45 variants changed, 5 unchanged" in story.run("sync")

    # Somebody edits a draft; the next version is merged into it, and their line stays.
    edge = tmp_path / "edge-work"
    git(tmp_path, "clone", "-q", "-b", "drafts/site-03/packagevariant-2", "edge.git", "edge-work")
    text = (edge / "site-03" / "app.yaml").read_text(encoding="utf-8")
    (edge / "site-03" / "app.yaml").write_text(
        text.replace("size: small", "size: huge # a harbour"), encoding="utf-8"
    )
    git(edge, "commit", "-q", "-a", "-m", "Site 3 is a harbour")
    git(edge, "push", "-q")
    story.release("web", 3, APP.replace('"1"', '"3"'))
    story.web = 3
    assert "45 variants changed" in story.run("sync")
    place = "drafts/site-03/packagevariant-2:site-03/app.yaml"
    assert "size: huge # a harbour" in story.show("edge", place) and 'release: "3"' in story.show(
        "edge", place
    )

    # A version that changes the same line is a conflict there, and an update everywhere else.
    story.release("web", 4, APP.replace('"1"', '"4"').replace("size: small", "size: medium"))
    story.web = 4
    out = story.run("sync", "--approve", "auto")
    assert (
        out.count("left a draft with conflicts alone") == 1
        and " data.size: changed upstream to 'medium'" in out
    )
    assert "size: huge" in story.show("edge", place) and 'release: "3"' in story.show("edge", place)
    assert "size: medium" in story.show("edge", "main:site-04/app.yaml")

    # Its state is lost; with adoptExisting the package is taken over again, in place.
    ref = "refs/krmkit/variants/default/stores-retail-store-1"
    git(tmp_path / "retail.git", "update-ref", "-d", ref)
    story.policies["stores"] = {"adoptionPolicy": "adoptExisting"}
    assert "adopted store-1/v1" in story.run("sync")

    # One site goes for good, one is kept as an orphan.
    story.sites.remove("site-14")
    assert "proposed to delete site-14/v1" in story.run("sync", "--prune")
    story.policies["sites"] = {"deletionPolicy": "orphan"}
    story.run("sync")
    story.sites.remove("site-13")
    assert "orphaned site-13/v1" in story.run("sync", "--prune")

    assert "0 variants changed, 47 unchanged, 1 left alone with conflicts" in story.run("sync")
    assert story.log("edge", "site-05/v2") == [
        "Update site-05 to blueprints/web v4 for default/sites-edge-site-05",
        "Update site-05 to blueprints/web v3 for default/sites-edge-site-05",
        "Update site-05 to blueprints/web v2 for default/sites-edge-site-05",
        "Clone blueprints/web v1 for default/sites-edge-site-05",
    ]
    for name in ("edge.git", "retail.git"):
        git(tmp_path / name, "fsck", "--strict")
