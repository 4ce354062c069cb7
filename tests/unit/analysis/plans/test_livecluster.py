"""krmkit.analysis.plans.livecluster: what a package names is no option of kubectl, and what kubectl answers is foreign."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from krmkit.analysis.plans import livecluster
from krmkit.analysis.plans.livecluster import Kubectl, read_live
from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject

CLUSTERS = "clusters.cluster.x-k8s.io"


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kubectl that notes its words in `calls`, and runs the shell script `answer`."""
    program = tmp_path / "kubectl"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/calls\n. {tmp_path}/answer\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "answer"


def class_named(name: str, kind: str = "DevClusterTemplate", template: str = "t") -> Collected:
    reference = {"apiVersion": "infrastructure.example.com/v1", "kind": kind, "name": template}
    data: Object = {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "ClusterClass",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"infrastructure": {"templateRef": reference}},
    }
    item = CollectedObject(data=data)
    collected = Collected()
    collected.classes[item.key] = item
    return collected


@pytest.mark.parametrize(
    ("package", "cluster", "said"),
    [
        (class_named("--kubeconfig=notes.txt"), ("default", "c"), '"--kubeconfig=notes.txt"'),
        (class_named("q", template="--server=x"), ("default", "c"), '"--server=x"'),
        (class_named("q", kind="--kubeconfig=x/"), ("default", "c"), "a type must be KIND.VERSION.GROUP"),
        (class_named("q", kind="a,b/c"), ("default", "c"), "a type must be KIND.VERSION.GROUP"),
        (Collected(), ("--all-namespaces", "c"), "must be a DNS label such as default"),
        (Collected(), ("default", "-c"), 'got "-c"'),
        (Collected(), ("default", "C c"), "must be a DNS name such as quick-start"),
    ],
)
def test_options_in_a_package(answer: Path, package: Collected, cluster: tuple[str, str], said: str) -> None:
    """A name or kind that no object can have is refused before kubectl is called."""
    answer.write_text("true\n")
    with pytest.raises(Refused, match="must be") as error:
        read_live(package, [cluster], Kubectl())

    assert said in str(error.value)
    assert not (answer.parent / "calls").exists()


def test_names_are_operands(answer: Path) -> None:
    """Type and names stand behind `--`; the namespace and the selector are values of their options."""
    answer.write_text("true\n")
    assert Kubectl("mine").get(CLUSTERS, "team", "a", "b", selector="x in (y)") == []

    options, _, operands = (answer.parent / "calls").read_text().strip().partition(" -- ")
    assert operands == f"{CLUSTERS} a b"
    assert options.split()[:3] == ["--context=mine", "--request-timeout=60s", "get"]
    assert "--namespace=team" in options
    assert "--selector=x in (y)" in options


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "the answer must be JSON"),
        (json.dumps({"kind": "Cluster", "metadata": {"name": "a\ud800"}}), "half of a surrogate pair"),
        ("{", "the answer must be JSON"),
        ("[1]", "must be an object or a List of them"),
    ],
    ids=["deep", "half a pair", "cut", "a list"],
)
def test_odd_answers(answer: Path, text: str, said: str) -> None:
    (answer.parent / "text").write_text(text)
    answer.write_text(f"cat {answer.parent}/text\n")
    with pytest.raises(Refused, match=said):
        Kubectl().get(CLUSTERS, "default")


def test_endless_answer(answer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livecluster, "_LARGEST", 1 << 20)
    answer.write_text("yes\n")
    with pytest.raises(Refused, match="wrote more than 1048576 bytes"):
        Kubectl().get(CLUSTERS, "default")


def test_held_streams(answer: Path) -> None:
    """A process that kubectl leaves behind, with its stdout, does not hold the plan."""
    answer.write_text('sleep 97 &\necho \'{"kind": "Cluster"}\'\n')
    begin = time.monotonic()

    assert Kubectl().get(CLUSTERS, "default") == [{"kind": "Cluster"}]
    assert time.monotonic() - begin < 30
