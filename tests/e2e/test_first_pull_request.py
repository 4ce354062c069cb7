"""The first pull request of a repository like a real one: krmkit init, one workflow of docs/ci.md, a green plan."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.e2e.test_ci_files import GH, ROOT, run, script, tree

__all__ = ["tree"]  # the fixture: a folder, and an installed krmkit where the action has it

EXAMPLE = ROOT / "functions/render-cluster-topology/examples/quick-start"
FILES = {
    ".github/workflows/lint.yaml": "name: lint\non: push\njobs: {lint: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n",
    ".pre-commit-config.yaml": "repos:\n- repo: https://example.com/hooks\n  rev: v5.0.0\n  hooks: [{id: check-yaml}]\n",
    "charts/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
    "charts/shop/values.yaml": "replicas: 2\n",
    "charts/shop/templates/deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n",
    "README.md": "# A platform\n",
    "docs/notes.md": "# Notes\n",
}
VARIANT = """apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {{name: site-{number:02}}}
spec:
  upstream: {{repo: blueprints, package: site, revision: 1}}
  downstream: {{repo: sites, package: site-{number:02}}}
"""
SETTINGS = "apiVersion: krmkit.dev/v1alpha1\nkind: Settings\nspec:\n  skip: [nad-fn]\n"


def git(folder: Path, *words: str) -> None:
    assert run(folder, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words).returncode == 0


@pytest.fixture
def repository(tree: Path) -> Path:
    """Workflows, hooks, a chart, Markdown, two classes and 20 Clusters, two packages, and a fleet of 30 with a foreign function."""
    work = tree / "work"
    shutil.rmtree(work)
    for name, text in FILES.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, "utf-8")
    clusters = work / "clusters"
    clusters.mkdir()
    given = (EXAMPLE / "class.yaml").read_text("utf-8")
    (clusters / "class.yaml").write_text(given, "utf-8")
    large = given.replace("metadata:\n  name: quick-start\n", "metadata:\n  name: large\n", 1)
    (clusters / "large.yaml").write_text(large, "utf-8")
    shutil.copy(EXAMPLE / "templates.yaml", clusters)
    one = (EXAMPLE / "clusters.yaml").read_text("utf-8").split("\n---\n")[0]
    many = [
        one.replace("name: dev\n", f"name: c{number:02}\n").replace(
            "name: quick-start\n", "name: large\n" if number % 2 else "name: quick-start\n"
        )
        for number in range(20)
    ]
    (clusters / "clusters.yaml").write_text("\n---\n".join(many) + "\n", "utf-8")
    for name in ("shop", "door", "fleet/blueprints/site"):
        shutil.copytree(
            ROOT / "examples/without-docker", work / name, ignore=shutil.ignore_patterns(".expected")
        )
        assert run(tree, "krmkit", "render", name, "-q").returncode == 0
    with (work / "fleet/blueprints/site/Kptfile").open("a", encoding="utf-8") as file:
        file.write("  - image: docker.io/example/nad-fn:v2.0.0\n")
    variants = "---\n".join(VARIANT.format(number=number) for number in range(30))
    (work / "fleet/fleet.yaml").write_text(variants, "utf-8")
    for words in (["init", "-q", "-b", "main", "."], ["add", "-A"], ["commit", "-qm", "as it is"]):
        git(tree, *words)
    git(tree, "update-ref", "refs/remotes/origin/main", "HEAD")
    (tree / "krmkit/bin/gh").write_text(GH)
    (tree / "krmkit/bin/gh").chmod(0o755)
    (tree / "comments").mkdir()
    return tree


def commented(tree: Path, inputs: dict[str, str]) -> tuple[int, str]:
    """Run the action's step and its comment as GitHub does; return the exit code, and the comment."""
    given = {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
    given |= {"INPUT_PATH": ".", "GITHUB_BASE_REF": "main", "GITHUB_OUTPUT": f"{tree}/output"}
    bash = ("bash", "-e", "-o", "pipefail", "-c")
    done = run(tree, *bash, script(), **given)
    code = (tree / "output").read_text().splitlines()[-1].removeprefix("code=")
    said = {"REPOSITORY": "owner/name", "NUMBER": "7", "COMMENTS": f"{tree}/comments", "CODE": code}
    assert run(tree, *bash, script("Comment"), **given, **said).returncode == 0
    return done.returncode, (tree / "comments/0").read_text()


def test_the_first_pull_request(repository: Path) -> None:
    """After `krmkit init` and the workflow of docs/ci.md the plan is green, and the next change is told in its comment."""
    page = (ROOT / "docs/ci.md").read_text("utf-8")
    [workflow] = re.findall(r"```yaml\n(# \.github/workflows/plan\.yaml\n.*?)```", page, re.DOTALL)
    made = run(repository, "krmkit", "init", "clusters")
    assert made.returncode == 0, made.stderr
    (repository / "work/.github/workflows/plan.yaml").write_text(workflow, "utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "krmkit")
    inputs = yaml.safe_load(workflow)["jobs"]["plan"]["steps"][1]["with"]

    code, comment = commented(repository, inputs)

    assert code == 0
    assert comment.startswith("<!-- krmkit plan . -->\n")
    assert "1 package, 20 Clusters: 0 with changes, 0 with rolling machines" in comment

    file = repository / "work/clusters/large.yaml"
    file.write_text(file.read_text("utf-8").replace("kindest/node", "registry.example.com/node"), "utf-8")
    code, comment = commented(repository, inputs)
    assert code == 0
    assert "20 Clusters: 10 with changes, 10 with rolling machines" in comment


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("check .", 0, "4 packages: 1 warning"),
        ("render -r . --check", 0, "0 failed"),
        ("report . -f json", 0, '"skipped"'),
        ("why fleet/blueprints/site Deployment/shop", 0, "Deployment"),
        ("variants render fleet/fleet.yaml --packages fleet -o sites", 0, "30 variants, 180 files changed"),
    ],
)
def test_foreign_functions(repository: Path, words: str, code: int, said: str) -> None:
    """A fleet whose function cannot run here is told once, with the way out; one setting lets all commands pass."""
    assert run(repository, "krmkit", "init", "clusters").returncode == 0
    kptfile = repository / "work/fleet/blueprints/site/Kptfile"
    mark = '  annotations:\n    krmkit.dev/blueprint: "true"\n'
    text = kptfile.read_text("utf-8")
    assert "  annotations:\n" in text
    kptfile.write_text(text.replace("  annotations:\n", mark, 1), "utf-8")

    refused = run(repository, "krmkit", *words.split())
    assert refused.returncode == 1
    whole = " ".join((refused.stdout + refused.stderr).split())
    assert whole.count("--skip nad-fn leaves the function out") <= 2

    (repository / "work/.krmkit.yaml").write_text(SETTINGS, "utf-8")
    done = run(repository, "krmkit", *words.split())
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
