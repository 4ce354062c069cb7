"""`krmkit run NAME PKG`: one function on a package on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline:\n  mutators:\n  - image: r.example/never-run\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}  # kept\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = tmp_path / "p"
    (made / "sub").mkdir(parents=True)
    (made / "Kptfile").write_text(KPTFILE)
    (made / "sub/Kptfile").write_text(KPTFILE)
    (made / "pod.yaml").write_text(POD)
    (made / "sub/pod.yaml").write_text(POD.replace("name: p", "name: q"))
    return made


def test_pairs(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The function runs once, on all resources; the pipeline does not; --diff writes nothing."""
    assert main(["run", "set-namespace", str(package), "--diff", "--", "namespace=shop"]) == 0
    assert "+" in capsys.readouterr().out
    assert (package / "pod.yaml").read_text() == POD

    assert main(["run", "set-namespace", str(package), "--", "namespace=shop"]) == 0
    for path in ("pod.yaml", "sub/pod.yaml"):
        assert "namespace: shop" in (package / path).read_text()
    assert (package / "Kptfile").read_text().endswith(KPTFILE.partition("pipeline:")[2])


def test_a_config_file(package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may lie outside; one that is not there is an error, as are words that are no pairs."""
    config = tmp_path / "labels.yaml"
    config.write_text(
        "apiVersion: fn.kpt.dev/v1alpha1\nkind: SetLabels\nmetadata: {name: l}\nlabels: {a: b}\n"
    )

    assert main(["run", "set-labels", str(package), "--fn-config", str(config)]) == 0
    assert "a: b" in (package / "pod.yaml").read_text()
    capsys.readouterr()
    assert main(["run", "set-labels", str(package), "--fn-config", "none.yaml"]) == 1
    assert "No such file" in capsys.readouterr().err
    assert main(["run", "set-labels", str(package), "--", "a"]) == 1
    assert 'must be key=value, got "a"' in capsys.readouterr().err


def test_a_config_of_the_package_is_no_item(package: Path) -> None:
    """As `kpt fn eval`, the function does not see its own config, which stays as it is."""
    config = package / "sub/labels.yaml"
    config.write_text(text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: l}\ndata: {a: b}\n")

    assert main(["run", "set-labels", str(package), "--fn-config", str(config)]) == 0

    assert config.read_text() == text
    assert "a: b" in (package / "sub/pod.yaml").read_text()
