"""`krmkit init --platform DIR`: a repository in which everything works at once."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet.newplatform import FILES, HERE, missing_files
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.write import write

NAMES = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@e",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@e",
}


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "init.defaultBranch=main", "-C", str(folder), *words]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **NAMES}
    ).stdout


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A new platform, committed and tagged; the working directory is its own."""
    for name, value in NAMES.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "platform"
    assert main(["init", "--platform", str(root)]) == 0
    assert "blueprints/site/v1" in capsys.readouterr().err
    git(tmp_path, "init", "-q", str(root))
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "tag", "blueprints/site/v1")
    monkeypatch.chdir(root)
    return root


def test_it_is_rendered_and_right(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A check finds nothing to do, no error and no warning."""
    assert main(["render", "-r", ".", "--check", "-f", "text"]) == 0

    said = capsys.readouterr().out
    assert "3 packages: 0 files changed in 0, 3 unchanged, 0 failed" in said
    assert ": warning: " not in said and ": error: " not in said


def test_what_rolls(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing at first; after a change of the version, the machines of both sites."""
    assert main(["topology", "plan", "-r", "."]) == 0
    for name in ("versions.yaml", "packs.yaml"):
        place = platform / "blueprints/site" / name
        place.write_text(place.read_text("utf-8").replace("1.33.1", "1.34.0"), "utf-8")
    fleet = ["--packages", ".", "--objects", "fleet/objects", "-o", "sites"]
    assert main(["variants", "render", "fleet/sites.yaml", *fleet]) == 0
    capsys.readouterr()

    assert main(["topology", "plan", "-r", "."]) == 2

    assert "2 Clusters: 2 with changes, 2 with rolling machines; 6 machines roll" in capsys.readouterr().out


def test_a_sync(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sites get drafts, and a second sync has nothing to do."""
    words = ["variants", "sync", "fleet/sites.yaml", "--objects", "fleet/objects"]
    for name in ("north", "south"):
        git(platform.parent, "init", "-q", name)
        git(platform.parent / name, "commit", "-q", "--allow-empty", "-m", "one")
        words += ["--repo", f"{name}=../{name}"]

    assert main(words) == 0

    assert "drafts/site/" in git(platform.parent / "north", "for-each-ref")
    assert main([*words, "--check"]) == 0


def test_an_error_across_systems(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """validate-platform is at work."""
    place = platform / "blueprints/site/packs.yaml"
    place.write_text(place.read_text("utf-8").replace("1.33.1", "1.34.0"), "utf-8")

    assert main(["render", "blueprints/site", "-f", "text"]) == 1

    assert "blueprints/site/cluster.yaml:10:5: error:" in capsys.readouterr().out


# A break of the new platform: (what is broken, file, what stands there, what is put in its place, where it is named, a text in that line, the rule).
BREAKS = [
    ("a version that the class lacks", "class.yaml", "\nspec:\n", "\nspec:\n  kubernetesVersions: [v1.34.0]\n", "cluster.yaml", "version: v1.33.1", "invalid"),
    ("a worker class", "cluster.yaml", "class: worker", "class: wroker", "cluster.yaml", "class: wroker", "invalid"),
    ("the version that a pack needs", "packs.yaml", '"minVersion": "1.32.0"', '"minVersion": "1.35.0"', "packs.yaml", "dependencies", "version"),
    ("the namespace of a template", "class.yaml", "name: site-worker, namespace: sites", "name: site-worker, namespace: sitez", "class.yaml", "name: site-worker}",
     "class-error"),
    ("a ConfigMap of an import", "installation.yaml", "{name: site-settings}", "{name: site-setings}", "installation.yaml", "configMapRef", "config-map-not-found"),
    ("a key of the settings", "installation.yaml", "settings.host }}", "settings.hots }}", "installation.yaml", "settings.hots", "template"),
    ("an import of a deploy item", "installation.yaml", "{import: cluster}", "{import: clutser}", "installation.yaml", "{import: clutser}", "deploy-item-spec"),
    ("the key of a fact", "package-context.yaml", "  site: site", "  stie: site", "package-context.yaml", "data:", "source"),
    ("the key of a kubeconfig", "installation.yaml", "key: value", "key: config", "installation.yaml", "key: config", "target-key"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "where", "line", "rule"),
    [one[1:] for one in BREAKS],
    ids=[one[0] for one in BREAKS],
)
def test_what_ci_says_of_a_break(
    file: str,
    old: str,
    new: str,
    where: str,
    line: str,
    rule: str,
    platform: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The command of the deployed CI names the file and the line to change."""
    blueprint = platform / "blueprints/site"
    text = (blueprint / file).read_text("utf-8")
    assert text.count(old) == 1
    (blueprint / file).write_text(text.replace(old, new), "utf-8")
    [number] = [
        number
        for number, words in enumerate((blueprint / where).read_text("utf-8").splitlines(), 1)
        if line in words and not words.startswith("meta")
    ]

    assert main(["render", "-r", ".", "--check", "--since", "HEAD", "--format", "github"]) == 1

    said = capsys.readouterr().out
    assert re.search(f"::error file=blueprints/site/{where},line={number},col=[0-9]+,title={rule}::", said)


# The same for the fleet: what `variants render --check` says.
FLEET = [
    ("sites that are not rendered", "blueprints/site/cluster.yaml", "replicas: 2", "replicas: 3", 2, "::error file=sites/north/site/cluster.yaml,title=not-rendered::"),
    ("a fact that the sites do not get", "fleet/sites.yaml", "key: site,", "key: stie,", 1, "package-context.yaml:7:1: fieldPath `data.site` is missing"),
    ("a package that is not there", "fleet/sites.yaml", "package: site\n    rev", "package: stie\n    rev", 1, "::error file=fleet/sites.yaml,line=9,col=5,title=variant-failed::"),
    ("a Target that no binding reaches", "blueprints/site/bindings.yaml", "{kind: Target}", "{kind: Secret}", 1, "installation.yaml:21:5: the Target reads the Secret"),
    ("a site that lost its label", "fleet/objects/repositories.yaml", "  name: north\n  namespace: default\n  labels: {role: site}", "  name: north\n  namespace: default\n  labels: {role: stie}",
     0, "::warning file=fleet/sites.yaml,title=left-over::north/site is no longer targeted"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "said"), [one[1:] for one in FLEET], ids=[one[0] for one in FLEET]
)
def test_what_ci_says_of_the_fleet(
    file: str, old: str, new: str, code: int, said: str, platform: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each site is right in itself; the fleet shows that it is not what the blueprint and the set make."""
    place = platform / file
    text = place.read_text("utf-8")
    assert text.count(old) == 1
    place.write_text(text.replace(old, new), "utf-8")
    fleet = ["--packages", ".", "--objects", "fleet/objects", "-o", "sites", "--jobs", "1"]

    assert main(["variants", "render", "fleet/sites.yaml", *fleet, "--check", "--format", "github"]) == code

    assert said in capsys.readouterr().out


def test_a_folder_with_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing in it is touched."""
    (tmp_path / "mine.yaml").write_text("a: b\n")

    assert main(["init", "--platform", str(tmp_path)]) == 1

    assert "holds files already" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["mine.yaml"]


def test_every_file_is_listed() -> None:
    """What lies beside the module is written."""
    assert sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*.yaml")) == sorted(FILES)


def test_a_run_that_was_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it has written and prepared is no hindrance; a file that is another one is."""
    write(str(tmp_path), missing_files(str(tmp_path)))
    (tmp_path / "README.md").unlink()
    (tmp_path / WORK).mkdir()
    (tmp_path / WORK / "new-1").write_text("half")

    assert main(["init", "--platform", str(tmp_path)]) == 0
    assert list((tmp_path / "sites").rglob("Kptfile"))
    assert not (tmp_path / WORK).exists()
    assert main(["init", "--platform", str(tmp_path)]) == 0  # nothing is left to do

    (tmp_path / "fleet/sites.yaml").write_text("a: b\n")
    capsys.readouterr()
    assert main(["init", "--platform", str(tmp_path)]) == 1
    assert "holds files already" in capsys.readouterr().err
    assert (tmp_path / "fleet/sites.yaml").read_text() == "a: b\n"
