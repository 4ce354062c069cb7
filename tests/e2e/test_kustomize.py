"""kustomize: what it sends is understood, what it gets back it can use, and docs/kustomize.md says what really happens.

`kubectl kustomize` runs with a program called `docker` that starts the functions of this checkout in place of their images: everything
but the container itself is real.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit import TAG
from krmkit.fn import loader
from krmkit.fn.run import DEFAULT_OPTIONS, Outcome, run
from krmkit.krm.resourcelist import ResourceList

ROOT = Path(__file__).resolve().parents[2]
KUBECTL = shutil.which("kubectl")
KUSTOMIZE = shutil.which("kustomize")
with_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on PATH")
with_kustomize = pytest.mark.skipif(KUSTOMIZE is None, reason="kustomize is not on PATH")

FILE = re.compile(r"^```yaml\n# (?P<path>[a-z/]+\.yaml)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
ID = "kustomize.config.k8s.io/id"

PACK = """\
- apiVersion: krmkit.dev/v1alpha1
  kind: Pack
  metadata:
    annotations:
      kustomize.config.k8s.io/id: |
        group: krmkit.dev
        kind: Pack
        name: gate
        version: v1alpha1
      config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/annotations-migration-resource-id: '0'
      internal.config.kubernetes.io/id: '1'
      config.k8s.io/id: '1'
    name: gate
  spec:
    metadata:
      layer: addon
      name: gate
      version: 1.0.0
    presets: |
      presets:
      - name: wide
        add: |
          lanes: 4
    schema: |
      lanes:
        schema: '{{ format "${number:[1-3]}" }}'
    values: |
      # cars, not trucks
      lanes: 2 # each way
      site: "{{ .spectro.system.cluster.name }}"
"""
APP = """\
- apiVersion: v1
  data:
    a: "010"
    z: yes
  kind: ConfigMap
  metadata:
    annotations:
      kustomize.config.k8s.io/id: |
        kind: ConfigMap
        name: app
        version: v1
      internal.config.kubernetes.io/previousNames: app-1
      internal.config.kubernetes.io/previousKinds: ConfigMap
      internal.config.kubernetes.io/previousNamespaces: default
      internal.config.kubernetes.io/prefixes: plant-
    name: plant-app
"""
CONFIG = """\
functionConfig:
  apiVersion: {version}
  kind: {kind}
  metadata:
    annotations:
      config.kubernetes.io/function: |
        container:
          image: ghcr.io/krmkit/{name}
      config.kubernetes.io/local-config: 'true'
    name: config
  spec:
{spec}"""


def resource_list(name: str, spec: str, items: str = PACK + APP) -> str:
    """A list as kustomize sends it: sorted keys, no comments, no paths, its own annotations."""
    definition = loader.load(name).definition
    config = CONFIG.format(version="krmkit.dev/v1alpha1", kind=definition.kind, name=name, spec=spec)
    return f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}{config}"


def call(name: str, text: str) -> Outcome:
    function = loader.load(name)
    return run(function.definition, function.process, text, DEFAULT_OPTIONS)


@pytest.mark.parametrize(
    ("name", "spec", "before", "after"),
    [
        pytest.param(
            "apply-presets",
            "    selections:\n    - pack: gate\n      presets: [wide]\n",
            "lanes: 2 # each way",
            "lanes: 4 # each way",
            id="preset",
        ),
        pytest.param(
            "resolve-macros",
            "    system:\n      cluster.name: north\n",
            "{{ .spectro.system.cluster.name }}",
            "north",
            id="macro",
        ),
    ],
)
def test_a_transformer_changes_one_line(name: str, spec: str, before: str, after: str) -> None:
    """The ids that kustomize finds resources by, and everything else, stay byte for byte."""
    text = resource_list(name, spec)

    outcome = call(name, text)

    assert outcome.exit_code == 0, outcome.stderr
    items = outcome.stdout.partition("items:\n")[2].partition("functionConfig:")[0]
    assert items == (PACK + APP).replace(before, after)


def test_a_validator_gives_back_what_it_got() -> None:
    """Items byte for byte, and one line on stderr, the only thing that kustomize shows."""
    text = resource_list("validate-pack-constraints", "    scope: profile\n")
    violated = text.replace("lanes: 2 #", "lanes: 9 #")

    good, bad = call("validate-pack-constraints", text), call("validate-pack-constraints", violated)

    assert (good.exit_code, good.stderr) == (0, "")
    assert PACK + APP in good.stdout
    assert bad.exit_code == 1
    assert PACK.replace("lanes: 2 #", "lanes: 9 #") + APP in bad.stdout
    assert bad.stderr.count("\n") == 1
    assert "Pack/gate lanes" in bad.stderr


def test_a_generator_inherits_no_annotations() -> None:
    """The config is an item, too, marked as local config; a variant with that mark would vanish."""
    name = "generate-package-variants"
    spec = "    targets:\n    - repositories:\n      - name: north\n    upstream:\n      package: gate\n      repo: blueprints\n      revision: 1\n"
    config = CONFIG.format(
        version="config.porch.kpt.dev/v1alpha2", kind="PackageVariantSet", name=name, spec=spec
    )
    item = config.partition("\n")[2].replace("  apiVersion", "- apiVersion", 1)

    outcome = call(name, f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{item}{config}")

    assert outcome.exit_code == 0, outcome.stderr
    made = ResourceList.parse(outcome.stdout).items[1]
    assert made.kind == "PackageVariant"
    assert made.get("spec", "downstream", "repo") == "north"
    assert (
        not {"config.kubernetes.io/function", "config.kubernetes.io/local-config"} & made.annotations.keys()
    )


@pytest.mark.parametrize(
    ("name", "spec", "told"),
    [
        ("set-package-context", "    data:\n      a: b\n", "package-context.yaml"),
        ("prepend-pipeline", "    owner: north\n", "Kptfile"),
    ],
)
def test_functions_of_packages_say_what_is_missing(name: str, spec: str, told: str) -> None:
    """kustomize has no Kptfile; the line on stderr says that this is the reason."""
    point = APP.replace("    annotations:\n", "    annotations:\n      kpt.dev/config-injection: required\n")

    outcome = call(name, resource_list(name, spec, point))

    assert outcome.exit_code == 1
    assert told in outcome.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of docs/kustomize.md, and a `docker` that runs functions of this checkout."""
    page = (ROOT / "docs/kustomize.md").read_text("utf-8")
    for match in FILE.finditer(page):
        target = tmp_path / match["path"]
        target.parent.mkdir(exist_ok=True)
        target.write_text(match["text"])
    docker = tmp_path / "bin/docker"
    docker.parent.mkdir()
    docker.write_text(
        "#!/bin/sh\n"
        "for image; do :; done\n"
        "name=${image##*/}\nname=${name%%:*}\n"
        f"echo \"$*\" >>'{tmp_path}/calls'\n"
        f"exec '{sys.executable}' -I -S '{ROOT}/functions/'\"$name\"/main.py\n"
    )
    docker.chmod(docker.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def build(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    assert KUBECTL
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [KUBECTL, "kustomize", *words],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@with_kubectl
def test_transformers(folder: Path) -> None:
    """The page's site: presets and macros in the values, comments of the values kept, constraints hold."""
    done = build(folder, "--enable-alpha-plugins", "site")

    assert done.returncode == 0, done.stderr
    assert "      model: large   # larger ones see more\n" in done.stdout
    assert '      title: "Doors of plant-north"\n' in done.stdout
    assert ID not in done.stdout
    calls = (folder / "calls").read_text().splitlines()
    assert [line.rpartition("/")[2] for line in calls] == [
        f"apply-presets:{TAG}",
        f"resolve-macros:{TAG}",
        f"validate-pack-constraints:{TAG}",
    ]
    assert all("--network none --user nobody" in line for line in calls)


@with_kubectl
def test_a_violated_constraint_fails_the_build(folder: Path) -> None:
    """Under `transformers:` a validator stops the build, and says why; results are not shown."""
    packs = folder / "site/packs.yaml"
    packs.write_text(packs.read_text().replace("[small,large]", "[tiny]"))

    done = build(folder, "--enable-alpha-plugins", "site")

    assert done.returncode != 0
    assert done.stdout == ""
    assert 'Pack/door-vision vision.model: line 29, column 7: the value "large" is not' in done.stderr
    assert "couldn't execute function: exit status 1" in done.stderr


@with_kubectl
def test_validators_cannot_be_used(folder: Path) -> None:
    """Under `validators:` the same function fails although nothing is wrong: the reason for the page's advice."""
    kustomization = folder / "site/kustomization.yaml"
    kustomization.write_text("resources: [packs.yaml]\nvalidators: [constraints.yaml]\n")

    done = build(folder, "--enable-alpha-plugins", "site")

    assert done.returncode != 0
    assert "validator shouldn't modify the resource map" in done.stderr


@with_kubectl
def test_packs_as_local_config_are_left_out(folder: Path) -> None:
    """A pack in a ConfigMap marked as local config reaches the functions, and not the output."""
    (folder / "site/packs.yaml").write_text(
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: door-vision\n  annotations: {config.kubernetes.io/local-config: "true"}\n'
        'data:\n  pack.json: \'{"name": "door-vision", "displayName": "Door Vision", "layer": "addon", "version": "2.4.0"}\'\n  values.yaml: "vision: {}"\n'
        '  presets.yaml: "presets: [{name: large, group: Model, add: \\"a: b\\"}]"\n'
    )

    done = build(folder, "--enable-alpha-plugins", "site")

    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


@with_kubectl
@pytest.mark.parametrize("stage", ["generators", "transformers"])
def test_generator(folder: Path, stage: str) -> None:
    """A PackageVariantSet becomes PackageVariants, which reach the output."""
    (folder / "fleet/kustomization.yaml").write_text(f"{stage}: [plants.yaml]\n")
    if stage == "transformers":
        (folder / "fleet/kustomization.yaml").write_text(
            "resources: [app.yaml]\ntransformers: [plants.yaml]\n"
        )
        (folder / "fleet/app.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n")

    done = build(folder, "--enable-alpha-plugins", "fleet")

    assert done.returncode == 0, done.stderr
    assert re.findall(r"^  name: (.*)$", done.stdout, re.MULTILINE)[-2:] == [
        "plants-north-profile",
        "plants-south-profile",
    ]
    assert "config.kubernetes.io/function" not in done.stdout


def write_program(folder: Path) -> None:
    """A kustomization with a function as a program that leaves a trace."""
    shutil.copy(folder / "site/packs.yaml", folder / "program/packs.yaml")
    (folder / "program/kustomization.yaml").write_text(
        "resources: [packs.yaml]\ntransformers: [presets.yaml]\n"
    )
    program = folder / "program/bin/apply-presets"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\ntouch '{folder}/ran'\nexec '{sys.executable}' '{ROOT}/functions/apply-presets/main.py'\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


@with_kubectl
def test_kubectl_skips_programs(folder: Path) -> None:
    """kubectl says nothing, exits with 0, and has not run the program: the trap that the page warns of."""
    write_program(folder)

    done = build(folder, "--enable-alpha-plugins", "program")

    assert (done.returncode, done.stderr) == (0, "")
    assert "model: small" in done.stdout
    assert not (folder / "ran").exists()
    assert "unknown flag: --enable-exec" in build(folder, "--enable-exec", "program").stderr


@with_kubectl
def test_without_the_flag_nothing_is_built(folder: Path) -> None:
    """Without --enable-alpha-plugins the build fails, which at least can be seen."""
    done = build(folder, "site")

    assert done.returncode != 0
    assert "external plugins disabled" in done.stderr


@with_kustomize
def test_kustomize_runs_programs(folder: Path) -> None:
    """The kustomize program runs it, once it is allowed to."""
    assert KUSTOMIZE
    write_program(folder)

    done = subprocess.run(
        [KUSTOMIZE, "build", "--enable-alpha-plugins", "--enable-exec", "program"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "model: large" in done.stdout
    assert (folder / "ran").exists()
