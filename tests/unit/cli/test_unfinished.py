"""A package in which a run was killed: every command that opens it first finishes what that run had begun, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.journal import Journal, JournalStep
from krmkit.storage.disk.primitives import digest
from tests.unit.cli.test_landscaper import component_archive

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n"
VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {name: north, namespace: default}
spec:
  upstream: {repo: blueprints, package: shop, revision: v1}
  downstream: {repo: north, package: shop}
"""
COMMANDS: dict[str, str] = {
    "render": "render shop",
    "render, all below": "render -r shop",
    "check": "check shop",
    "report": "report shop -o page.html",
    "pack show": "pack show shop",
    "pack import": "pack import pack --out shop",
    "pack export": "pack export shop --out out",
    "variants render, a blueprint": "variants render set.yaml --packages . --out out",
    "variants render, the folder": "variants render set.yaml --packages . --out shop",
    "pkg update": "pkg update shop",
    "pkg diff": "pkg diff shop",
    "topology plan": "topology plan shop --against other",
    "topology plan, what was": "topology plan other --against shop",
    "topology plan, no package": "topology plan plain --against other",
    "landscaper import": "landscaper import component --out shop",
    "landscaper graph": "landscaper graph shop",
    "landscaper explain": "landscaper explain shop cart",
    "landscaper reconcile": "landscaper reconcile shop",
    "why": "why shop ConfigMap/new",
}


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


def killed(folder: Path) -> None:
    """The journal of a run that was to replace a.yaml."""
    (folder / WORK).mkdir()
    (folder / WORK / "new-1").write_text(config_map("new"))
    Journal(str(folder), [JournalStep("a.yaml", f"{WORK}/new-1", "", digest(str(folder / "a.yaml")))]).save()


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_what_a_killed_run_had_begun_is_finished(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever else the command finds: the file is there, nothing is left over, and stderr says which folder it was."""
    for name in ("blueprints/shop", "shop", "other", "plain", "pack", "component"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        if name not in ("pack", "component"):
            (folder / "a.yaml").write_text(config_map("old"))
    for name in ("blueprints/shop", "shop", "other"):
        (tmp_path / name / "Kptfile").write_text(KPTFILE)
    (tmp_path / "pack/pack.json").write_text('{"name": "p", "version": "1.0.0", "layer": "addon"}')
    (tmp_path / "pack/values.yaml").write_text("a: 1\n")
    (tmp_path / "set.yaml").write_text(VARIANT)
    component_archive(tmp_path / "component")
    place = {"variants render, a blueprint": "blueprints/shop", "topology plan, no package": "plain"}
    folder = tmp_path / next((where for name, where in place.items() if COMMANDS[name] == words), "shop")
    if words.endswith("--out shop") and words.startswith("variants"):
        (folder / "Kptfile").unlink()
    killed(folder)
    monkeypatch.chdir(tmp_path)

    main(words.split())

    said = capsys.readouterr().err
    assert not (folder / WORK).exists()
    assert f"{folder.name}: a run was killed while it put 1 file into place; completed it" in said
    assert not (folder / "a.yaml").exists() or (folder / "a.yaml").read_text() == config_map("new")
