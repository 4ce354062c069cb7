"""Packages of a fleet that make the same object for one cluster are named, by every command that makes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.gitfleet import APP, KPTFILE, GitFleet, git

SITES = ("north", "south", "west")
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: site
  namespace: default
spec: {topology: {classRef: {name: edge}, version: v1.31.4}}
"""
SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: sites, namespace: default}
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  targets:
  - repositories: [{name: north}, {name: south}, {name: west}]
    template: {downstream: {package: site}}
"""
REPOSITORY = """\
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {{name: {name}, namespace: default{more}}}
spec: {{deployment: true}}
"""
SAID = "Cluster default/site is made by north/site, south/site, west/site, which go to one management cluster"


class Sites(GitFleet):
    """A repository for each site."""

    def __init__(self, root: Path, project: Path) -> None:
        super().__init__(root, project)
        for name in SITES:
            git(root, "init", "-q", "--bare", "-b", "main", f"{name}.git")
        (root / self.setfile).write_text(SET, encoding="utf-8")
        self.describe()

    def describe(self, **more: str) -> None:
        """Write the Repository objects; `more` goes into the metadata of one."""
        texts = (REPOSITORY.format(name=name, more=more.get(name, "")) for name in SITES)
        (self.root / "objects" / "repositories.yaml").write_text("".join(texts), encoding="utf-8")

    def command(self, name: str, *words: str) -> list[str]:
        repos = [f"--repo={one}={self.root / one}.git" for one in SITES]
        return [*super().command(name, *words), *repos]

    def render(self, *words: str) -> str:
        program = [
            sys.executable,
            "-m",
            "krmkit.cli",
            "variants",
            "render",
            self.setfile,
            "--packages",
            "packages",
        ]
        done = subprocess.run(
            [*program, "--objects", "objects", "--out", "out", *words], cwd=self.root, capture_output=True,
            text=True, check=False, env={**os.environ, "PYTHONPATH": str(self.project / "shared")},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def sites(tmp_path: Path, project: Path) -> Sites:
    sites = Sites(tmp_path, project)
    sites.release("v1.0", {"cluster.yaml": CLUSTER})
    git(sites.upstream, "tag", "-f", "web/v1")
    package = tmp_path / "packages" / "blueprints" / "web"
    package.mkdir(parents=True)
    for name, text in (("Kptfile", KPTFILE), ("app.yaml", APP), ("cluster.yaml", CLUSTER)):
        (package / name).write_text(text, encoding="utf-8")
    return sites


def collisions(text: str) -> list[str]:
    """The warnings of a run in JSON, with the variants that they are about."""
    whole = json.loads(text)
    results = whole.get("results") or [one for package in whole["packages"] for one in package["results"]]
    found = [one for one in results if one["rule"] == "collision"]
    assert {one["severity"] for one in found} <= {"warning"}
    return [f"{one['resource']['name']}: {one['message']}" for one in found]


def test_three_sites_make_one_cluster(sites: Sites) -> None:
    """A sync names it with all packages, also when it has nothing to do, and so does status."""
    first = sites.sync()
    again = sites.sync()

    assert first.count(f"collision: {SAID}") == again.count(f"collision: {SAID}") == 1
    assert "0 variants changed, 3 unchanged, 1 collision, 0 failed" in again
    assert sites.run("status").count(f"collision: {SAID}") == 3
    for command in ("sync", "status"):
        told = collisions(sites.run(command, "-f", "json"))
        assert told == [f"sites-{name}-site: {SAID}" for name in SITES]


def test_another_fleet_makes_it(sites: Sites) -> None:
    """The packages of a file that another sync has built count as well: they go to the same clusters."""
    only_north = SET.replace("name: sites,", "name: {name},").replace(", {name: south}, {name: west}", "")
    (sites.root / sites.setfile).write_text(only_north.replace("{name},", "first,"), encoding="utf-8")
    assert "collision" not in sites.sync()
    sites.setfile = "second.yaml"
    second = only_north.replace("{name},", "second,").replace("{name: north}", "{name: south}")
    (sites.root / sites.setfile).write_text(second, encoding="utf-8")

    said = sites.sync()

    assert "collision: Cluster default/site is made by north/site, south/site, which go to one" in said


def test_a_render_names_it_too(sites: Sites) -> None:
    """`variants render` has no git, and the same rule."""
    assert f"collision: {SAID}\n" in sites.render()
    assert collisions(sites.render("-f", "json")) == [f"sites-{name}-site: {SAID}" for name in SITES]


def test_clusters_of_their_own(sites: Sites) -> None:
    """A management cluster of its own ends the collision; what is said is gone with the next sync."""
    sites.sync()
    sites.describe(west=", annotations: {krmkit.dev/management-cluster: far}")

    said = sites.sync()

    assert (
        "Cluster default/site is made by north/site, south/site, which go to one management cluster" in said
    )
    assert "west/site," not in said


def test_an_edit_ends_it(sites: Sites) -> None:
    """People's edits of a draft count, as they are in what the sync builds."""
    sites.describe(west=", annotations: {krmkit.dev/management-cluster: far}")
    sites.sync()
    sites.shops = sites.root / "south.git"
    branch = "drafts/site/packagevariant-1"
    text = sites.read(branch, "site/cluster.yaml")
    sites.edit(branch, "site/cluster.yaml", text.replace("name: site\n", "name: south\n"))

    assert "collision" not in sites.sync()
    assert "collision" not in sites.sync()
