"""krmkit why, asked about the example packages: every kind of input is found, with its line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.cli.why.fieldvalues import covers, values_of
from tests.unit.cli.packages import KPTFILE, PACK, contents

EDGE = "examples/edge-cluster-profile"
GREETER = "functions/render-installation/examples/greeter"
ANSWERS = [
    pytest.param(
        [EDGE, "ConfigMap/line-vision", "charts.line-vision.model"],
        ['packs/line-vision.yaml:77:9: "small"\n', 'apply-presets: "small" -> "large"\n'],
        [
            "preset Accelerator:gpu  EDGE/packs/line-vision.yaml:89:7",
            "config Accelerator:gpu  EDGE/presets.yaml:18:7",
        ],
        id="a preset, its line, and where it is chosen",
    ),
    pytest.param(
        [EDGE, "ConfigMap/line-vision", "charts.line-vision.ingress.host"],
        ['-> "vision.plant-7.example.com"'],
        ["macro .spectro.var.site_domain  EDGE/macros.yaml:14:5"],
        id="a macro, and the place of its value",
    ),
    pytest.param(
        ["functions/resolve-macros/examples/profile", "ConfigMap/telemetry", "telemetry.retention"],
        ["telemetry.yaml:14:7: ", '-> "14d"'],
        ["macro .spectro.pack.cluster-k3s.cluster.retention"],
        id="a macro without quotes, of another pack",
    ),
    pytest.param(
        ["functions/resolve-macros/examples/contexts", "ConfigMap/contexts", "{{ .spectro.var.count }}-key"],
        ["ConfigMap/contexts {{ .spectro.var.count }}-key\n", "pack.yaml:21:5: 1\n", "1 -> absent\n"],
        ["macro .spectro.var.count  EDGE/macros.yaml:11:6"],
        id="a macro in a key",
    ),
    pytest.param(
        [
            "functions/apply-presets/examples/replace-list",
            "ConfigMap/gateway",
            "manifests.gateway.listeners[1]",
        ],
        ['"https" -> absent'],
        ["preset Exposure:internal  EDGE/gateway.yaml:39:7"],
        id="an entry of a list that a preset replaces",
    ),
    pytest.param(
        ["functions/inject-config/examples/endpoints", "ConfigMap/endpoints", "data.db"],
        ['"none" -> "db.north.example.com"'],
        [
            "config injectors[0]  EDGE/inject.yaml:9:5",
            "resource ConfigMap/north-endpoints  EDGE/sites.yaml:1:1",
        ],
        id="an injection: injector and object",
    ),
    pytest.param(
        ["functions/apply-package-variant/examples/north", "ConfigMap/endpoints", "data"],
        ["apply-package-variant: "],
        ["config injectors[0]  EDGE/north.yaml"],
        id="an injection of a variant",
    ),
    pytest.param(
        ["functions/set-package-context/examples/site", "ConfigMap/kptfile.kpt.dev", "data.site"],
        ['"none" -> "north"'],
        ["config site  EDGE/Kptfile:13:7"],
        id="a value of the package's context",
    ),
    pytest.param(
        [GREETER, "DataObject/shop/jjxxqq4cgec7do2ranbsdz7phau7hb2b", "data"],
        ["render-installation: absent -> 2"],
        [
            "mapping importDataMappings.replicas  EDGE/installation.yaml:15:5",
            "config imports.data[0]  EDGE/installation.yaml:12:7",
            "resource ConfigMap/greeter-settings  EDGE/settings.yaml:1:1",
        ],
        id="a mapping of an installation, and where its data are",
    ),
    pytest.param(
        [GREETER, "DeployItem/shop/greeter-greeter", "spec.config.manifests[0].manifest.data.greeting"],
        ['-> "Hello edge!"'],
        ["mapping importDataMappings.greeting  EDGE/installation.yaml:16:5"],
        id="a mapping behind a deploy item",
    ),
]


def asked(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["why", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("words", "said", "causes"), ANSWERS)
def test_why(
    project: Path,
    words: list[str],
    said: list[str],
    causes: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The line in the file, the step, and what made the function do it."""
    monkeypatch.chdir(project)

    out = asked(words, capsys)

    for part in said:
        assert part in out
    for cause in causes:
        assert f"    {cause.replace('EDGE', words[0])}" in out


def test_a_patch_of_a_class(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An object that was generated names the ClusterClass's patch, and the variable with its line in the Cluster."""
    monkeypatch.chdir(project / "functions/render-cluster-topology/examples/quick-start")

    fields = json.loads(asked(["--uses", ".", "customImage", "-f", "json"], capsys))["fields"]
    reached = json.loads(asked(["--uses", ".", "imageRepository", "-f", "json"], capsys))["fields"]

    assert {field["field"] for field in fields} == {"spec.template.spec.backend.docker.customImage"}
    for field in fields:
        worker = "-md-" in field["resource"]
        (cause,) = [one for one in field["steps"][0]["causes"] if one["kind"] == "patch"]
        assert cause["place"] == f"class.yaml:{102 if worker else 91}:9"
    kinds = {cause["kind"] for field in reached for cause in field["steps"][0]["causes"]}
    assert {"patch", "variable"} <= kinds


@pytest.fixture
def foreign(package: Path) -> Path:
    """A package with a program of somebody else's behind the preset."""
    program = package.parent / "program.py"
    program.write_text(
        "import sys\nsys.stdout.write(sys.stdin.read().replace('mode: fast', 'mode: faster'))\n"
    )
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + f"  - exec: {sys.executable} -I -S {program}\n")
    return package


def test_a_function_of_others(foreign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which one it was, before and after; the steps stand in their order, and nothing is written."""
    before = contents(foreign)

    fields = json.loads(asked([str(foreign), "app.yaml", "mode", "--allow-exec", "-f", "json"], capsys))
    (field,) = fields["fields"]

    assert fields["apiVersion"] == "krmkit.dev/report/v1alpha1"
    assert (field["original"], field["value"]) == ("slow", "faster")
    assert [(step["before"], step["after"]) for step in field["steps"]] == [
        ("slow", "fast"),
        ("fast", "faster"),
    ]
    assert field["steps"][1]["function"].startswith(sys.executable)
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
    assert values_of(KPTFILE, "Kptfile")["pipeline.mutators[0].image"] == "example.dev/apply-presets:v1"


@pytest.mark.parametrize(
    ("wanted", "path", "expected"),
    [("a", "a.b[0]", True), ("a.b", "a.bc", False), ('a."b.c"', "a.b.c", True), ("a[0]", "a[0].x", True)],
)
def test_covers(wanted: str, path: str, expected: bool) -> None:
    """A path covers itself and what lies below it."""
    assert covers(wanted, path) is expected
