"""krmkit render where a function puts a resource at a path that no file can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: fleet
pipeline:
  mutators:
    - image: ghcr.io/krmkit/generate-package-variants
"""
FLEET = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata:
  name: shops
  namespace: default
---
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
  namespace: default
spec:
  upstream: {repo: blueprints, package: web, revision: 1}
  targets:
    - repositories: [{name: shops}]
      template:
        downstream:
          packageExpr: '"north\\u0000east"'
"""


def test_nul_in_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A NUL in a computed path is an error with the path; nothing is written."""
    (tmp_path / "Kptfile").write_text(KPTFILE, encoding="utf-8")
    (tmp_path / "fleet.yaml").write_text(FLEET, encoding="utf-8")

    assert main(["render", str(tmp_path)]) == 1

    said = capsys.readouterr().err
    assert "a path must not hold the character NUL" in said and "nothing was written" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Kptfile", "fleet.yaml"]
