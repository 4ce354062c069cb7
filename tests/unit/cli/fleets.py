"""A small fleet for the tests of `krmkit variants render`."""

from __future__ import annotations

from pathlib import Path

from krmkit.cli import main

SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata:
  name: fleet
  namespace: default
spec:
  upstream: {repo: bp, package: shop, revision: 1}
  targets:
  - repositorySelector:
      matchExpressions: [{key: site, operator: Exists}]
    template:
      packageContext:
        dataExprs: [{key: site, valueExpr: "repository.labels.site"}]
"""
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
CHECK = "pipeline:\n  validators:\n  - image: ghcr.io/krmkit/set-package-context\n    configMap: {SITE: x}\n"
NAMES = ["Kptfile", "README.md", "package-context.yaml"]


def repository(name: str, site: str) -> str:
    return (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata:\n"
        f"  name: {name}\n  namespace: default\n  labels: {{site: {site}}}\n"
    )


def folders(tmp_path: Path) -> Path:
    """A set, a blueprint, and the repositories of two sites."""
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "packages/bp/shop").mkdir(parents=True)
    (tmp_path / "packages/bp/shop/Kptfile").write_text(KPTFILE)
    (tmp_path / "packages/bp/shop/README.md").write_text("# Shop\n")
    (tmp_path / "objects/deep").mkdir(parents=True)
    (tmp_path / "objects/north.yaml").write_text(repository("north", "n"))
    (tmp_path / "objects/deep/south.yaml").write_text(repository("south", "s"))
    return tmp_path


def render(place: Path, *words: str) -> int:
    given = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "packages")]
    return main([*given, "--objects", str(place / "objects"), "--out", str(place / "out"), *words])


def written(place: Path) -> list[str]:
    out = place / "out"
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
