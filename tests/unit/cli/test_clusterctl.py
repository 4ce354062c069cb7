"""`krmkit clusterctl generate`, and Clusters that still hold a template's variables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from krmkit.cli import main

QUICK_START = Path(__file__).resolve().parents[3] / "functions/render-cluster-topology/examples/quick-start"
TEMPLATE = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: ${CLUSTER_NAME} # who it is
  namespace: ${ NAMESPACE }
spec:
  clusterNetwork:
    pods:
      cidrBlocks: ${POD_CIDR:=["192.168.0.0/16"]}
  topology:
    classRef:
      name: quick-start
    version: ${KUBERNETES_VERSION}
    workers:
      machineDeployments:
      - class: default-worker
        name: md-0
        replicas: ${WORKERS:=1}
"""
FILLED = (
    TEMPLATE.replace("${CLUSTER_NAME}", "lyon")
    .replace("${ NAMESPACE }", "default")
    .replace('${POD_CIDR:=["192.168.0.0/16"]}', '["192.168.0.0/16"]')
    .replace("${KUBERNETES_VERSION}", "v1.33.1")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a template and values for all but the number of workers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cluster.yaml").write_text(TEMPLATE)
    (tmp_path / "values.yaml").write_text(
        "CLUSTER_NAME: lyon\nNAMESPACE: default\nKUBERNETES_VERSION: v1.33.1\nEMPTY:\nFLAG: true\n"
    )
    return tmp_path


def generate(*words: str) -> int:
    return main(["clusterctl", "generate", *words])


@pytest.mark.usefixtures("folder")
def test_values_of_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Values and defaults are put in, comments stay, and the environment counts for nothing."""
    monkeypatch.setenv("WORKERS", "9")

    assert generate("cluster.yaml", "--values", "values.yaml") == 0

    assert capsys.readouterr().out == FILLED.replace("${WORKERS:=1}", "1")


def test_a_value_of_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--set wins over the file, and -o writes."""
    assert generate("cluster.yaml", "--values", "values.yaml", "--set", "WORKERS=5", "--set", "NAMESPACE=b", "-o", "new/a.yaml") == 0  # fmt: skip

    assert capsys.readouterr().out == ""
    written = (folder / "new/a.yaml").read_text()
    assert "replicas: 5\n" in written and "namespace: b\n" in written


@pytest.mark.usefixtures("folder")
def test_variables_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each variable is named once, with its default."""
    assert generate("cluster.yaml", "--list-variables") == 0

    assert capsys.readouterr().out.splitlines() == [
        "CLUSTER_NAME  (required)",
        "KUBERNETES_VERSION  (required)",
        "NAMESPACE  (required)",
        "POD_CIDR  (default: '[\"192.168.0.0/16\"]')",
        "WORKERS  (default: '1')",
    ]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("CLUSTER_NAM: lyon", "no value for CLUSTER_NAME, KUBERNETES_VERSION, NAMESPACE; give it in --values FILE"),
        ("CLUSTER_NAM: lyon", 'the template has no CLUSTER_NAM, did you mean "CLUSTER_NAME"?'),
        ("KUBERNETES_VERSION: 1.30", 'KUBERNETES_VERSION must be in quotes, "1.30": without them it is read as 1.3'),
        ("NAMESPACE: [a]", "NAMESPACE must be a text, a number or a boolean"),
        ("- a", "must be a map of names and values"),
        ("a: [", "values.yaml: line 2, column 1"),
    ],
)  # fmt: skip
def test_wrong_values(folder: Path, capsys: pytest.CaptureFixture[str], values: str, said: str) -> None:
    """What is missing or would be read otherwise is named, and nothing is printed."""
    (folder / "values.yaml").write_text(values)

    assert generate("cluster.yaml", "--values", "values.yaml") == 1

    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err


@pytest.mark.usefixtures("folder")
def test_a_template_that_cannot_be_read(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """The line of a variable that is not closed is named; so are a file that is not there and a wrong --set."""
    (folder / "cluster.yaml").write_text("a: b\nc: ${D\n")

    assert [generate("cluster.yaml"), generate("nothing.yaml"), generate("cluster.yaml", "--set", "x")] == [
        1,
        1,
        1,
    ]

    told = capsys.readouterr().err
    assert "cluster.yaml: line 2: ${D has no } that closes it" in told
    assert "nothing.yaml: No such file or directory" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    "command", [["render", "p", "--dry-run"], ["topology", "plan", "p", "--against", str(QUICK_START)]]
)
def test_a_cluster_that_still_holds_variables(
    folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One error says what it is and how to go on; none is about types."""
    shutil.copytree(QUICK_START, folder / "p", ignore=shutil.ignore_patterns(".expected"))
    shutil.copy("cluster.yaml", "p/clusters.yaml")

    assert main(command) == 1

    told = capsys.readouterr().out
    assert (
        "${CLUSTER_NAME} is a variable of a clusterctl template (so are NAMESPACE, POD_CIDR, KUBERNETES_VERSION, WORKERS)"
        in told
    )
    assert "krmkit clusterctl generate FILE --values VALUES.yaml" in told
    assert "unmarshal" not in told


def test_variables_in_shell_are_not_a_templates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable of a Cluster may be a command with ${...} of its own."""
    package = folder / "p"
    shutil.copytree(QUICK_START, package, ignore=shutil.ignore_patterns(".expected"))
    clusters = (package / "clusters.yaml").read_text()
    (package / "clusters.yaml").write_text(clusters.replace('value: ""', "value: ${HOSTNAME}"))

    assert main(["render", "p", "--dry-run"]) == 0, capsys.readouterr().out


def test_a_template_that_is_no_yaml(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A default that YAML cannot read leads to the command too."""
    (folder / "p").mkdir()
    (folder / "p/Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n")
    (folder / "p/cluster.yaml").write_text(
        TEMPLATE.replace("replicas: ${WORKERS:=1}", 'x: {a: ${B:="c: d"}}')
    )

    assert main(["render", "p"]) == 1

    assert (
        "this looks like a clusterctl template: krmkit clusterctl generate"
        in capsys.readouterr().err.replace("\n", " ")
    )
