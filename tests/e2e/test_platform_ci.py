"""The files for CI of a platform: right by the schemas of their systems, and their shell steps run on the example platform."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.programs import python, shell, write_script

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / "deploy/platform/github-workflow.yaml"
GITLAB = ROOT / "deploy/platform/gitlab-ci.yml"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
REPOSITORIES = " ".join(
    f"--repo {name}={{top}}/git/{name}" for name in ("blueprints", "bergen", "lyon", "turin")
)
NAMES = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@e",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@e",
}


@pytest.mark.parametrize(
    ("schema", "path"),
    [("vendor.github-workflows", GITHUB), ("vendor.gitlab-ci", GITLAB)],
    ids=["github", "gitlab"],
)
def test_the_schema(schema: str, path: Path) -> None:
    """As their systems publish it."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    if schema == "vendor.gitlab-ci":
        command += ["--data-transform", "gitlab-ci"]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "init.defaultBranch=main", "-C", str(folder), *words]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **NAMES}
    ).stdout.strip()


@pytest.fixture
def platform(tmp_path: Path) -> Path:
    """The example platform with its sites, in which a branch takes another version of Kubernetes; and the git repositories of a fleet.

    In `bin` are krmkit (which notes its calls, and pushes nothing: git does not push to files), and programs that only note theirs.
    """
    root = tmp_path / "platform"
    shutil.copytree(ROOT / "examples/platform", root)
    tools = tmp_path / "bin"
    tools.mkdir()
    log = tmp_path / "calls"
    krmkit = (
        f'echo "krmkit $*" >>{shell(log)}\nfor word; do shift; [ "$word" = --push ] || set -- "$@" "$word"; done\n'
        f'PYTHONPATH={shell(ROOT / "shared")} exec {python("-m", "krmkit")} "$@"\n'
    )
    for name, body in (
        ("krmkit", krmkit),
        ("pip", ""),
        ("gh", f'echo "gh $*" >>{shell(log)}\n'),
        ("curl", f'echo "curl $*" >>{shell(log)}\n'),
    ):
        write_script(tools / name, body)
    installed = tmp_path / "temporary/krmkit/bin"  # by the action
    installed.mkdir(parents=True)
    (installed / "krmkit").symlink_to(tools / "krmkit")
    for name in ("blueprints", "bergen", "lyon", "turin"):
        repository = tmp_path / "git" / name
        repository.mkdir(parents=True)
        git(repository, "init", "-q")
        if name == "blueprints":
            shutil.copytree(root / "blueprints/plant", repository / "plant")
        (repository / "README.md").write_text(f"# {name}\n")
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", "one")
    git(tmp_path / "git/blueprints", "tag", "plant/v1")
    made = [
        "variants",
        "render",
        "fleet/plants.yaml",
        "--packages",
        ".",
        "--objects",
        "fleet/objects",
        "--out",
        "sites",
    ]
    subprocess.run([str(tools / "krmkit"), *made], cwd=root, check=True, capture_output=True)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "branch", "base")
    for name, old, new in (("versions.yaml", "v1.31.4", "v1.32.1"), ("packs.yaml", "1.31.4", "1.32.1")):
        place = root / "blueprints/plant" / name
        place.write_text(place.read_text("utf-8").replace(old, new), "utf-8")
    subprocess.run([str(tools / "krmkit"), *made], cwd=root, check=True, capture_output=True)
    git(root, "commit", "-q", "-a", "-m", "two")
    log.write_text("")
    return root


def run(
    platform: Path, shell: str, script: str, variables: dict[str, Any]
) -> subprocess.CompletedProcess[str]:
    """A step as its system runs it."""
    top = platform.parent
    known = {
        "PATH": f"{top}/bin{os.pathsep}{os.environ['PATH']}",
        "HOME": str(top),
        "FLEET": "fleet/plants.yaml",
        "RUNNER_TEMP": str(top / "temporary"),
        "REPOSITORIES": REPOSITORIES.format(top=top),
        **NAMES,
    }
    flags = ["-e"] if shell == "sh" else ["--noprofile", "--norc", "-e", "-o", "pipefail"]
    return subprocess.run(
        [shell, *flags, "-c", script],
        cwd=platform,
        env={**{name: str(value) for name, value in variables.items()}, **known},
        capture_output=True,
        text=True,
        check=False,
    )


Step = dict[str, Any]


def steps(job: str, without: str = "env.SITES != ''") -> list[Step]:
    """The steps of a job of the workflow that run krmkit; `without`: leave out those with this condition."""
    return [
        step
        for step in yaml.safe_load(GITHUB.read_text("utf-8"))["jobs"][job]["steps"]
        if without not in step.get("if", "") and ("run" in step or "krmkit" in step["uses"])
    ]


def take(platform: Path, step: Step, variables: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: its script, or those of the action with its inputs."""
    if "run" in step:
        return run(platform, "bash", step["run"], variables)
    top = platform.parent
    known = {**variables, "FLEET": "fleet/plants.yaml", "REPOSITORIES": REPOSITORIES.format(top=top)}
    inputs = {
        f"INPUT_{name.upper()}": re.sub(r"\$\{\{ env\.(\w+) \}\}", lambda found: str(known[found[1]]), value)
        for name, value in step["with"].items()
    }
    given = {**variables, **inputs, "GITHUB_OUTPUT": str(top / "output")}
    done = run(platform, "bash", script("Render"), given)
    if inputs["INPUT_COMMENT"] == "true":
        code = (top / "output").read_text("utf-8").split("=")[-1].strip()
        said = run(platform, "bash", script("Comment"), {**given, "CODE": code, "REPOSITORY": "owner/name"})
        assert said.returncode == 0, said.stderr
    return done


def script(start: str) -> str:
    text: str = next(step["run"] for step in ACTION["runs"]["steps"] if step["name"].startswith(start))
    return text


@pytest.mark.slow
def test_the_workflow(platform: Path) -> None:
    """A pull request: everything is rendered, the plan names the sites, and the page and the comments are there."""
    workflow = yaml.safe_load(GITHUB.read_text("utf-8"))
    summary = platform.parent / "summary"
    variables = {**workflow["env"], "BASE": "base", "GITHUB_STEP_SUMMARY": str(summary), "NUMBER": "7"}

    comments = []
    for step in steps("check"):
        done = take(platform, step, variables)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
        comments.append((platform.parent / "temporary/krmkit-comment.md").read_text("utf-8"))

    plan, variants = comments[1:3]
    assert all(f"sites/{site}/plant" in plan for site in ("bergen", "lyon", "turin"))
    assert "3 with rolling machines" in plan and "plants-lyon-plant" in variants
    assert "3 with rolling machines" in summary.read_text("utf-8")
    assert "Machines roll" in (platform / "report.html").read_text("utf-8")
    calls = (platform.parent / "calls").read_text("utf-8")
    assert calls.count("/issues/7/comments --field body=@") == 2  # the first step has nothing to say


@pytest.mark.slow
def test_the_workflow_on_main(platform: Path) -> None:
    """The fleet's repositories get their drafts."""
    workflow = yaml.safe_load(GITHUB.read_text("utf-8"))
    variables = {**workflow["env"], "GITHUB_STEP_SUMMARY": str(platform.parent / "summary")}

    for step in steps("sync"):
        if "run" in step:
            done = take(platform, step, variables)
            assert done.returncode == 0, (step, done.stdout, done.stderr)

    assert "--push" in (platform.parent / "calls").read_text("utf-8")
    for site in ("bergen", "lyon", "turin"):
        assert "drafts/plant/" in git(platform.parent / "git" / site, "for-each-ref", "--format=%(refname)")


@pytest.mark.slow
def test_a_broken_package_fails_the_workflow(platform: Path) -> None:
    """And only the step that is about it."""
    workflow = yaml.safe_load(GITHUB.read_text("utf-8"))
    place = platform / "sites/lyon/plant/versions.yaml"
    place.write_text(place.read_text("utf-8").replace("v1.32.1", "v1.31.4"), "utf-8")
    git(platform, "commit", "-q", "-a", "-m", "three")

    done = take(platform, steps("check")[0], {**workflow["env"], "BASE": "base", "NUMBER": "7"})

    assert done.returncode == 1
    assert "::error file=sites/lyon/plant/cluster.yaml,line=" in done.stdout


def forget_to_render(platform: Path) -> None:
    """Change the blueprint, and not the sites that are folders of the repository."""
    place = platform / "blueprints/plant/cluster.yaml"
    place.write_text(place.read_text("utf-8").replace("replicas: 2", "replicas: 3"), "utf-8")
    git(platform, "commit", "-q", "-a", "-m", "three")


@pytest.mark.slow
def test_sites_that_nobody_rendered_fail_the_workflow(platform: Path) -> None:
    """Each package is right in itself, so only the fleet shows it."""
    workflow = yaml.safe_load(GITHUB.read_text("utf-8"))
    variables = {**workflow["env"], "BASE": "base", "SITES": "sites", "NUMBER": "7"}
    check, _, sites, _ = steps("check", "env.SITES == ''")
    assert take(platform, sites, variables).returncode == 0
    forget_to_render(platform)

    assert take(platform, check, variables).returncode == 0
    done = take(platform, sites, variables)

    assert done.returncode == 2
    assert "::error file=sites/lyon/plant/cluster.yaml,title=not-rendered::" in done.stdout


@pytest.mark.slow
def test_sites_that_nobody_rendered_fail_gitlab(platform: Path) -> None:
    """The comment lists their files."""
    data = yaml.safe_load(GITLAB.read_text("utf-8"))
    base = git(platform, "rev-parse", "base")
    variables = {**data["variables"], "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "SITES": "sites"}
    forget_to_render(platform)

    done = run(platform, "sh", "\n".join(data["check"]["script"]), variables)

    assert done.returncode == 1
    assert "sites/lyon/plant/cluster.yaml" in done.stdout


@pytest.mark.slow
def test_gitlab(platform: Path) -> None:
    """The same for a merge request, with a comment where there is a token."""
    data = yaml.safe_load(GITLAB.read_text("utf-8"))
    variables = {
        **data["variables"],
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(platform, "rev-parse", "base"),
        "KRMKIT_COMMENT_TOKEN": "token",
        "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
        "CI_PROJECT_ID": "5",
        "CI_MERGE_REQUEST_IID": "8",
    }

    done = run(platform, "sh", "\n".join(data["check"]["script"]), variables)

    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "3 with rolling machines" in done.stdout
    assert (platform / "codequality.json").read_text("utf-8").strip() == "[]"
    assert "Machines roll" in (platform / "report.html").read_text("utf-8")
    assert "https://gitlab.example.com/api/v4/projects/5/merge_requests/8/notes" in (
        platform.parent / "calls"
    ).read_text("utf-8")
    synced = run(platform, "sh", "\n".join(data["sync"]["script"]), variables)
    assert synced.returncode == 0, (synced.stdout, synced.stderr)
    assert "--push" in (platform.parent / "calls").read_text("utf-8")
