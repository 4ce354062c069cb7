"""Where extensions are read from: files, folders, and a ConfigMap as Kubernetes mounts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.services.extension.sources import fingerprint, load, read

TEXT = """
apiVersion: krmkit.dev/v1alpha1
kind: TopologyExtension
metadata: {name: NAME}
spec:
  handlers:
  - name: NAME
    variables: [{name: v, schema: {openAPIV3Schema: {type: string}}}]
"""


def mount(folder: Path, version: str, name: str) -> None:
    """Write a new version, and switch over to it as the kubelet does."""
    (folder / version).mkdir()
    (folder / version / "extensions.yaml").write_text(TEXT.replace("NAME", name), "utf-8")
    (folder / "..new").symlink_to(version)
    (folder / "..new").replace(folder / "..data")
    if not (folder / "extensions.yaml").is_symlink():
        (folder / "extensions.yaml").symlink_to("..data/extensions.yaml")


def test_a_mounted_config_map(tmp_path: Path) -> None:
    """Each extension is read once, and a new version changes the fingerprint."""
    mount(tmp_path, "..2026_1", "one")
    before = fingerprint([str(tmp_path)])

    assert load(read([str(tmp_path)], [])).names == ["one"]
    mount(tmp_path, "..2026_2", "two")
    assert load(read([str(tmp_path)], [])).names == ["two"]
    assert fingerprint([str(tmp_path)]) != before


def test_a_folder(tmp_path: Path) -> None:
    """All YAML files below it; other kinds and other files are left alone."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/one.yaml").write_text(TEXT.replace("NAME", "one"), "utf-8")
    (tmp_path / "two.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\n---" + TEXT.replace("NAME", "two"), "utf-8"
    )
    (tmp_path / "notes.txt").write_text("{", "utf-8")

    assert sorted(load(read([str(tmp_path)], [])).names) == ["one", "two"]


def test_no_name(tmp_path: Path) -> None:
    """An extension is served below its name, so one without is refused."""
    (tmp_path / "one.yaml").write_text(TEXT.replace("metadata: {name: NAME}", "metadata: {}"), "utf-8")

    with pytest.raises(Refused, match=r"without a name: metadata\.name: is required"):
        load(read([str(tmp_path)], []))
