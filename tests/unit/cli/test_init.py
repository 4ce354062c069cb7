"""krmkit init: a folder becomes a package that renders."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit import TAG
from krmkit.analysis.newpackage import package_name
from krmkit.cli import main
from krmkit.render.package import read
from tests.unit.cli.packages import PACK, contents

HELM = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n{{- if .x }}\nspec: {}\n{{- end }}\n"
CLASSES = """apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: c}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: a}
"""


def images(folder: Path) -> list[str]:
    """The names of the images, each of which has the tag that a release of this version publishes."""
    lines = [line for line in (folder / "Kptfile").read_text().splitlines() if "image:" in line]
    assert all(line.endswith(f":{TAG}") for line in lines)
    return [line.rpartition("/")[2].removesuffix(f":{TAG}") for line in lines]


def test_packs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Presets, macros and constraints, each with a config; what was written is named; the package renders."""
    (tmp_path / "app.yaml").write_text(
        PACK.replace("mode: slow", 'mode: slow\n    at: "{{ .spectro.var.x }}"')
    )

    assert main(["init", str(tmp_path), "--name", "My Site_1"]) == 0

    names = ["Kptfile", "constraints.yaml", "macros.yaml", "presets.yaml"]
    assert capsys.readouterr().out == "".join(f"{tmp_path}/{name}\n" for name in names)
    assert images(tmp_path) == ["apply-presets", "resolve-macros", "validate-pack-constraints"]
    assert "  name: my-site-1\n" in (tmp_path / "Kptfile").read_text()
    assert main(["render", str(tmp_path), "--check"]) == 0


def test_presets_to_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The config has a selection of each preset as a comment; it works as it is, and with the # of one taken away."""
    (tmp_path / "app.yaml").write_text(PACK)
    assert main(["init", str(tmp_path)]) == 0
    config = tmp_path / "presets.yaml"

    assert config.read_text().endswith(
        "spec:\n  selections:\n"
        "  # Take away the # of the presets to apply, one of each group and pack.\n"
        "  # - {pack: app, presets: ['Mode:fast']}\n"
    )
    assert main(["render", str(tmp_path), "--check"]) == 0
    config.write_text(config.read_text().replace("# - {", "- {"))
    assert main(["render", str(tmp_path), "--check"]) == 2


def test_what_does_not_fit_is_left_out(tmp_path: Path) -> None:
    """A pack without presets and macros is only checked; resources of other systems get theirs."""
    (tmp_path / "classes.yaml").write_text(CLASSES)

    assert main(["init", "--render", str(tmp_path)]) == 0
    assert images(tmp_path) == ["default-cluster-topology", "validate-cluster-topology"]


def test_clusters_are_planned_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --render the pipeline changes no file, and a note names the plan, which finds the feature gates."""
    example("render-cluster-topology/examples/extension", tmp_path)

    assert main(["init", str(tmp_path)]) == 0
    assert images(tmp_path) == ["validate-cluster-topology"]
    assert "krmkit topology plan shows what a change does" in capsys.readouterr().err
    assert main(["render", "--check", str(tmp_path)]) == 0
    assert main(["topology", "plan", str(tmp_path), "--against", str(tmp_path)]) == 0


def test_helm_templates(tmp_path: Path) -> None:
    """They go into .krmignore, behind what stands there; the package can be read then."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "service.yaml").write_text(HELM)
    (tmp_path / "values.yaml").write_text("a: 1\n")
    (tmp_path / ".krmignore").write_text("*.bak")

    assert main(["init", str(tmp_path)]) == 0
    ignored = (tmp_path / ".krmignore").read_text().splitlines()
    assert ignored[0] == "*.bak"
    assert ignored[2:] == ["/templates/service.yaml", "/values.yaml"]
    assert main(["render", str(tmp_path)]) == 0


def test_what_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a config nor a package is overwritten."""
    (tmp_path / "app.yaml").write_text(PACK)
    (tmp_path / "constraints.yaml").write_text(PACK.replace("name: app", "name: other"))
    before = contents(tmp_path)

    assert main(["init", str(tmp_path)]) == 0
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    assert main(["init", str(tmp_path)]) == 1
    assert "is a package with a pipeline already" in capsys.readouterr().err
    assert contents(tmp_path) == after


KPTFILE = "# ours\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: site  # short\n"


def test_a_package_without_a_pipeline_gets_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As after `krmkit pack import`: the lines of its Kptfile stay, and what was written is named."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "app.yaml").write_text(PACK)

    assert main(["init", str(tmp_path)]) == 0

    assert (tmp_path / "Kptfile").read_text().startswith(KPTFILE + "pipeline:\n")
    assert images(tmp_path) == ["apply-presets", "validate-pack-constraints"]
    names = ["Kptfile", "constraints.yaml", "presets.yaml"]
    assert capsys.readouterr().out == "".join(f"{tmp_path}/{name}\n" for name in names)
    assert main(["render", str(tmp_path), "--check"]) == 0


@pytest.mark.parametrize(
    ("kptfile", "name", "said"),
    [
        (KPTFILE, "plant", "is a package with the name site already; leave out --name"),
        (KPTFILE + "pipeline: {mutators: [{image: a}]}\n", "", "is a package with a pipeline already"),
        (KPTFILE + "---\n" + KPTFILE, "", "must hold one Kptfile, got 2 documents"),
        ("a: [", "", "Kptfile"),
    ],
)
def test_packages_that_stay(
    tmp_path: Path, kptfile: str, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error in one line, and no file changes."""
    (tmp_path / "Kptfile").write_text(kptfile)
    (tmp_path / "app.yaml").write_text(PACK)
    before = contents(tmp_path)

    assert main(["init", str(tmp_path), "--name", name]) == 1

    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert contents(tmp_path) == before


def test_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says so."""
    assert main(["init", str(tmp_path / "nowhere")]) == 1
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "name"), [("My Site_1", "my-site-1"), ("...", "package"), ("x" * 70, "x" * 63)]
)
def test_names(text: str, name: str) -> None:
    """A name that Kubernetes takes."""
    assert package_name(text) == name


def test_a_hint_for_helm_templates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A render that meets one says what to do."""
    (tmp_path / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    (tmp_path / "t.yaml").write_text(HELM)

    assert main(["render", str(tmp_path)]) == 1
    assert "looks like a Helm template; list the file in .krmignore" in capsys.readouterr().err


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n"


@pytest.mark.parametrize(
    "data",
    [
        "{{- if .Values.x }}\n  c: d\n{{- end }}\n",
        "  a: |-\n    b\n{{- if .Values.x }}\n  c: d\n{{- end }}\n",
    ],
)
def test_a_template_that_begins_as_a_resource(
    tmp_path: Path, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only its end shows that it is a Helm template; it is ignored as the others are, with a word."""
    (tmp_path / "t.yaml").write_text(CONFIG_MAP + data)

    assert main(["init", str(tmp_path)]) == 0
    assert (
        ".krmignore lists a Helm template; a resource among them has to be repaired and taken out of it: t.yaml: "
        in capsys.readouterr().err
    )
    assert (tmp_path / ".krmignore").read_text().splitlines()[1:] == ["/t.yaml"]


@pytest.mark.parametrize(
    "name",
    ["values.yaml", "a[1].yaml", "!y.yaml", "#x.yaml", "*.yaml", "b?.yaml", "c\\d.yaml", "c\\[d].yaml"],
)
def test_only_that_file_is_ignored(tmp_path: Path, name: str) -> None:
    """A line of .krmignore means one path, whatever signs are in it; resources with a like name stay."""
    resources = [f"sub/{name}", "a1.yaml", "b1.yaml", "y.yaml"]
    (tmp_path / "sub").mkdir()
    (tmp_path / name).write_text("a: 1\n")
    for number, path in enumerate(resources):
        (tmp_path / path).write_text(CONFIG_MAP.replace("name: x", f"name: x{number}") + "  a: b\n")

    assert main(["init", str(tmp_path)]) == 0

    assert sorted(
        item.location.path for item in read(str(tmp_path)).items if item.kind == "ConfigMap"
    ) == sorted(resources)


def test_a_name_of_two_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would be two lines of .krmignore, and the second one would hide a resource."""
    (tmp_path / "n\nl.yaml").write_text("a: 1\n")
    (tmp_path / "l.yaml").write_text(CONFIG_MAP)

    assert main(["init", str(tmp_path)]) == 1
    assert r"'n\nl.yaml' must have no line break in its name" in capsys.readouterr().err
    assert not (tmp_path / ".krmignore").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CONFIG_MAP + "  a: [\n", "app.yaml: line 7, column 1: "),
        (CONFIG_MAP + "  b: '{{ .spectro.var.b }}'\n  a: [\n", "app.yaml: line 8, column 1: "),
        (
            CONFIG_MAP + "<<<<<<< ours\n  a: b\n=======\n  a: c\n>>>>>>> theirs\n",
            "app.yaml: line 7, column 4: ",
        ),
        (CONFIG_MAP + "--- more\n", 'app.yaml: line 6: "---more" separates'),
        ('{"apiVersion": "v1", "kind": "ConfigMap"', "app.yaml: line "),
    ],
)
def test_a_broken_resource(tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is an error with its line, and not ignored; nothing is written."""
    (tmp_path / "app.yaml").write_text(text)

    assert main(["init", str(tmp_path)]) == 1

    told = capsys.readouterr().err
    assert said in told and told.endswith("; repair it, or list it in .krmignore\n"), told
    assert contents(tmp_path).keys() == {"app.yaml"}


def test_broken_text_that_is_no_resource(tmp_path: Path) -> None:
    """It is ignored, as other text is."""
    (tmp_path / "site.yaml").write_bytes(b"caf\xe9: [\n")

    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / ".krmignore").read_text().splitlines()[1:] == ["/site.yaml"]


@pytest.mark.parametrize("before", ["", "\r\n", "*.bak\r\n"])
def test_a_krmignore_that_is_there(tmp_path: Path, before: str) -> None:
    """Lines go behind what it has, and an empty one has nothing."""
    (tmp_path / "values.yaml").write_text("a: 1\n")
    (tmp_path / ".krmignore").write_bytes(before.encode())

    assert main(["init", str(tmp_path)]) == 0

    assert (tmp_path / ".krmignore").read_bytes() == f"{before}# no resources\n/values.yaml\n".encode()


def test_a_krmignore_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error says what it must be; its bytes stay."""
    (tmp_path / "values.yaml").write_text("a: 1\n")
    (tmp_path / ".krmignore").write_bytes(b"caf\xe9\n")

    assert main(["init", str(tmp_path)]) == 1

    assert ".krmignore must be UTF-8; byte 3 is not" in capsys.readouterr().err
    assert (tmp_path / ".krmignore").read_bytes() == b"caf\xe9\n"


def test_what_krmignore_lists_is_not_read(tmp_path: Path) -> None:
    """As `krmkit pack import` leaves a pack's other files: they get no line of their own, and choose no function."""
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / ".krmignore").write_text("/app/\n")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "service.yaml").write_text(HELM)
    (tmp_path / "app" / "classes.yaml").write_text(CLASSES)
    (tmp_path / "app.yaml").write_text(PACK)

    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / ".krmignore").read_text() == "/app/\n"
    assert images(tmp_path) == ["apply-presets", "validate-pack-constraints"]


def example(path: str, folder: Path) -> None:
    """Copy the input of an example of a function: no pipeline, no configs, nothing rendered."""
    for file in Path("functions", path).glob("*.yaml"):
        if "apiVersion: krmkit.dev/v1alpha1\nkind: Render" not in file.read_text():
            (folder / file.name).write_text(file.read_text())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "render-cluster-topology/examples/extension",
            ["default-cluster-topology", "render-cluster-topology", "validate-cluster-topology"],
        ),
        ("render-installation/examples/greeter", ["render-installation", "validate-installation"]),
    ],
)
def test_the_pipeline_passes_on_its_own_package(tmp_path: Path, path: str, expected: list[str]) -> None:
    """Renderers are part of it; a class with external patches gets the feature gate that it needs."""
    example(path, tmp_path)

    assert main(["init", "--render", str(tmp_path)]) == 0
    assert images(tmp_path) == expected
    assert main(["render", str(tmp_path)]) == 0


def test_a_renderer_that_would_fail_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it lacks is said."""
    example("render-cluster-topology/examples/missing-template", tmp_path)

    assert main(["init", "--render", str(tmp_path)]) == 0
    assert "render-cluster-topology" not in images(tmp_path)
    said = capsys.readouterr().err
    assert said.startswith(
        "krmkit init: render-cluster-topology is left out of the pipeline, as it would fail: "
    )
    assert "krmkit doc render-cluster-topology" in said


def test_wrong_data_leave_the_pipeline_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The validator refuses them, too, so the renderer stays: when they are right, nothing has to be added."""
    example("render-installation/examples/greeter", tmp_path)
    settings = tmp_path / "settings.yaml"
    settings.write_text(settings.read_text().replace("replicas: ", "replicas: many"))

    assert main(["init", str(tmp_path)]) == 0

    assert images(tmp_path) == ["render-installation", "validate-installation"]
    said = capsys.readouterr().err
    assert said.startswith("krmkit init: the package does not render yet: ")
    assert said.endswith("[import-mapping]\n")


EXTERNAL = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: base, namespace: default}
spec:
  infrastructure: {templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DockerClusterTemplate, name: a}}
  controlPlane: {templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: a}}
  patches: [{name: site, external: {discoverVariablesExtension: discover-variables.site}}]
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one, namespace: default}
spec: {topology: {classRef: {name: base}, version: v1.33.0}}
"""


def test_a_silent_extension_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason is that nobody answers, not only that the class has errors."""
    (tmp_path / "class.yaml").write_text(EXTERNAL)

    assert main(["init", str(tmp_path)]) == 0

    assert 'no answer to DiscoverVariables of extension "discover-variables.site"' in capsys.readouterr().err


def test_a_file_of_another_kind_is_no_config(tmp_path: Path) -> None:
    """A resource whose file has the name of a config keeps it; the config gets the function's name."""
    (tmp_path / "presets.yaml").write_text(PACK)

    assert main(["init", str(tmp_path)]) == 0
    assert "configPath: apply-presets.yaml" in (tmp_path / "Kptfile").read_text()
    assert main(["render", str(tmp_path), "--check"]) == 0


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no function fits this folder, which has no resources"),
        ({"a.yaml": CONFIG_MAP + "  a: b\n"}, "no function fits 1 resource, so"),
        ({"app/pack.json": "{}"}, "app is a pack, and not a resource yet; krmkit pack import"),
    ],
)
def test_where_nothing_fits(
    tmp_path: Path, files: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package without a pipeline is made, and one line says so and what to do."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert main(["init", str(tmp_path)]) == 0
    assert said in capsys.readouterr().err
