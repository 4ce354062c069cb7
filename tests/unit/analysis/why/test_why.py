"""krmkit why, asked about the example packages: every input that set a value is named with its line, and no other."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from krmkit import TAG
from krmkit.analysis.why.answers import _named
from krmkit.analysis.why.causes import ShownCause
from krmkit.cli import main
from krmkit.render.findings.fieldtable import covers, values_of
from tests.programs import exec_entry, python
from tests.unit.cli.packages import KPTFILE, PACK, contents

EDGE = "examples/edge-cluster-profile"
GREETER = "functions/render-installation/examples/greeter"
QUICK_START = "functions/render-cluster-topology/examples/quick-start"
CONTROL_PLANE = "KubeadmControlPlane/default/test-x2bkn"
# (package, resource, field, before and after the last function that set it, all causes with their places in the package)
ANSWERS = [
    pytest.param(
        EDGE,
        "ConfigMap/line-vision",
        "charts.line-vision.model",
        ("small", "large"),
        [
            "preset Accelerator:gpu packs/line-vision.yaml:89:7",
            "config Accelerator:gpu presets.yaml:18:7",
        ],
        id="a preset, its line, and where it is chosen",
    ),
    pytest.param(
        EDGE,
        "ConfigMap/site-telemetry",
        "manifests.site-telemetry.retention",
        ("2d", "7d"),
        ["preset Retention:week packs/site-telemetry.yaml:47:7"],
        id="a preset that a marker comment chooses",
    ),
    pytest.param(
        EDGE,
        "ConfigMap/line-vision",
        "charts.line-vision.ingress.host",
        ("vision.{{ .spectro.var.site_domain }}", "vision.plant-7.example.com"),
        ["macro .spectro.var.site_domain macros.yaml:14:5"],
        id="a macro, and the place of its value",
    ),
    pytest.param(
        "functions/resolve-macros/examples/profile",
        "ConfigMap/telemetry",
        "telemetry.retention",
        ('{{ .spectro.pack.cluster-k3s.cluster.retention | default "14d" }}', "14d"),
        ["macro .spectro.pack.cluster-k3s.cluster.retention"],
        id="a macro whose pack has no such value",
    ),
    pytest.param(
        "functions/resolve-macros/examples/profile",
        "ConfigMap/telemetry",
        "telemetry.url",
        None,
        [
            "macro .spectro.pack.cluster-k3s.cluster.domain.suffix cluster.yaml:14:7",
            "macro .spectro.pack.cluster-k3s.cluster.name cluster.yaml:13:7",
        ],
        id="macros of another pack, with the lines of its values",
    ),
    pytest.param(
        "functions/resolve-macros/examples/contexts",
        "ConfigMap/contexts",
        "{{ .spectro.var.count }}-key",
        (1, None),
        ["macro .spectro.var.count macros.yaml:11:6"],
        id="a macro in a key",
    ),
    pytest.param(
        "functions/apply-presets/examples/replace-list",
        "ConfigMap/gateway",
        "manifests.gateway.listeners[1].name",
        ("https", None),
        ["preset Exposure:internal gateway.yaml:39:7", "config Exposure:internal Kptfile:13:7"],
        id="an entry of a list that a preset replaces, chosen by a configMap",
    ),
    pytest.param(
        "functions/inject-config/examples/endpoints",
        "ConfigMap/endpoints",
        "data.db",
        ("none", "db.north.example.com"),
        ["config injectors[0] inject.yaml:9:5", "resource ConfigMap/north-endpoints sites.yaml:8:3"],
        id="an injection: injector, and the line of the object",
    ),
    pytest.param(
        "functions/apply-package-variant/examples/north",
        "ConfigMap/endpoints",
        "data.db",
        ("none", "db.north.example.com"),
        ["config injectors[0] north.yaml:25:5", "resource ConfigMap/north-endpoints sites.yaml:8:3"],
        id="an injection of a variant",
    ),
    pytest.param(
        "functions/apply-package-variant/examples/north",
        "Kptfile/shop",
        "pipeline.mutators[0].image",
        None,
        ["config pipeline.mutators[0] north.yaml:23:7"],
        id="a function that a variant puts in front",
    ),
    pytest.param(
        "functions/set-package-context/examples/site",
        "ConfigMap/kptfile.kpt.dev",
        "data.site",
        ("none", "north"),
        ["config site Kptfile:13:7"],
        id="a value of the package's context",
    ),
    pytest.param(
        "functions/generate-package-variants/examples/fleet",
        "PackageVariant/shops-north-shop",
        "spec.downstream.repo",
        ("north", "north"),
        ["config targets[0] shops.yaml:15:5"],
        id="a variant of a set: its target",
    ),
    pytest.param(
        "functions/default-cluster-topology/examples/variables",
        "Cluster/first",
        "spec.topology.variables[1].value",
        (None, "small"),
        ["default flavor class.yaml:27:39"],
        id="a default of a class",
    ),
    pytest.param(
        QUICK_START,
        CONTROL_PLANE,
        "spec.kubeadmConfigSpec.clusterConfiguration.imageRepository",
        (None, "registry.example.com/k8s"),
        ["patch imageRepository class.yaml:77:9", "variable imageRepository clusters.yaml:49:7"],
        id="a patch of a class, and the variable of this Cluster, not of the first one",
    ),
    pytest.param(
        QUICK_START,
        CONTROL_PLANE,
        "spec.replicas",
        (None, 3),
        ["topology controlPlane.replicas clusters.yaml:33:7"],
        id="a field of the topology of this Cluster",
    ),
    pytest.param(
        QUICK_START,
        CONTROL_PLANE,
        "spec.machineTemplate.metadata.labels.tier",
        (None, "control-plane"),
        ["class controlPlane.metadata.labels.tier class.yaml:18:9"],
        id="a label of the class",
    ),
    pytest.param(
        QUICK_START,
        CONTROL_PLANE,
        "spec.kubeadmConfigSpec.initConfiguration.nodeRegistration.kubeletExtraArgs[0].value",
        (None, "nodefs.available<0%"),
        ["template KubeadmControlPlaneTemplate/quick-start-control-plane templates.yaml:32:15"],
        id="a field of a template, with its line",
    ),
    pytest.param(
        QUICK_START,
        "DevMachineTemplate/default/test-md-1-klgbv",
        "spec.template.spec.backend.docker.customImage",
        (None, "kindest/node:v1.33.1"),
        [
            "patch customImage class.yaml:102:9",
            "variable builtin.machineDeployment.version clusters.yaml:31:5",
        ],
        id="a patch of workers, and the field behind its builtin variable",
    ),
    pytest.param(
        "functions/render-cluster-topology/examples/extension",
        "EdgeCluster/default/harbour-qbf7d",
        "spec.region",
        None,
        [
            "patch region resources.yaml:23:7",
            "extension generate-patches.site-book responses.yaml:20:5",
        ],
        id="a recorded answer of an extension",
    ),
    pytest.param(
        GREETER,
        "DataObject/shop/jjxxqq4cgec7do2ranbsdz7phau7hb2b",
        "data",
        (None, 2),
        [
            "mapping importDataMappings.replicas installation.yaml:15:5",
            "config imports.data[0] installation.yaml:12:7",
            "resource ConfigMap/shop/greeter-settings settings.yaml:6:1",
        ],
        id="a mapping of an installation, and where its data are",
    ),
    pytest.param(
        GREETER,
        "DeployItem/shop/greeter-greeter",
        "spec.config.manifests[0].manifest.data.greeting",
        (None, "Hello edge!"),
        [
            "template deployExecutions.manifests installation.yaml:51:21",
            "mapping importDataMappings.greeting installation.yaml:16:5",
            "config imports.data[0] installation.yaml:12:7",
            "resource ConfigMap/shop/greeter-settings settings.yaml:6:1",
        ],
        id="a template of a blueprint, and the import of this value",
    ),
    pytest.param(
        GREETER,
        "DeployItem/shop/greeter-greeter",
        "spec.config.manifests[0].policy",
        (None, "manage"),
        ["template deployExecutions.manifests installation.yaml:45:15"],
        id="a constant of a template",
    ),
    pytest.param(
        GREETER,
        "DeployItem/shop/greeter-greeter",
        "spec.target.name",
        None,
        [
            "template deployExecutions.manifests installation.yaml:39:13",
            "config imports.targets[0] installation.yaml:9:7",
            "resource Target/shop/edge edge.yaml:6:1",
        ],
        id="the target of a deploy item",
    ),
    pytest.param(
        "functions/render-installation/examples/from-constructor",
        "DeployItem/shop/shop-shop",
        "spec.config.manifests[0].manifest.spec.template.spec.containers[0].image",
        (None, "registry.example.com/shop:v1.4.0"),
        [
            "template deployExecutions.manifests components/blob-example-com-shop-v1-4-0-blueprint-7sjuup3l.yaml:41:19",
            "component example.com/shop:v1.4.0 image components/component-example-com-shop-v1-4-0-a3264ank.yaml:27:7",
        ],
        id="a member of a component, kept in a variable of the template",
    ),
    pytest.param(
        "functions/render-installation/examples/nested-three-deep",
        "DeployItem/shop/shop-stack-web-web",
        "spec.config.manifests[0].policy",
        (None, "manage"),
        ["template deployExecutions.web blueprints/web.yaml:9:3"],
        id="a constant of a spiff template",
    ),
]


def asked(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["why", *words]) == 0
    return capsys.readouterr().out


def fields(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """The answers as data."""
    found: list[dict[str, object]] = json.loads(asked([*words, "-f", "json"], capsys))["fields"]
    return found


def causes(step: object) -> list[str]:
    """All causes of a step, as `kind name place`."""
    assert isinstance(step, dict)
    return [" ".join(cause.values()) for cause in step["causes"]]


@pytest.mark.parametrize(("package", "resource", "field", "values", "expected"), ANSWERS)
def test_why(
    project: Path,
    package: str,
    resource: str,
    field: str,
    values: tuple[object, object] | None,
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The last function that set the value, and the whole list of what made it do so."""
    monkeypatch.chdir(project / package)

    (answer,) = fields([".", resource, field], capsys)

    assert isinstance(answer["steps"], list)
    step = answer["steps"][-1]
    assert causes(step) == expected
    if values is not None:
        assert (step.get("before"), step.get("after")) == values


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).write_text(text, "utf-8")


def steps(answer: dict[str, object]) -> list[object]:
    found = answer["steps"]
    assert isinstance(found, list)
    return found


@pytest.fixture
def foreign(package: Path) -> Path:
    """A package with a program of somebody else's behind the preset."""
    program = package.parent / "program.py"
    program.write_text(
        "import sys\nsys.stdout.write(sys.stdin.read().replace('mode: fast', 'mode: faster'))\n"
    )
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + exec_entry(sys.executable, "-I", "-S", program))
    return package


def test_a_function_of_others(foreign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which one it was, before and after; the steps stand in their order, and nothing is written."""
    before = contents(foreign)

    fields = json.loads(asked([str(foreign), "app.yaml", "mode", "--allow-exec", "-f", "json"], capsys))
    (field,) = fields["fields"]

    assert fields["apiVersion"] == "krmkit.dev/report/v1alpha1"
    assert [*fields] == ["apiVersion", "kind", "fields"]
    assert (field["original"], field["value"]) == ("slow", "faster")
    assert [(step["before"], step["after"]) for step in field["steps"]] == [
        ("slow", "fast"),
        ("fast", "faster"),
    ]
    assert field["steps"][1]["function"] == python("-I", "-S", foreign.parent / "program.py")
    assert field["steps"][1]["causes"] == []
    assert contents(foreign) == before


def test_without_a_field(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every field that did not stay, and no other."""
    assert [
        line for line in asked([str(package), "ConfigMap/app"], capsys).splitlines() if line[0] != " "
    ] == ["ConfigMap/app mode"]


def test_a_field_that_stayed(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its line, and that no function changed it."""
    out = asked([str(package), "ConfigMap/app", "metadata.name"], capsys)

    assert out.endswith('app.yaml:4:3: "app"\n  no function changed it\n')


@pytest.mark.parametrize("name", ["fast", "Mode:fast"])
def test_uses_of_a_preset(package: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, with or without the group."""
    assert asked(["--uses", str(package), name], capsys).startswith("ConfigMap/app mode\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ConfigMap/ap"], 'called "ConfigMap/ap"; did you mean "ConfigMap/app"?'),
        (["ConfigMap/app", "mod"], 'has no field "mod"; did you mean "mode"?'),
        (["--uses", "Mode:fats"], 'nothing uses "Mode:fats"; did you mean "Mode:fast"?'),
    ],
    ids=" ".join,
)
def test_wrong_questions(
    package: Path, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The nearest name is said."""
    flags = [word for word in words if word.startswith("-")]

    assert main(["why", *flags, str(package), *(word for word in words if word not in flags)]) == 1
    assert expected in capsys.readouterr().err


def test_secrets_are_masked(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a function marks as secret shows in no format."""
    monkeypatch.chdir(project / "functions/resolve-macros/examples/profile")

    for form in ("text", "json"):
        out = asked([".", "ConfigMap/telemetry", "telemetry.password", "-f", form], capsys)
        assert "(secret)" in out


def test_values() -> None:
    """Scalars by their paths; those of a pack as results name them."""
    values = values_of(PACK, "ConfigMap")

    assert values["mode"] == "slow"
    assert "data.values.yaml" not in values
    assert values_of(KPTFILE, "Kptfile")["pipeline.mutators[0].image"] == "ghcr.io/krmkit/apply-presets"


@pytest.mark.parametrize(
    ("wanted", "path", "expected"),
    [("a", "a.b[0]", True), ("a.b", "a.bc", False), ('a."b.c"', "a.b.c", True), ("a[0]", "a[0].x", True)],
)
def test_covers(wanted: str, path: str, expected: bool) -> None:
    """A path covers itself and what lies below it."""
    assert covers(wanted, path) is expected


REFERENCE = "resourceRef: {apiVersion: v1, kind: ConfigMap, name: app}"
RESULTS = f"""results:
- {{message: the mode is set, severity: info, {REFERENCE}, field: {{path: data.mode}}}}
- {{message: set, severity: info, {REFERENCE}, field: {{path: data}}, tags: {{rule: all-set}}}}
- {{message: of another field, severity: info, {REFERENCE}, field: {{path: data.a}}}}
"""
REPORTING = f"""import sys
text = sys.stdin.read().replace("mode: slow", "mode: fast").replace("a: 1", "a: 2")
sys.stdout.write(text + {RESULTS!r})
"""
PLAIN = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  mode: slow\n  a: 1\n"


def test_what_another_program_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that records no causes: what it reports about the field, and about what holds it."""
    program = tmp_path / "reporting.py"
    program.write_text(REPORTING)
    package = tmp_path / "package"
    package.mkdir()
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\npipeline:\n  mutators:\n"
    run = exec_entry(sys.executable, "-I", "-S", program)
    write(package, {"app.yaml": PLAIN, "Kptfile": kptfile + run})

    (answer,) = fields([str(package), "ConfigMap/app", "data.mode", "--allow-exec"], capsys)

    assert [causes(step) for step in steps(answer)] == [["result all-set: set", "result the mode is set"]]


def test_a_function_that_records_causes_is_not_asked_twice(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The results of a function of this catalog stay results: the value of a macro has its macro as the only cause."""
    monkeypatch.chdir(project / "functions/resolve-macros/examples/contexts")

    (answer,) = fields([".", "ConfigMap/contexts", "nothing"], capsys)

    assert [causes(step) for step in steps(answer)] == [["macro .spectro.system.cluster.name"]]


def test_an_object_that_a_failed_function_would_make(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer says that the render failed, and why; a known object has no steps, and that is said too."""
    package = tmp_path / "clusters"
    shutil.copytree(project / QUICK_START, package, ignore=shutil.ignore_patterns(".expected"))
    text = (package / "class.yaml").read_text("utf-8")
    (package / "class.yaml").write_text(text.replace("quick-start-bootstrap", "gone"), "utf-8")

    assert main(["why", str(package), CONTROL_PLANE]) == 1
    said = capsys.readouterr().err
    assert f'"{CONTROL_PLANE}"; a function may make it, but the render failed: ' in said
    assert "KubeadmConfigTemplate" in said
    assert '"gone"' in said

    assert main(["why", str(package), "Cluster/default/test", "spec.topology.version"]) == 1
    out, said = capsys.readouterr()
    assert out.endswith("  no function set it before the render failed\n")
    assert said.endswith("; what came before is shown\n")

    assert main(["why", str(package), "Cluster/default/test", "-f", "json"]) == 1
    assert f"render-cluster-topology:{TAG} failed" in json.loads(capsys.readouterr().out)["failure"]


@pytest.mark.parametrize(
    ("kind", "cause", "asked_for", "expected"),
    [
        ("preset", "Mode:fast", "fast", True),
        ("preset", "Mode:fast", "Mode:fast", True),
        ("preset", "Mode:fast", "ast", False),
        ("preset", "Mode:fast", "Mode", False),
        ("config", ".spectro.var.site", "site", True),
        ("config", ".spectro.var.site", "var.site", True),
        ("config", ".spectro.var.site", "spectro", False),
        ("resource", "ConfigMap/app", "app", True),
        ("result", "fast", "fast", False),
    ],
)
def test_names_of_causes(kind: str, cause: str, asked_for: str, expected: bool) -> None:
    """The whole name or its last part; a result of a program is none."""
    assert _named(ShownCause(kind, cause), asked_for) is expected
