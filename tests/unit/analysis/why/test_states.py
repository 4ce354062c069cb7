"""krmkit why in packages of all states: presets that overwrite each other, extensions, packages that are rendered already."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.programs import exec_entry, python
from tests.unit.analysis.why.test_why import CONTROL_PLANE, GREETER, QUICK_START, causes, fields, steps, write


def test_the_last_preset_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two presets set one key: the last one is the cause, and nothing uses the first."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, TWO_PRESETS)

    (answer,) = fields([str(tmp_path), "ConfigMap/p", "mode"], capsys)

    assert isinstance(answer["steps"], list)
    assert [causes(step) for step in answer["steps"]] == [
        ["preset second p.yaml:20:7", "config second presets.yaml:8:32"]
    ]
    assert [one["field"] for one in fields(["--uses", str(tmp_path), "second"], capsys)] == ["mode"]
    assert main(["why", "--uses", str(tmp_path), "first"]) == 1
    assert 'nothing uses "first"' in capsys.readouterr().err


LOCAL = 'annotations: {config.kubernetes.io/local-config: "true"}'
TWO_PRESETS = {
    "Kptfile": (
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: why}\npipeline:\n  mutators:\n"
        "  - image: ghcr.io/krmkit/apply-presets\n    configPath: presets.yaml\n"
    ),
    "presets.yaml": f"""apiVersion: krmkit.dev/v1alpha1
kind: ApplyPresets
metadata:
  name: presets
  {LOCAL}
spec:
  selections:
  - {{pack: p, presets: [first, second]}}
""",
    "p.yaml": f"""apiVersion: v1
kind: ConfigMap
metadata:
  name: p
  {LOCAL}
data:
  pack.json: |
    {{"name": "p", "version": "1.0.0", "layer": "addon"}}
  values.yaml: |
    mode: plain
    other: x
  presets.yaml: |
    presets:
    - name: first
      displayName: First
      add: |
        mode: fast
        # A comment.
    - displayName: Second
      name: second
      add: |
        mode: slow
""",
}


EXTENSION = f"""apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata:
  name: registries
  {LOCAL}
spec:
  handlers:
  - name: images
    variables:
    - name: imageRepository
      required: true
      schema: {{openAPIV3Schema: {{type: string, default: registry.example.net/default}}}}
    patches:
    - name: imageRepository
      enabledIf: '{{{{ ne .imageRepository "" }}}}'
      definitions:
      - selector:
          apiVersion: controlplane.cluster.x-k8s.io/v1beta2
          kind: KubeadmControlPlaneTemplate
          matchResources: {{controlPlane: true}}
        jsonPatches:
        - op: add
          path: /spec/template/spec/kubeadmConfigSpec/clusterConfiguration
          valueFrom: {{template: "imageRepository: {{{{ .imageRepository }}}}"}}
        jsonMergePatch:
          value: {{spec: {{template: {{spec: {{kubeadmConfigSpec: {{verbosity: 3}}}}}}}}}}
"""
EXTERNAL = """  - name: images
    external:
      generatePatchesExtension: generate-patches-images.registries
      discoverVariablesExtension: discover-variables-images.registries
"""


def test_an_extension(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field that a TopologyExtension sets names the class's patch, the extension's own one, and the variable of the Cluster."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "clusters"
    shutil.copytree(project / QUICK_START, package, ignore=shutil.ignore_patterns(".expected"))
    text = (package / "class.yaml").read_text("utf-8")
    head, variable, rest = text.partition("  - name: imageRepository\n    required")
    rest = rest[rest.index("  - name: nodeLabels\n") :]
    before, name, behind = rest.partition("  patches:\n")
    behind = EXTERNAL + behind[behind.index("  - name: customImage\n") :]
    (package / "class.yaml").write_text(head + before + name + behind, "utf-8")
    (package / "extension.yaml").write_text(EXTENSION, "utf-8")
    with (package / "render.yaml").open("a", encoding="utf-8") as file:
        file.write("spec:\n  featureGates: {RuntimeSDK: true}\n")
    line = (head + before + name + EXTERNAL).count("\n") - 1
    patch = f"patch images clusters/class.yaml:{line}:7"
    handler = "extension generate-patches-images.registries"
    above = "spec.kubeadmConfigSpec"

    configured = fields([str(package), CONTROL_PLANE, f"{above}.clusterConfiguration"], capsys)
    (merged,) = fields([str(package), CONTROL_PLANE, f"{above}.verbosity"], capsys)
    used = fields(["--uses", str(package), "imageRepository"], capsys)

    assert variable
    found = {str(one["field"]): [causes(step) for step in steps(one)] for one in (*configured, merged)}
    value = "variable imageRepository clusters/clusters.yaml:49:7"
    assert found == {
        f"{above}.clusterConfiguration.imageRepository": [
            [
                patch,
                f"{handler} clusters/extension.yaml:8:5",
                f"{handler} clusters/extension.yaml:22:11",
                value,
            ]
        ],
        f"{above}.verbosity": [
            [
                patch,
                f"{handler} clusters/extension.yaml:8:5",
                f"{handler} clusters/extension.yaml:25:9",
                value,
            ]
        ],
    }
    assert {(one["resource"], one["field"]) for one in used} == {(CONTROL_PLANE, path) for path in found}


CONSUMED = ("spec.topology.version",)  # what a render takes away: the version had no v
RENDERED = [
    "examples/edge-topology",
    "functions/apply-package-variant/examples/north",
    "functions/apply-presets/examples/replace-list",
    "functions/default-cluster-topology/examples/overrides",
    "functions/default-cluster-topology/examples/variables",
    "functions/generate-package-variants/examples/fleet",
    "functions/inject-config/examples/endpoints",
    "functions/prepend-pipeline/examples/labels",
    "functions/render-cluster-topology/examples/extension",
    "functions/render-cluster-topology/examples/v1beta1",
    GREETER,
    "functions/render-installation/examples/nested-three-deep",
    "functions/set-package-context/examples/site",
    QUICK_START,
]


@pytest.mark.parametrize("example", RENDERED)
def test_equal_before_and_after(
    project: Path,
    example: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What set a value is the same in a package that is rendered already: for kpt that is how packages lie in git."""
    package = tmp_path / "package"
    shutil.copytree(project / example, package, ignore=shutil.ignore_patterns(".expected"))
    monkeypatch.chdir(package)

    def named(step: object) -> list[str]:
        """The causes without the lines of files that the render changed."""
        return [cause.rpartition(":")[0].rpartition(":")[0] for cause in causes(step)]

    def answers() -> dict[tuple[object, object], object]:
        found = {
            (one["resource"], one["field"]): [
                (step["function"], named(step)) for step in steps(one) if isinstance(step, dict)
            ]
            for resource in resources
            for one in fields([".", resource], capsys)
            if "value" in one
        }
        return {key: said for key, said in found.items() if said and key[1] not in CONSUMED}

    refused = example.endswith(
        "/overrides"
    )  # its class has no templates, so no Cluster of it can be rendered
    assert main(["report", ".", "--format", "json"]) == refused
    changed = json.loads(capsys.readouterr().out)["packages"][0]["fields"]
    resources = sorted({one["resource"] for one in changed if "value" in one})
    before = answers()
    assert main(["render", "."]) == 0
    capsys.readouterr()

    assert before
    after = answers()
    assert {key: after.get(key) for key in before} == before


def test_a_removed_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the function that removed a value is a step of it, not one that sets what is around the value."""
    program = tmp_path / "program.py"
    program.write_text("import re, sys\nsys.stdout.write(re.sub(' *b: gone\\n', '', sys.stdin.read()))\n")
    monkeypatch.chdir(tmp_path)
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  a: old\n  b: gone\n"
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: why}\npipeline:\n  mutators:\n"
    copy = "  - {image: ghcr.io/krmkit/apply-replacements, configPath: copy.yaml}\n"
    write(
        tmp_path,
        {
            "Kptfile": kptfile + exec_entry(sys.executable, "-I", "-S", program) + copy,
            "m.yaml": text,
            "source.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: source}\ndata: {a: new}\n",
            "copy.yaml": "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\n"
            f"metadata: {{name: r, {LOCAL}}}\nreplacements:\n"
            "- source: {kind: ConfigMap, name: source, fieldPath: data}\n"
            "  targets: [{select: {name: m}, fieldPaths: [data]}]\n",
        },
    )

    (gone,) = fields([".", "m.yaml", "data.b", "--allow-exec"], capsys)
    (kept,) = fields([".", "m.yaml", "data.a", "--allow-exec"], capsys)

    assert [one["function"] for one in steps(gone) if isinstance(one, dict)] == [python("-I", "-S", program)]
    assert ("value" in gone, kept["value"]) == (False, "new")


def test_a_resource_that_a_program_writes_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program that drops the annotations of a resource moves it to another file; its fields have their history still."""
    program = tmp_path / "program.py"
    made = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  a: new\n  b: same\n"
    reply = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- " + made.replace("\n", "\n  ")
    program.write_text(f"print({reply!r})\n")
    monkeypatch.chdir(tmp_path)
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: why}\npipeline:\n  mutators:\n"
    files = {"Kptfile": kptfile + exec_entry(sys.executable, "-I", "-S", program)}
    write(tmp_path, {**files, "m.yaml": made.replace("new", "old")})

    answers = fields([".", "ConfigMap/m", "data", "--allow-exec"], capsys)

    assert [(one["field"], one["original"], one["value"], len(steps(one))) for one in answers] == [
        ("data.a", "old", "new", 1),
        ("data.b", "same", "same", 0),
    ]
    assert {(str(one["place"])[:7], str(one["placeAfter"])[:17]) for one in answers} == {
        ("m.yaml:", "configmap_m.yaml:")
    }


def test_a_file_that_a_program_of_a_subpackage_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked for by its path below the package."""
    program = tmp_path / "program.py"
    made = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  a: new\n"
    reply = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- " + made.replace("\n", "\n  ")
    program.write_text(f"print({reply!r})\n")
    (tmp_path / "package/sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "package")
    head = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: why}\n"
    run = "pipeline:\n  mutators:\n" + exec_entry(sys.executable, "-I", "-S", program)
    write(tmp_path / "package", {"Kptfile": head, "sub/Kptfile": head + run})

    (answer,) = fields([".", "sub/configmap_m.yaml", "data.a", "--allow-exec"], capsys)

    assert (answer["resource"], answer["value"]) == ("ConfigMap/m", "new")
    assert str(answer["placeAfter"]).startswith("sub/configmap_m.yaml:")
