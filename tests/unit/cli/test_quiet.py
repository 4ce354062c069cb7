"""--severity and --quiet: what is shown; exit codes and files stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.views.formats import FORMATS

KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: p}
pipeline:
  mutators:
  - image: ghcr.io/krmkit/set-namespace
    configMap: {namespace: shop}
  - image: ghcr.io/krmkit/resolve-macros
    configPath: macros.yaml
"""
MACROS = "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata: {name: m, annotations: {config.kubernetes.io/local-config: 'true'}}\nspec: {}\n"
ITEM = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: "{{ .spectro.var.nothing }}"\n'


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one package, whose render has a warning and an info, and a changed file."""
    monkeypatch.chdir(tmp_path)
    Path("p").mkdir()
    Path("p/Kptfile").write_text(KPTFILE)
    Path("p/macros.yaml").write_text(MACROS)
    Path("p/a.yaml").write_text(ITEM)
    return tmp_path


def severities(out: str) -> set[str]:
    return {word for word in ("error", "warning", "info") if f": {word}: " in out}


@pytest.mark.parametrize("where", [["p"], ["-r", "."]], ids=["one", "many"])
@pytest.mark.parametrize(
    ("flags", "expected"),
    [([], {"warning", "info"}), (["--severity", "warning"], {"warning"}), (["--severity", "error"], set())],
)
def test_severity(
    packages: Path, where: list[str], flags: list[str], expected: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The least severe results that are shown; --check still finds what would change."""
    assert main(["render", *where, "--check", "-f", "text", *flags]) == 2
    out = capsys.readouterr().out
    assert severities(out) == expected
    assert "changed" in out


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab", "junit", "markdown"])
def test_every_format(packages: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs get the same choice."""
    main(["render", "p", "--dry-run", "-f", form])
    whole = capsys.readouterr().out
    main(["render", "p", "--dry-run", "-f", form, "--severity", "error"])
    narrowed = capsys.readouterr().out

    assert form in FORMATS
    assert len(narrowed) < len(whole)
    assert "no value is given" not in narrowed


@pytest.mark.parametrize("where", [["p"], ["-r", "."]], ids=["one", "many"])
@pytest.mark.parametrize("form", ["table", "text"])
def test_quiet(packages: Path, where: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said where nothing failed, and the files are written; an error is said."""
    assert main(["render", *where, "-q", "-f", form]) == 0
    assert capsys.readouterr() == ("", "")
    assert "namespace: shop" in Path("p/a.yaml").read_text()

    Path("p/macros.yaml").write_text(MACROS.replace("spec: {}", "spec: {onUndefined: error}"))
    assert main(["render", *where, "-q", "-f", form]) == 1
    said = capsys.readouterr()
    assert "there is no value for .spectro.var.nothing" in said.out + said.err


def test_a_result_says_so(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not shown is not in the data either."""
    main(["render", "p", "-f", "json", "--severity", "warning"])
    results = json.loads(capsys.readouterr().out)["packages"][0]["results"]
    assert {one["severity"] for one in results} == {"warning"}


def test_many_packages(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Above 50 changed packages the others are one line; those with warnings, errors or a diff are all listed."""
    for number in range(60):  # each with infos, but no warning
        folder = Path(f"q{number:02}")
        folder.mkdir()
        folder.joinpath("Kptfile").write_text(KPTFILE.partition("  - image: ghcr.io/krmkit/resolve")[0])
        folder.joinpath("a.yaml").write_text(ITEM.partition("\ndata:")[0] + "\n")

    assert main(["render", "-r", ".", "--dry-run", "--jobs", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith(("p: ", "q")) for line in lines) == 51
    assert lines[-2:] == [
        "... and 10 more packages changed; -f json lists them",
        "61 packages: 61 files changed in 61, 0 unchanged, 0 failed (nothing was written)",
    ]
    assert any(line.startswith("p: ") for line in lines)
