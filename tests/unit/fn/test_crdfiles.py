"""`--crds DIR`: CRDs in files, for functions that check objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.fn.crdfiles import read_crds
from krmkit.krm.errors import Refused

ROOT = Path(__file__).resolve().parents[3]
CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: labs.example.com}
spec:
  group: example.com
  names: {kind: Lab, plural: labs}
  scope: Namespaced
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [size]}}}}
"""
LIST = """
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: example.com/v1, kind: Lab, metadata: {name: a, namespace: b}, spec: {}}
"""


def test_documents_and_lists(tmp_path: Path) -> None:
    """As controller-gen and kubectl write them, in folders below, too; other objects are left out."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below/a.yaml").write_text(f"{CRD}---\nkind: ConfigMap\n", "utf-8")
    listed = "kind: List\nitems:\n- kind: CustomResourceDefinition\n- kind: Secret\n"
    (tmp_path / "b.yml").write_text(listed, "utf-8")
    (tmp_path / "c.json").write_text('{"kind": "CustomResourceDefinition"}', "utf-8")
    (tmp_path / "README.md").write_text("kind: [", "utf-8")

    assert [one.get("metadata") for one in read_crds(str(tmp_path))] == [
        None,
        None,
        {"name": "labs.example.com"},
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("", "", "is not a folder"),
        ("a.txt", "x", "holds no CustomResourceDefinition"),
        ("a.yaml", "kind: [", "a.yaml: "),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    """One line that names the file."""
    folder = tmp_path / "crds"
    if name:
        folder.mkdir()
        (folder / name).write_text(text, "utf-8")

    with pytest.raises(Refused, match=message):
        read_crds(str(folder))


@pytest.mark.parametrize(
    "words", [["--crds", "FOLDER"], ["--crds=FOLDER"], ["--crds=FOLDER", "--format", "text"]]
)
def test_a_function_checks_by_them(tmp_path: Path, words: list[str]) -> None:
    """The object lacks what the CRD requires; without the flag nobody knows."""
    (tmp_path / "crd.yaml").write_text(CRD, "utf-8")
    command = [sys.executable, "-m", "krmkit", "run", "validate-cluster-topology"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *more], check=False, input=LIST, capture_output=True, text=True, cwd=ROOT / "shared"
        )

    assert run().returncode == 0
    found = run(*(word.replace("FOLDER", str(tmp_path)) for word in words))
    assert found.returncode == 1
    assert "spec.size" in found.stdout
    assert "Required value" in found.stdout
    missing = run("--crds", str(tmp_path / "none"))
    assert missing.returncode == 1
    assert "is not a folder" in missing.stderr
