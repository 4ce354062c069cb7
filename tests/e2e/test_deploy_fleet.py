"""The packages of deploy/fleet: their manifests fit the schemas, and their commands do what one run does."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.render.package import read
from tests.e2e.gitfleet import REPOSITORIES, GitFleet
from tests.programs import python, write_script

pytestmark = pytest.mark.slow

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import kubernetes_validate
    from hera.workflows.models import WorkflowTemplate

PACKAGES = ("indexed-job", "argo-workflow")
KUBERNETES = "1.34"


def documents(project: Path, package: str, file: str) -> list[dict[str, Any]]:
    text = (project / "deploy/fleet" / package / file).read_text("utf-8")
    return list(yaml.safe_load_all(text))


@pytest.mark.parametrize("package", PACKAGES)
def test_they_are_packages(project: Path, package: str) -> None:
    """kpt's rules, as krmkit reads them."""
    assert {item.kind for item in read(str(project / "deploy/fleet" / package)).items} > {
        "Kptfile",
        "ConfigMap",
    }


@pytest.mark.parametrize(
    ("package", "file"), [("indexed-job", "job.yaml"), *((one, "fleet.yaml") for one in PACKAGES)]
)
def test_kubernetes_takes_them(project: Path, package: str, file: str) -> None:
    """No unknown field, no wrong type, nothing missing."""
    found = documents(project, package, file)
    for document in found:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)

    found[0]["spec" if "spec" in found[0] else "data"]["completionsss"] = 4
    if "spec" in found[0]:
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(found[0], KUBERNETES, strict=True)


def unknown(given: Any, known: Any, path: str = "") -> list[str]:
    """The fields that a model left out, because it has no such field."""
    if isinstance(given, dict) and isinstance(known, dict):
        found = [f"{path}.{key}" for key in given if key not in known]
        return found + [
            one for key in given if key in known for one in unknown(given[key], known[key], f"{path}.{key}")
        ]
    if isinstance(given, list) and isinstance(known, list):
        return [
            one
            for number, (a, b) in enumerate(zip(given, known, strict=True))
            for one in unknown(a, b, f"{path}[{number}]")
        ]
    return []


def test_argo_takes_the_workflow(project: Path) -> None:
    """Hera's models are made of Argo's schema; a field that they do not have is found by what they leave out."""
    (workflow,) = documents(project, "argo-workflow", "workflow.yaml")

    def left_out(data: dict[str, Any]) -> list[str]:
        return unknown(
            data, WorkflowTemplate.model_validate(data).model_dump(by_alias=True, exclude_unset=True)
        )

    assert left_out(workflow) == []
    workflow["spec"]["templates"][1]["container"]["imagee"] = "x"
    assert left_out(workflow) == [".spec.templates[1].container.imagee"]
    workflow["spec"]["templates"][1]["container"]["args"] = 3
    with pytest.raises(ValueError, match=r"container\.args"):
        WorkflowTemplate.model_validate(workflow)


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    """A fleet whose Repositories say where they are, as the packages need it."""
    made = GitFleet(tmp_path, project, names=tuple(f"shop-{number}" for number in range(9)))
    text = REPOSITORIES.replace(
        "spec: {deployment: true}", f'spec: {{deployment: true, git: {{repo: "file://{made.shops}"}}}}'
    )
    text = text.replace("spec: {}", f'spec: {{git: {{repo: "file://{made.upstream}"}}}}')
    (tmp_path / "objects/repositories.yaml").write_text(text, encoding="utf-8")
    write_script(tmp_path / "bin/krmkit", f'exec {python("-m", "krmkit.cli")} "$@"\n')
    return made


def execute(fleet: GitFleet, words: list[str], **env: str) -> None:
    """Run a container's command; `/fleet` is where the test has its files."""
    words = [word.replace("/fleet/", f"{fleet.root}/") for word in words]
    path = f"{fleet.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    who = {
        f"GIT_{role}_{what}": "t@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    env = {**os.environ, **who, **env, "PATH": path, "PYTHONPATH": str(fleet.project / "shared")}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def one_run(fleet: GitFleet) -> dict[str, str]:
    """The refs of a run without shards, in a repository of its own."""
    shutil.rmtree(fleet.shops)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(fleet.shops)], check=True)
    execute(
        fleet, ["krmkit", "variants", "sync", "/fleet/fleet.yaml", "--objects", "/fleet/objects", "--push"]
    )
    return fleet.refs()


def test_the_job_does_what_one_run_does(fleet: GitFleet, project: Path) -> None:
    """Every index is a shard; all indexes and the last Job make the refs of one run."""
    shards, finish = documents(project, "indexed-job", "job.yaml")
    container = shards["spec"]["template"]["spec"]["containers"][0]
    env = {one["name"]: one["value"] for one in container["env"] if one["name"] == "SHARDS"}
    assert env == {"SHARDS": str(shards["spec"]["completions"])}
    sizes = []
    for index in range(shards["spec"]["completions"]):
        execute(fleet, container["command"] + container["args"], JOB_COMPLETION_INDEX=str(index), **env)
        sizes.append(len(fleet.branches()))
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] == 9
    last = finish["spec"]["template"]["spec"]["containers"][0]
    execute(fleet, last["command"] + last["args"])

    assert fleet.refs() == one_run(fleet)


def test_the_workflow_does_what_one_run_does(fleet: GitFleet, project: Path) -> None:
    """withSequence counts from 1, as shards do."""
    (workflow,) = documents(project, "argo-workflow", "workflow.yaml")
    (parameter,) = workflow["spec"]["arguments"]["parameters"]
    steps, krmkit = workflow["spec"]["templates"]
    (sharded,), (last,) = steps["steps"]
    count = int(parameter["value"])
    assert sharded["withSequence"] == {"start": "1", "end": "{{workflow.parameters.shards}}"}
    given = [sharded["arguments"]["parameters"][0]["value"]] * count + [
        last["arguments"]["parameters"][0]["value"]
    ]
    for number, text in enumerate(given, 1):
        shard = text.replace("{{item}}", str(number)).replace("{{workflow.parameters.shards}}", str(count))
        container = krmkit["container"]
        words = [
            word.replace("{{inputs.parameters.shard}}", shard)
            for word in container["command"] + container["args"]
        ]
        execute(fleet, words)

    assert fleet.refs() == one_run(fleet)
