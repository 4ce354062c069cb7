"""Merges the real histories of packages with random local edits, and looks for what got lost in silence.

    python -m tools.mergehistories REPOSITORY... [--pairs N] [--seed N] [--kpt]

Each folder with resources is a package, each two commits that changed it one after the other are base and upstream. The local side is
the base with random edits: values set, keys added and removed, comments, resources renamed, deleted and copied. A value that one
side alone changed must be in the merge; one that both changed, too, or a conflict must name it. With --kpt the real
`kpt pkg update` merges the same three versions, and files whose data differ are counted by kind.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from krmkit.kpt.merge.packages import MergedPackage, PackageMergeError
from krmkit.kpt.merge.stamp import identifier, stamped_file
from krmkit.kpt.merge.unedited import SUFFIXES, source
from krmkit.kpt.source import FileResource, without
from krmkit.krm.annotations import BLUEPRINT, IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError
from krmkit.render.packagemerge import merge_packages

Files = dict[str, bytes]
Leaves = dict[tuple[str, ...], Any]
KPTFILE = b"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n"
_GONE = object()


def git(folder: str, *words: str) -> bytes:
    """The stdout of a git command. Raises CalledProcessError."""
    names = {
        f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | names, check=True, capture_output=True
    ).stdout


def packages(repository: str) -> list[str]:
    """The folders of a repository that directly hold files with resources."""
    listed = git(repository, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    return sorted({path.rpartition("/")[0] for path in listed if path.endswith(SUFFIXES)})


def histories(repository: str, pairs: int) -> Iterator[tuple[str, Files, Files]]:
    """(name, base, upstream) for each two commits that changed a package one after the other, the newest first."""
    for folder in packages(repository):
        commits = git(repository, "log", "--format=%H", "--", folder or ".").decode().split()
        for new, old in list(zip(commits, commits[1:], strict=False))[:pairs]:
            base, upstream = _files(repository, old, folder), _files(repository, new, folder)
            if len(base) > 1 and len(upstream) > 1 and base != upstream:
                yield f"{Path(repository).name}/{folder}@{new[:10]}", base, upstream


def _files(repository: str, commit: str, folder: str) -> Files:
    """The files directly in a folder, with a Kptfile."""
    place = f"{commit}:{folder}" if folder else commit
    try:
        listed = git(repository, "ls-tree", place).decode().splitlines()
    except subprocess.CalledProcessError:
        return {}
    found = {}
    for line in listed:
        about, _, name = line.partition("\t")
        if (
            about.split()[1] == "blob"
            and about[:6] != "120000"
            and name.endswith((*SUFFIXES, ".md", ".txt", ".sh"))
        ):
            found[name] = git(repository, "cat-file", "blob", about.split()[2])
    return {**found, "Kptfile": KPTFILE}


class Edits:
    """Random edits of a package, as people make them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def edited(self, base: Files) -> Files:
        """The package after fetching the base."""
        found = {}
        for path, content in base.items():
            try:
                text = content.decode("utf-8")
                found[path] = self._file(path, text).encode()
            except (UnicodeDecodeError, Refused, YamlError):
                found[path] = content
        return found

    def _file(self, path: str, text: str) -> str:
        if not path.endswith(SUFFIXES):
            return text + "ours\n" if path != "Kptfile" and self.random.random() < 0.2 else text
        text = stamped_file(path, text)
        file = source(path, text.encode())
        kept = [item for item in file.items if self.random.random() > 0.03]
        for item in kept:
            before = item.text
            try:
                self._resource(item)
                _ = item.text
            except YamlError:
                item.revert(before, changed=False)
        return file.joined(kept or file.items)

    def _resource(self, item: FileResource) -> None:
        leaves = [path for path in flattened(item.get()) if path[0] not in ("apiVersion", "kind", "metadata")]
        for path in self.random.sample(leaves, min(len(leaves), self.random.randint(0, 3))):
            value = item.get(*path)
            if self.random.random() < 0.2:
                item.remove(path)
            elif isinstance(value, str):
                item.set(path, value + ("ours\n" if "\n" in value else "-ours"))
            elif isinstance(value, bool | int):
                item.set(path, not value if isinstance(value, bool) else value + 7)
        if self.random.random() < 0.3:
            item.set(("metadata", "labels", "ours"), "yes")
        if item.name and self.random.random() < 0.1:
            item.set(("metadata", "name"), f"ours-{item.name}")


def flattened(data: Any, path: tuple[str, ...] = ()) -> Leaves:
    """The values of mappings by path; a list is one value."""
    if not isinstance(data, dict) or not data:
        return {path: data} if path else {}
    found: Leaves = {}
    for key, value in data.items():
        found.update(flattened(value, (*path, str(key))))
    return found


def resources(files: Files) -> dict[tuple[str, str], Leaves]:
    """The values of each resource, by its file and by its mark or name."""
    found = {}
    for path, content in files.items():
        if not path.endswith(SUFFIXES):
            continue
        try:
            for item in source(path, content).items:
                data = without(item.get(), (IDENTIFIER, BLUEPRINT))
                found[path, item.annotation(IDENTIFIER) or identifier(item)] = flattened(data)
        except (Refused, YamlError, UnicodeDecodeError):
            continue
    return found


def lost(base: Files, upstream: Files, local: Files, merged: MergedPackage) -> list[str]:
    """The values of either side that are not in the merge, and that no conflict names."""
    bare = {path: _unmarked(content) for path, content in upstream.items()}
    old, new, here, found = (resources(files) for files in (base, bare, local, merged.files))
    named = {(one.file, one.path) for one in merged.conflicts}
    problems = []
    for key in here.keys() & old.keys() & new.keys():
        for path in here[key].keys() | old[key].keys() | new[key].keys():
            before, theirs, ours = (side[key].get(path, _GONE) for side in (old, new, here))
            taken = found.get(key, {}).get(path, _GONE)
            if any(file == key[0] and _covers(where, path) for file, where in named) or _is_kept(
                before, theirs, ours, taken
            ):
                continue
            if not any(_inside(path, side[key]) for side in (old, new, here)):
                problems.append(f"{key[0]} {key[1]} {'.'.join(path)}")
    return problems


def _unmarked(content: bytes) -> bytes:
    return content.replace(IDENTIFIER.encode(), b"example.com/was-identifier")


def _covers(where: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return where[: len(path)] == path or path[: len(where)] == where


def _inside(path: tuple[str, ...], leaves: Leaves) -> bool:
    """Whether a version has a mapping, or a value, where another has this value inside, or around it."""
    return any(
        other != path and (other[: len(path)] == path or path[: len(other)] == other) for other in leaves
    )


def _is_kept(base: Any, upstream: Any, local: Any, merged: Any) -> bool:
    if _same(upstream, base) or _same(upstream, local):
        return _same(merged, local)
    if _same(local, base):
        return _same(merged, upstream)
    # Merged inside: everything that was added on either side is there.
    present = _parts(merged)
    return all(not (_parts(side) - _parts(base)) - present for side in (upstream, local))


def _same(one: Any, other: Any) -> bool:
    absent = (None, _GONE)
    return (one in absent and other in absent) if one in absent or other in absent else bool(one == other)


def _parts(value: Any) -> Counter[str]:
    if isinstance(value, str):
        return Counter(value.splitlines())
    if isinstance(value, list | dict):
        inner = value if isinstance(value, list) else value.values()
        return sum((_parts(one) for one in inner), Counter())
    return Counter() if value is _GONE else Counter([json.dumps(value)])


@dataclass
class Found:
    """The counts of all merges."""

    merges: int = 0
    conflicts: int = 0
    refused: int = 0
    losses: list[str] = field(default_factory=list)
    files: int = 0
    differences: Counter[str] = field(default_factory=Counter)


def main() -> int:
    """Merge all histories; returns 1 where something got lost in silence."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY", help="folders of git repositories")
    parser.add_argument(
        "--pairs", type=int, default=20, help="commits of each package that are merged (default: 20)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random edits (default: 1)")
    parser.add_argument("--kpt", action="store_true", help="let the real kpt merge the same, and compare")
    arguments = parser.parse_args()
    found = Found()
    for repository in arguments.repositories:
        for name, base, upstream in histories(repository, arguments.pairs):
            local = Edits(arguments.seed + found.merges).edited(base)
            found.merges += 1
            try:
                merged = merge_packages(base, upstream, local)
            except (PackageMergeError, Refused, YamlError) as error:
                found.refused += 1
                print(f"{name}: refused: {error}")
                continue
            found.conflicts += len(merged.conflicts)
            losses = [f"{name}: {one}" for one in lost(base, upstream, local, merged)]
            found.losses += losses
            print("".join(f"lost {one}\n" for one in losses), end="")
            if arguments.kpt:
                _compare(name, [base, upstream, local], merged, found)
    print(
        f"{found.merges} merges, {found.conflicts} conflicts, {found.refused} refused, {len(found.losses)} silent losses"
    )
    if arguments.kpt:
        print(
            f"{found.files} files beside kpt's; different: {dict(found.differences.most_common()) or 'none'}"
        )
    return 1 if found.losses else 0


def _compare(name: str, versions: list[Files], merged: MergedPackage, found: Found) -> None:
    with tempfile.TemporaryDirectory(prefix="krmkit-histories-") as folder:
        try:
            expected = by_kpt(folder, *versions)
        except subprocess.CalledProcessError as error:
            found.differences["kpt refused"] += 1
            print(f"{name}: kpt refused: {error.stderr.decode('utf-8', 'replace').strip().splitlines()[-1:]}")
            return
    for path in sorted({*expected, *merged.files} - {"Kptfile"}):
        found.files += 1
        ours, theirs = (
            resources({path: files[path]}) if path in files else {} for files in (merged.files, expected)
        )
        if path.endswith(SUFFIXES) and ours and ours == theirs:
            continue
        if merged.files.get(path) == expected.get(path):
            continue
        only_one = (path in merged.files) != (path in expected)
        kind = "a file that only one has" if only_one else _kind(path, versions, merged, ours, theirs)
        found.differences[kind] += 1
        print(f"{name}: {path} differs from kpt's: {kind}")


def _kind(path: str, versions: list[Files], merged: MergedPackage, ours: Any, theirs: Any) -> str:
    """The subject of a difference from kpt."""
    base, upstream, local = (files.get(path) for files in versions)
    if any(one.file == path for one in merged.conflicts):
        return "a conflict is reported"
    if path.endswith(SUFFIXES) and not (ours and theirs):
        return "no resources: merged inside, where kpt takes the file whole"
    if not path.endswith(SUFFIXES):
        return "text merged by lines"
    if local == base or upstream == base:
        return "one side alone changed it, and ours is that side's"
    return "merged inside, or one side left alone what kpt changes"


def by_kpt(folder: str, base: Files, upstream: Files, local: Files) -> Files:
    """The real kpt's merge of three versions. Raises CalledProcessError."""
    above, here = Path(folder, "up"), Path(folder, "down")
    for tag, files in (("v1", base), ("v2", upstream)):
        (above / "p").mkdir(parents=True, exist_ok=True)
        if tag == "v1":
            git(str(above), "init", "-q", "-b", "main")
        for path in (above / "p").iterdir():
            path.unlink()
        _write(above / "p", files)
        git(str(above), "add", "-A")
        git(str(above), "commit", "-qm", tag)
        git(str(above), "tag", tag)
    here.mkdir()
    git(str(here), "init", "-q", "-b", "main")
    env = os.environ | {"KPT_CACHE_DIR": str(Path(folder, "cache"))}
    fetched = ["kpt", "pkg", "get", f"file://{above}/.git/p@v1", "p"]
    subprocess.run(fetched, cwd=here, env=env, check=True, capture_output=True)
    kptfile = (here / "p/Kptfile").read_bytes()
    for path in (here / "p").iterdir():
        path.unlink()
    _write(here / "p", {**local, "Kptfile": kptfile})
    git(str(here), "add", "-A")
    git(str(here), "commit", "-qm", "edited")
    subprocess.run(["kpt", "pkg", "update", "p@v2"], cwd=here, env=env, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in (here / "p").iterdir() if path.is_file()}


def _write(folder: Path, files: Files) -> None:
    for path, content in files.items():
        (folder / path).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
