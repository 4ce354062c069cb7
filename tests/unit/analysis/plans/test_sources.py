"""The resources of a plan: packages, exports of a cluster, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.analysis.plans.sources import package_options, read_items
from krmkit.cli import main
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.storage.disk.folders import WORK

LIST = """apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
"""


def test_an_export(tmp_path: Path) -> None:
    """Lists are opened; what is not YAML, what git keeps, and what a killed run left are not read."""
    for path in ("sub/list.yaml", ".git/x.yaml", f"{WORK}/y.yaml", "notes.txt"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(LIST)

    assert [item.name for item in read_items(str(tmp_path))] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"apiVersion: v1\nkind: A\nmetadata: {name: a}\n- b\n", "sub/x.yaml: line 4"),
        (b"\xff\n", "sub/x.yaml: is not UTF-8 text"),
        (b"apiVersion: v1\nkind: List\nitems: [\n", "sub/x.yaml: line"),
    ],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, said: str
) -> None:
    """One line names it, and no traceback."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/x.yaml").write_bytes(text)

    code = main(["topology", "plan", str(tmp_path), "--against", str(tmp_path)])

    error = capsys.readouterr().err
    assert code == 1
    assert error.startswith(f"krmkit topology plan: {said}") and error.count("\n") == 1


def test_no_folder(tmp_path: Path) -> None:
    """A path that does not exist is named."""
    with pytest.raises(Refused, match="none: does not exist"):
        read_items(str(tmp_path / "none"))


@pytest.mark.parametrize(
    "kind", ["RenderClusterTopology", "DefaultClusterTopology", "ValidateClusterTopology"]
)
def test_feature_gates_of_any_config(kind: str) -> None:
    """A plan has the gates on that one of the package's configs has on."""
    others = {"RenderClusterTopology", "DefaultClusterTopology", "ValidateClusterTopology"} - {kind}
    texts = [
        f"apiVersion: krmkit.dev/v1alpha1\nkind: {one}\nmetadata: {{name: a}}\n" for one in sorted(others)
    ]
    texts.append(
        f"apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: b}}\nspec: {{featureGates: {{RuntimeSDK: true}}}}\n"
    )

    assert package_options([Resource(text) for text in texts]).feature_gates["RuntimeSDK"] is True
