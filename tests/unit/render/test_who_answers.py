"""Who answers an `image:` or `exec:`: one decision for render, report, plan, variants and the evaluator."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from krmkit import REGISTRY, TAG
from krmkit.cli import main
from krmkit.cli.arguments import CommandParser
from krmkit.cli.running import add_running
from krmkit.fleet.build import build_of
from krmkit.fn.loader import load, names
from krmkit.fn.run import RunOptions
from krmkit.fn.standin import behaves_as, not_the_image, stood_in
from krmkit.kpt.kptfile import PipelineFunction
from krmkit.render.resolve import ProgramResolver, ResolveError
from krmkit.services.evaluator.worker import answered, preloaded

DIGEST = "@sha256:" + "01" * 32
KPT = "ghcr.io/kptdev/krm-functions-catalog"
OURS, OTHER, REFUSED, PROGRAM = "in process", "in process, with a warning", "nobody", "a program"
FORMS = {
    "image: set-labels": OURS,
    "image: set-labels:v0.2": OURS,
    "image: set-labels:v9": OTHER,
    f"image: {KPT}/set-labels": OURS,
    f"image: {KPT}/set-labels:latest": OURS,
    f"image: {KPT}/set-labels:v0.2.4": OURS,
    f"image: {KPT}/set-labels:v0.2.4{DIGEST}": OTHER,
    f"image: {KPT}/set-labels:v99.0.0": OTHER,
    f"image: {KPT}/set-labels:v0.20": OTHER,
    "image: gcr.io/kpt-fn/set-labels:v0.2.0": OURS,
    "image: gcr.io/kpt-fn-contrib/set-labels:v0.2.0": REFUSED,
    f"image: {REGISTRY}/set-labels:{TAG}": OURS,
    f"image: {REGISTRY}/set-labels:v7.7.7": OTHER,
    f"image: {REGISTRY}-evil/set-labels": REFUSED,
    "image: registry.corp.example/platform/set-labels:v0.2": REFUSED,
    f"image: registry.corp.example/platform/set-labels:v7{DIGEST}": REFUSED,
    "image: mirror.example:5000/kpt/set-labels:v0.2.1": OURS,  # named by --in-process
    "exec: set-labels": OURS,
    "exec: ./bin/set-labels": PROGRAM,
    "exec: some/set-labels/main.py": PROGRAM,
}
MIRROR = "mirror.example:5000/kpt"
VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: v}
spec: {upstream: {repo: bp, package: base}, downstream: {repo: r, package: p}}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: nginx:1}]}\n"


@pytest.fixture(params=list(FORMS), ids=list(FORMS))
def form(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package `base` whose pipeline names one function in this form; no container runtime works."""
    text = f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: base}}\npipeline:\n  mutators:\n  - {request.param}\n"
    (tmp_path / "base").mkdir()
    (tmp_path / "base/Kptfile").write_text(text + "    configMap: {team: a}\n")
    (tmp_path / "base/pod.yaml").write_text(POD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    return str(request.param)


def test_every_command_decides_alike(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands run the function, warn, or refuse; a program needs --allow-exec."""
    wanted = FORMS[form]
    runs = wanted in {OURS, OTHER}

    assert main(["list", "--for", "base", "--in-process", MIRROR, "--format", "json"]) == int(not runs)
    (step,) = json.loads(capsys.readouterr().out)["steps"]
    assert step["answeredBy"] == ("set-labels of this catalog" if runs else "")
    assert ("answered" in step["note"]) == (wanted == OTHER)

    assert main(["report", "base", "--in-process", MIRROR, "--format", "json"]) == int(not runs)
    (package,) = json.loads(capsys.readouterr().out)["packages"]
    rules = [one["rule"] for one in package["results"]]
    assert ("not-the-image" in rules) == (wanted == OTHER)

    shutil.copytree("base", "repos/bp/base")
    Path("variant.yaml").write_text(VARIANT)
    command = ["variants", "render", "variant.yaml", "--packages", "repos", "-o", "out"]
    assert main([*command, "--in-process", MIRROR]) == int(not runs)
    assert Path("out/r/p/pod.yaml").exists() == runs
    assert not runs or "team: a" in Path("out/r/p/pod.yaml").read_text()
    assert main(["check", "base", "--in-process", MIRROR]) == int(not runs)
    assert ("not-the-image" in capsys.readouterr().out) == (wanted == OTHER)

    assert main(["render", "base", "--in-process", MIRROR, "--strict"]) == int(wanted != OURS)
    capsys.readouterr()
    assert main(["render", "base", "--in-process", MIRROR]) == int(not runs)
    said = capsys.readouterr()
    assert ("not-the-image" in said.out) == (wanted == OTHER)
    assert ("team: a" in Path("base/pod.yaml").read_text()) == runs
    assert ("--allow-exec" in said.err) == (wanted == PROGRAM)
    assert ("no container runtime works" in said.err) == (wanted == REFUSED)


@pytest.mark.parametrize("form", [form for form in FORMS if form.startswith("image")])
def test_the_evaluator_decides_alike(form: str) -> None:
    """What it answers, and with which warning."""
    image, wanted = form.removeprefix("image: "), FORMS[form]
    name = stood_in(image, [MIRROR])

    assert (name == "set-labels") == (wanted != REFUSED)
    if name:
        given = b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, data: {a: b}}\nitems: []\n"
        output = answered(preloaded(), name, given, image).output
        assert (b"rule: not-the-image" in output) == (wanted == OTHER)


def test_variants_and_syncs_decide_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job that makes a variant's package has the flags of render."""
    monkeypatch.setenv("PATH", str(tmp_path))
    parser = CommandParser()
    add_running(parser)
    flags = ["--in-process", "r.example/a/", "--strict", "--containers", "set-labels", "--allow-exec"]
    build = build_of(parser.parse_args(flags), [], RunOptions())
    assert build._flags is not None
    resolver = ProgramResolver.of(build._flags, RunOptions(), None)
    step = PipelineFunction("f", {"image": "r.example/a/set-image:v9"})

    assert resolver.strict and resolver.allow_exec
    assert resolver.answers(step)[1].startswith("r.example/a/set-image:v9 is another release")
    with pytest.raises(ResolveError, match=r"no container runtime|must run as a container"):
        ProgramResolver(RunOptions(), containers=("set-labels",)).resolve(
            PipelineFunction("f", {"image": "set-labels"})
        )


def test_a_program_of_the_package_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its name is that of a function of the catalog, and yet it runs itself, with --allow-exec."""
    program = tmp_path / "bin/set-labels"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho RAN >&2; cat\n")
    program.chmod(0o755)
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
    (tmp_path / "Kptfile").write_text(f"{kptfile}  - exec: {program}\n    configMap: {{team: a}}\n")
    (tmp_path / "pod.yaml").write_text(POD)

    assert main(["render", str(tmp_path)]) == 1
    assert main(["render", str(tmp_path), "--allow-exec"]) == 0
    assert (tmp_path / "pod.yaml").read_text() == POD


def test_errors_come_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each function of the tree that nobody answers is named, and the ways out once."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for folder in ("", "sub"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "Kptfile").write_text(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n"
            "  - image: r.example/one/set-labels\n  - image: r.example/one/set-labels\n"
        )

    assert main(["render", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.count("is not one that set-labels of this catalog may stand in for") == 4
    assert said.count("--in-process r.example/one") == 1


def test_releases() -> None:
    """The tag of a Kptfile's entry replaces the image's; krmkit's own tags choose no release of the original."""
    labels = load("set-labels").definition

    assert not_the_image(f"{KPT}/set-labels:v9{DIGEST}", "v0.2.1", labels) == ""
    assert "v9" in not_the_image(f"{KPT}/set-labels:v0.2", "v9", labels)
    assert behaves_as(f"{REGISTRY}/set-namespace:v0.1.0") == ""
    assert behaves_as(f"{KPT}/set-namespace:v0.4.1") == "v0.4.1"
    followed = [load(name).definition for name in names()]
    assert {one.own_config for one in followed if one.releases} == {True}
    assert all(one.releases for one in followed if one.own_config)


@pytest.mark.parametrize(
    ("tag", "followed"),
    [
        ("^0.2", True),
        ("~0.2.3", True),
        (">=0.1 <0.3", True),
        ("<0.1 || >=0.2", True),
        ("^7", False),
        (">0.2", False),
    ],
)
def test_a_constraint_picks_a_followed_release(tag: str, followed: bool) -> None:
    """`tag: ^0.2` is fulfilled by the release that the function follows; where none fulfils it, a warning says so."""
    entry = PipelineFunction("f", {"image": f"{KPT}/set-labels", "tag": tag})

    who, note = ProgramResolver(RunOptions()).answers(entry)

    assert who == "set-labels of this catalog"
    assert bool(note) == (not followed), note
    if not followed:
        assert f"set-labels:{tag} is another release" in note and "v0.2" in note
