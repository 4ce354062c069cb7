"""Three-way merges mean what the real `kpt pkg update` makes of the same three versions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.kpt.merge.listkeys import schema_of
from krmkit.kpt.merge.threeway import merge
from krmkit.render.packagemerge import merge_packages
from tests.e2e.mergecases import Cases
from tests.e2e.packagecases import Packages

pytestmark = pytest.mark.kpt

Versions = tuple[dict[str, str], dict[str, str], dict[str, str]]

IDENTIFIER = "internal.kpt.dev/upstream-identifier"
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"


def run(folder: Path, *command: str) -> None:
    home = {"HOME": str(folder.parent), "KPT_CACHE_DIR": str(folder.parent / "cache")}
    names = {
        f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **home, **names}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def commit(folder: Path, tag: str) -> None:
    run(folder, "git", "add", ".")
    run(folder, "git", "commit", "-qm", tag)
    run(folder, "git", "tag", tag)


def without_mark(resource: Any) -> Any:
    """kpt marks what it fetched; a mark, and what is empty without it, is no difference."""
    metadata = dict(resource["metadata"])
    annotations = {
        key: value for key, value in (metadata.get("annotations") or {}).items() if key != IDENTIFIER
    }
    metadata.pop("annotations", None)
    return {**resource, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}


def write_texts(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def update(kpt: str, tmp_path: Path, versions: Versions) -> dict[str, bytes]:
    """Put base and upstream into a repository, let kpt fetch the base, put the local files there, let kpt update them.

    The Kptfile of the root stays kpt's.
    """
    base, new, here = versions
    upstream, local = tmp_path / "upstream", tmp_path / "local"
    write_texts(upstream / "pkg", {"Kptfile": KPTFILE, **base})
    run(upstream, "git", "init", "-q", "-b", "main")
    commit(upstream, "v1")
    shutil.rmtree(upstream / "pkg")
    write_texts(upstream / "pkg", {"Kptfile": KPTFILE, **new})
    commit(upstream, "v2")
    local.mkdir()
    run(local, "git", "init", "-q", "-b", "main")
    run(local, kpt, "pkg", "get", f"file://{upstream}/.git/pkg@v1", "pkg")
    kptfile = (local / "pkg" / "Kptfile").read_text(encoding="utf-8")
    shutil.rmtree(local / "pkg")
    write_texts(local / "pkg", {"Kptfile": kptfile, **here})
    commit(local, "edited")
    run(local, kpt, "pkg", "update", "pkg@v2")
    found = (path for path in (local / "pkg").rglob("*") if path.is_file())
    return {path.relative_to(local / "pkg").as_posix(): path.read_bytes() for path in found}


def documents(content: bytes) -> list[Any]:
    """The resources of a file in an order of their own, as kpt puts new ones at another place."""
    loaded = [without_mark(one) for one in yaml.load_all(content, Loader=yaml.CSafeLoader) if one is not None]
    return sorted(loaded, key=lambda one: (one["kind"], one["metadata"]["name"], str(one["metadata"])))


def documents_of(text: str | None) -> list[Any]:
    return documents((text or "").encode())


def named(resource: Any) -> tuple[str, str]:
    return resource["kind"], resource["metadata"]["name"]


KEYS = ("mountPath", "containerPort", "port", "name")


def assert_explained(versions: list[Any], where: str) -> None:
    """Ours is kpt's, or at each place that differs one side left alone what is there, and ours is the other side's.

    versions: ours, kpt's, base, upstream and local. kpt orders lists its own way, leaves `{}` and `[]` behind, and brings deleted
    elements back as `{name: c}`. What one side deleted and the other changed goes or stays whole.
    """
    ours, theirs, base, new, here = versions
    if ours == theirs or (new == base and ours == here) or (here == base and ours == new):
        return
    if base is not None and None in (new, here) and ours == new:
        return
    key = next((key for key in KEYS if all(is_keyed(version, key) for version in versions)), None)
    if key is not None:
        versions = [{one[key]: one for one in version or ()} for version in versions]
    assert all(version is None or isinstance(version, dict) for version in versions), where
    for name in {name for version in versions for name in version or ()}:
        assert_explained([(version or {}).get(name) for version in versions], f"{where} {name}")


def is_keyed(version: Any, key: str) -> bool:
    return version is None or (
        isinstance(version, list) and all(isinstance(one, dict) and key in one for one in version)
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_resources_mean_the_same(kpt: str, tmp_path: Path, seed: int) -> None:
    """500 resources, each edited on both sides; kpt merges them in one update."""
    cases = Cases(seed)
    triples = [cases.triple(f"r{number}") for number in range(500)]
    texts = [
        {f"r{number}.yaml": yaml.dump(data, Dumper=yaml.CSafeDumper) for number, data in enumerate(version)}
        for version in zip(*triples, strict=True)
    ]

    files = update(kpt, tmp_path, (texts[0], texts[1], texts[2]))

    for number, (base, new, here) in enumerate(triples):
        merged = merge(base, new, here, schema_of(base["apiVersion"], base["kind"])).value
        (expected,) = documents(files[f"r{number}.yaml"])
        assert_explained([without_mark(merged), expected, base, new, here], f"seed {seed}, resource {number}")


@pytest.mark.parametrize("seed", [1, 2])
def test_packages_mean_the_same(kpt: str, tmp_path: Path, seed: int) -> None:
    """250 packages: files, resources and Kptfiles edited, added, removed on both sides.

    A resource that nobody edited here becomes upstream's to the letter.
    Where upstream removed the last resource of a package, kpt leaves it: its writer writes nothing at all then. Files that are no
    resources differ on purpose: kpt brings back in subpackages what was deleted here, and does not merge what both sides edited.
    """
    packages = Packages(seed)
    versions: Versions = ({}, {}, {})
    for number in range(250):
        for version, files in zip(versions, packages.versions(f"p{number}"), strict=True):
            version.update({f"p{number}/{path}": text for path, text in files.items()})

    expected = update(kpt, tmp_path, versions)

    encoded = [{path: text.encode() for path, text in version.items()} for version in versions]
    root = {"Kptfile": KPTFILE.encode()}
    merged = merge_packages(root | encoded[0], root | encoded[1], root | encoded[2]).files
    with_resources = {path.partition("/")[0] for path in merged if path.endswith(".yaml")}
    for path in sorted({*merged, *expected} - {"Kptfile"}):
        base, new, here = (version.get(path) for version in versions)
        if not path.endswith((".yaml", "/Kptfile")) and base is not None and base != here:
            if here is None and base == new:
                assert path not in merged, path
                continue
            if None not in (here, new) and base != new != here:
                continue
        if path.endswith((".yaml", "/Kptfile")) and path in merged and path in expected:
            sides = [{named(one): one for one in documents_of(text)} for text in (base, new, here)]
            for ours, theirs in zip(documents(merged[path]), documents(expected[path]), strict=True):
                assert named(ours) == named(theirs), path
                assert_explained([ours, theirs, *(side.get(named(ours)) for side in sides)], path)
        elif path.partition("/")[0] in with_resources or not path.endswith(".yaml"):
            assert merged.get(path) == expected.get(path), path


COMMENTED = """\
# {head}
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
"""


def test_comments_are_those_of_kpt(kpt: str, tmp_path: Path) -> None:
    """New, changed and removed comments above fields and behind them, in a file that people edited elsewhere."""
    base = (
        COMMENTED.format(head="old")
        + '  a: "1"\n  b: "1" # old b\n  c: "1" # old c\n  # old\n  d: "1" # old d\n  e: "1"\n'
    )
    new = (
        COMMENTED.format(head="new")
        + '  # above a\n  a: "1"\n  b: "2" # new b\n  c: "1" # new c\n  d: "1"\n  e: "1" # new e\n'
        + '  # above f\n  f: "1" # f\n  m: # of m\n    # inside\n    deep: "1"\n'
    )
    here = base.replace('  e: "1"\n', '  e: "1" # mine\n  z: "1" # local\n')

    (path,) = update(kpt, tmp_path, ({"a.yaml": base}, {"a.yaml": new}, {"a.yaml": here})).keys() - {
        "Kptfile"
    }
    expected = (tmp_path / "local/pkg" / path).read_text("utf-8")
    encoded = [{"Kptfile": KPTFILE.encode(), "a.yaml": text.encode()} for text in (base, new, here)]
    merged = merge_packages(encoded[0], encoded[1], encoded[2]).files["a.yaml"].decode()

    def lines(text: str) -> list[str]:
        marks = (IDENTIFIER, "annotations:")
        kept = [line.replace(" # kpt-merge: /a", "") for line in text.splitlines()]
        return sorted(line for line in kept if not any(mark in line for mark in marks))

    assert lines(merged) == lines(expected)
    for line in ("# new", '  b: "2" # new b', '  e: "1" # mine', '  z: "1" # local', "    # inside"):
        assert line in merged.splitlines()


CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  v: "{v}"\n  w: "1"\n'


@pytest.mark.parametrize("case", ["as fetched", "one of their own", "led elsewhere"])
def test_subpackages_with_an_upstream_of_their_own(
    kpt: str, tmp_path: Path, case: str, project: Path
) -> None:
    """They go where upstream took them, or where somebody here leads them; all others to what their own upstream has now."""
    other, upstream, local = (tmp_path / name for name in ("other", "upstream", "local"))
    for folder in (other, upstream, local):
        folder.mkdir()
        run(folder, "git", "init", "-q", "-b", "main")
    write_texts(other, {"s/Kptfile": KPTFILE, "s/s.yaml": CONFIG.format(name="s", v=1)})
    commit(other, "v1")
    write_texts(
        other, {"s/s.yaml": CONFIG.format(name="s", v=2), "s/new.yaml": CONFIG.format(name="new", v=1)}
    )
    commit(other, "v2")
    write_texts(upstream, {"pkg/Kptfile": KPTFILE, "pkg/root.yaml": CONFIG.format(name="root", v=1)})
    commit(upstream, "v0")
    run(upstream, kpt, "pkg", "get", f"file://{other}/.git/s@v1", "pkg/sub")
    commit(upstream, "v1")
    run(upstream, kpt, "pkg", "update", "pkg/sub@v2")
    commit(upstream, "v2")
    run(local, kpt, "pkg", "get", f"file://{upstream}/.git/pkg@v1", "pkg")
    edited = local / "pkg/sub/s.yaml"
    edited.write_text(edited.read_text("utf-8").replace('w: "1"', 'w: "mine"'), "utf-8")
    if case == "one of their own":
        run(local, kpt, "pkg", "get", f"file://{other}/.git/s@v1", "pkg/mine")
        moved = local / "pkg/mine/Kptfile"
        moved.write_text(moved.read_text("utf-8").replace("ref: v1", "ref: main"), "utf-8")
    if case == "led elsewhere":
        kptfile = local / "pkg/sub/Kptfile"
        kptfile.write_text(kptfile.read_text("utf-8").replace("ref: v1", "ref: main"), "utf-8")
    commit(local, "edited")
    ours = tmp_path / "ours"
    shutil.copytree(local, ours)

    run(local, kpt, "pkg", "update", "pkg@v2")
    env = {**os.environ, "PYTHONPATH": str(project / "shared")}
    words = [sys.executable, "-m", "krmkit.cli", "pkg", "update", "pkg@v2"]
    done = subprocess.run(words, cwd=ours, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    expected, made = (
        {
            path.relative_to(root).as_posix(): yaml.safe_load(path.read_text("utf-8"))
            for path in root.rglob("pkg/**/*")
            if path.is_file()
        }
        for root in (local, ours)
    )
    assert made == expected
    assert made["pkg/sub/s.yaml"]["data"] == {"v": "2", "w": "mine"} and "pkg/sub/new.yaml" in made


def test_get_writes_what_kpt_writes(kpt: str, tmp_path: Path, project: Path) -> None:
    """The same files with the same data, marks included; the Kptfile has the same fields in the same order."""
    upstream = tmp_path / "upstream"
    mark = CONFIG.format(name="b", v=1).replace(
        "\ndata:", f"\n  annotations:\n    {IDENTIFIER}: wrong\ndata:"
    )
    files = {
        "p/Kptfile": KPTFILE + "info:\n  description: d\n",
        "p/a.yaml": CONFIG.format(name="a", v=1) + "---\n# b\n" + mark,
        "p/sub/Kptfile": KPTFILE,
        "p/sub/s.yaml": CONFIG.format(name="s", v=1),
        "p/values.yaml": "a: 1\n",
        "p/note.md": "note\n",
    }
    write_texts(upstream, files)
    run(upstream, "git", "init", "-q", "-b", "main")
    commit(upstream, "p/v1")
    env = {**os.environ, "PYTHONPATH": str(project / "shared")}
    (tmp_path / "local").mkdir()
    for words in ([kpt, "pkg", "get"], [sys.executable, "-m", "krmkit.cli", "pkg", "get"]):
        place = tmp_path / "local" / ("theirs" if words[0] == kpt else "ours") / "p"
        place.parent.mkdir()
        source = f"file://{upstream}/.git/p@v1"
        home = {"KPT_CACHE_DIR": str(tmp_path / "cache")}
        subprocess.run(
            [*words, source, str(place)], cwd=tmp_path, env=env | home, check=True, capture_output=True
        )

    theirs, ours = (tmp_path / "local" / side / "p" for side in ("theirs", "ours"))
    names = {str(path.relative_to(theirs)) for path in theirs.rglob("*") if path.is_file()}
    assert names == {str(path.relative_to(ours)) for path in ours.rglob("*") if path.is_file()}
    for name in names - {"Kptfile", "note.md"}:
        loaded = [list(yaml.safe_load_all((side / name).read_text("utf-8"))) for side in (theirs, ours)]
        assert loaded[0] == loaded[1], name
    kptfiles = [yaml.safe_load((side / "Kptfile").read_text("utf-8")) for side in (theirs, ours)]
    for kptfile in kptfiles:
        for part in ("upstream", "upstreamLock"):
            repo = kptfile[part]["git"].pop("repo")
            assert Path(repo.removeprefix("file://")).resolve() == upstream.resolve()
    assert kptfiles[0] == kptfiles[1] and list(kptfiles[0]) == list(kptfiles[1])


REMOTE = (
    KPTFILE
    + "upstream:\n  type: git\n  git:\n    repo: {repo}\n    directory: {folder}\n    ref: v1\n  updateStrategy: resource-merge\n"
)


@pytest.mark.parametrize("command", ["get", "update"])
def test_subpackages_that_are_not_fetched_yet(kpt: str, tmp_path: Path, project: Path, command: str) -> None:
    """A Kptfile with an upstream, and no lock: what it names is fetched into the subpackage, and what that names into its own."""
    third, other, upstream = (tmp_path / name for name in ("third", "other", "upstream"))
    write_texts(third, {"t/Kptfile": KPTFILE, "t/t.yaml": CONFIG.format(name="t", v=1)})
    remote = REMOTE.format(repo=f"file://{third}/.git", folder="/t")
    write_texts(other, {"s/Kptfile": KPTFILE + "info:\n  description: theirs\n", "s/deep/Kptfile": remote,
                        "s/s.yaml": CONFIG.format(name="s", v=1)})  # fmt: skip
    write_texts(upstream, {"p/Kptfile": KPTFILE, "p/a.yaml": CONFIG.format(name="a", v=1)})
    for folder in (third, other, upstream):
        run(folder, "git", "init", "-q", "-b", "main")
        commit(folder, "v1")
    remote = REMOTE.format(repo=f"file://{other}/.git", folder="/s").replace("name: pkg", "name: ours")
    write_texts(upstream, {"p/sub/Kptfile": remote, "p/sub/extra.yaml": CONFIG.format(name="extra", v=1)})
    commit(upstream, "v2")
    env = {**os.environ, "PYTHONPATH": str(project / "shared"), "KPT_CACHE_DIR": str(tmp_path / "cache")}
    for side, program in (("theirs", [kpt]), ("ours", [sys.executable, "-m", "krmkit.cli"])):
        local = tmp_path / side
        local.mkdir()
        words = ["pkg", "get", f"file://{upstream}/.git/p@{'v2' if command == 'get' else 'v1'}", "p"]
        calls = (
            [[*program, *words]] if command == "get" else [[kpt, *words], [*program, "pkg", "update", "p@v2"]]
        )
        run(local, "git", "init", "-q", "-b", "main")
        for call in calls:
            subprocess.run(call, cwd=local, env=env, check=True, capture_output=True)
            commit(local, f"c{calls.index(call)}")

    theirs, ours = (
        {
            path.relative_to(root).as_posix(): yaml.safe_load(path.read_text("utf-8"))
            for path in root.rglob("p/**/*")
            if path.is_file()
        }
        for root in (tmp_path / "theirs", tmp_path / "ours")
    )
    for kptfiles in (theirs, ours):
        for part in ("upstream", "upstreamLock"):  # of the package itself, an address has two forms
            kptfiles["p/Kptfile"][part]["git"].pop("repo")
    assert ours == theirs
    assert ours["p/sub/deep/t.yaml"]["metadata"]["annotations"] and "p/sub/extra.yaml" in ours
    assert (ours["p/sub/Kptfile"]["metadata"]["name"], ours["p/sub/Kptfile"]["info"]) == (
        "ours",
        {"description": "theirs"},
    )
