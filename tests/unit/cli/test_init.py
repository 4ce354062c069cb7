"""krmkit init: a folder becomes a package that renders."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.cli.init import package_name
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
    return [
        line.rpartition("/")[2] for line in (folder / "Kptfile").read_text().splitlines() if "image:" in line
    ]


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


def test_what_does_not_fit_is_left_out(tmp_path: Path) -> None:
    """A pack without presets and macros is only checked; resources of other systems get theirs."""
    (tmp_path / "classes.yaml").write_text(CLASSES)

    assert main(["init", str(tmp_path)]) == 0
    assert images(tmp_path) == ["default-cluster-topology", "validate-cluster-topology"]


def test_helm_templates(tmp_path: Path) -> None:
    """They go into .krmignore, behind what stands there; the package can be read then."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "service.yaml").write_text(HELM)
    (tmp_path / "values.yaml").write_text("a: 1\n")
    (tmp_path / ".krmignore").write_text("*.bak")

    assert main(["init", str(tmp_path)]) == 0
    ignored = (tmp_path / ".krmignore").read_text().splitlines()
    assert ignored[0] == "*.bak"
    assert ignored[2:] == ["templates/service.yaml", "values.yaml"]
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
