"""A small fleet in git for the tests of `krmkit variants sync`: an upstream repository, a bare downstream one, a set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
pipeline:
  mutators:
    - image: ghcr.io/krmkit/set-package-context:v1
      configMap:
        tier: edge
"""
APP = """\
# the web server
apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  release: "1" # ours
  size: small
"""
MARK = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|app'\n"
CLONED = APP.replace("  name: app\n", f"  name: app\n{MARK}")
SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
  namespace: default
spec:
  upstream: {{repo: blueprints, package: web, revision: {revision}}}
  targets:
    - repositories:
        - name: shops
          packageNames: [{names}]
      template:
        packageContext:
          data: {{tier: edge}}
{policies}
"""
REPOSITORIES = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: shops, namespace: default}
spec: {deployment: true}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: blueprints, namespace: default}
spec: {}
"""


def git(folder: Path, *words: str, stdin: str = "") -> str:
    """Run git with a fixed identity and time; return what it prints."""
    who = {
        f"GIT_{role}_{what}": "t@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    when = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **who, **when},
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n")


class GitFleet:
    """`root` holds `up`, the upstream checkout; `shops.git`; `fleet.yaml`, the set; and `objects`."""

    def __init__(
        self, root: Path, project: Path, names: tuple[str, ...] = ("north", "south", "west")
    ) -> None:
        self.root = root
        self.project = project
        self.names = names
        self.upstream, self.shops = root / "up", root / "shops.git"
        self.setfile = "fleet.yaml"
        self.address = ""  # how the downstream repository is named where not as a folder
        (self.upstream / "web").mkdir(parents=True)
        git(root, "init", "-q", "-b", "main", "up")
        git(root, "init", "-q", "--bare", "-b", "main", "shops.git")
        (root / "objects").mkdir()
        (root / "objects" / "repositories.yaml").write_text(REPOSITORIES, encoding="utf-8")
        self.release("v1", {"Kptfile": KPTFILE, "app.yaml": APP})
        self.want(revision=1)

    def release(self, version: str, files: dict[str, str]) -> None:
        """Publish a version of the upstream package `web`."""
        for path, text in files.items():
            (self.upstream / "web" / path).write_text(text, encoding="utf-8")
        git(self.upstream, "add", "-A")
        git(self.upstream, "commit", "-q", "--allow-empty", "-m", f"web {version}")
        git(self.upstream, "tag", f"web/{version}")

    def want(self, revision: int | str, names: tuple[str, ...] | None = None, **policies: str) -> None:
        """Write the set."""
        lines = [f"        {key}: {value}" for key, value in policies.items()]
        text = SET.format(revision=revision, names=", ".join(names or self.names), policies="\n".join(lines))
        (self.root / self.setfile).write_text(text, encoding="utf-8")

    def command(self, name: str, *words: str) -> list[str]:
        repos = ["--repo", f"blueprints={self.upstream}", "--repo", f"shops={self.address or self.shops}"]
        objects = ["--objects", str(self.root / "objects")]
        program = [sys.executable, "-m", "krmkit.cli", "variants", name, str(self.root / self.setfile)]
        return [*program, *repos, *objects, "--in-process", "registry.example.com", *words]

    def run(self, name: str, *words: str, code: int = 0) -> str:
        """Run `krmkit variants NAME`; return stdout and stderr."""
        env = {**os.environ, "PYTHONPATH": str(self.project / "shared")}
        done = subprocess.run(
            self.command(name, *words), cwd=self.root, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def sync(self, *words: str, code: int = 0) -> str:
        return self.run("sync", *words, code=code)

    def refs(self) -> dict[str, str]:
        """Every ref of the downstream repository with its oid."""
        lines = git(self.shops, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return {name: oid for name, _, oid in (line.partition(" ") for line in lines)}

    def branches(self) -> set[str]:
        """Branches and tags by their short names."""
        kept = (ref for ref in self.refs() if not ref.startswith("refs/krmkit/"))
        return {ref.removeprefix("refs/heads/").removeprefix("refs/tags/") for ref in kept}

    def read(self, ref: str, path: str) -> str:
        return git(self.shops, "show", f"{ref}:{path}") + "\n"

    def edit(self, branch: str, path: str, text: str, message: str = "by hand") -> None:
        """A person's commit on a branch of the downstream repository."""
        blob = git(self.shops, "hash-object", "-w", "--stdin", stdin=text)
        index = {"GIT_INDEX_FILE": str(self.root / "index")}
        env = {**os.environ, **index}

        def plumb(*words: str) -> str:
            done = subprocess.run(
                ["git", *words], cwd=self.shops, env=env, capture_output=True, text=True, check=True
            )
            return done.stdout.strip()

        plumb("read-tree", branch)
        plumb("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        tree = plumb("write-tree")
        commit = git(self.shops, "commit-tree", tree, "-p", branch, "-m", message)
        git(self.shops, "update-ref", f"refs/heads/{branch}", commit)
