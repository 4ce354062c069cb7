"""`krmkit pkg update` beside the installed kpt on 60 pairs of versions of packages in public shapes, edited at random.

A file with other data than kpt's must be one of the judged kinds of `kind_of`. The table of all differences is printed.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import yaml

from krmkit.fleet.follow import local_files, updated
from krmkit.kpt.merge.packages import MergedPackage
from krmkit.kpt.merge.unedited import comments_in
from krmkit.krm.annotations import IDENTIFIER
from krmkit.krm.errors import Refused
from tests.e2e.gitfleet import git
from tests.e2e.personedits import EDITS, upstream
from tools.mergehistories import Edits, lost, resources

pytestmark = [pytest.mark.kpt, pytest.mark.slow]

PAIRS = int(os.environ.get("KRMKIT_PAIRS", "60"))
SEED = int(os.environ.get("KRMKIT_SEED", "1"))
SUFFIXES = (".yaml", "Kptfile")
Files = dict[str, bytes]


def everyday(project: Path, chance: random.Random) -> tuple[Files, Files]:
    """One of the packages of examples/everyday, and its next version."""
    folder = chance.choice(sorted((project / "examples/everyday").iterdir()))
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".expected" not in path.parts
    }
    new = {
        path: text.replace(IDENTIFIER.encode(), b"x")
        for path, text in Edits(chance.randrange(10**6)).edited(files).items()
    }
    return files, new


def shop(chance: random.Random) -> tuple[Files, Files]:
    """A package with a subpackage, texts, CRLF and an unknown kind; people of upstream edit it, too."""
    versions = []
    for version in (1, 2):
        texts = upstream("no pipeline", version)
        texts = {path: text for path, text in texts.items() if not path.startswith("net/")}
        versions.append(texts)
    for _ in range(chance.randrange(3)):
        _edit(versions[1], chance)
    old, new = ({path: text.encode() for path, text in texts.items()} for texts in versions)
    return old, new


def _edit(texts: dict[str, str], chance: random.Random) -> str:
    name = chance.choice(sorted(EDITS))
    before = dict(texts)
    try:
        EDITS[name](texts)
    except (AssertionError, KeyError, IndexError, StopIteration):
        texts.clear()
        texts.update(before)
        return ""
    return name


def put(folder: Path, files: Files) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def release(repository: Path, files: Files, tag: str) -> None:
    put(repository / "p", files)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--allow-empty", "-m", tag)
    git(repository, "tag", tag)


def by_both(
    kpt: str, root: Path, old: Files, new: Files, chance: random.Random
) -> tuple[Files, Files, MergedPackage, list[str]]:
    """(local, kpt's result, krmkit's result, names of edits) for one pair; local is what `kpt pkg get` made, edited."""
    above, here = root / "up", root / "down"
    for folder in (above / "p", here):
        folder.mkdir(parents=True)
    for folder in (above, here):
        git(folder, "init", "-q", "-b", "main")
    release(above, old, "v1")
    release(above, new, "v2")
    env = {**os.environ, "KPT_CACHE_DIR": str(root / "cache")}

    def run(*words: str) -> None:
        done = subprocess.run([kpt, *words], cwd=here, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(done.stderr)

    run("pkg", "get", f"file://{above}/.git/p@v1", "p")
    fetched = {path: file.content for path, file in local_files(str(here / "p")).items()}
    names = []
    if "web.yaml" in old:
        texts = {path: content.decode() for path, content in fetched.items()}
        names = [_edit(texts, chance) for _ in range(chance.randrange(1, 4))]
        local = {path: text.encode() for path, text in texts.items()}
    else:
        local = Edits(chance.randrange(10**6)).edited(fetched)
        local["Kptfile"] = fetched["Kptfile"]
    put(here / "p", local)
    git(here, "add", "-A")
    git(here, "commit", "-qm", "edited", "--allow-empty")
    merged, _ = updated(local_files(str(here / "p")), "v2", None)
    run("pkg", "update", "p@v2")
    expected = {path: file.content for path, file in local_files(str(here / "p")).items()}
    return local, expected, merged, names


def meaning(path: str, content: bytes | None) -> object:
    """The resources of a file, or a Kptfile's data; None for other files."""
    if content is not None and path.endswith("Kptfile"):
        return yaml.safe_load(content)
    return resources({path: content}) if content is not None and path.endswith(SUFFIXES) else None


def kind_of(path: str, versions: list[Files], merged: MergedPackage, expected: Files) -> str:
    """The judged kind of a file that is not as kpt's; "" for none."""
    old, new, here = (files.get(path) for files in versions)
    ours, theirs = merged.files.get(path), expected.get(path)
    if any(one.file == path for one in merged.conflicts):
        return "both changed a value: krmkit names it, kpt decides in silence"
    if ours is None or theirs is None:
        if here is None and theirs is not None:
            return "deleted here: stays deleted, kpt brings it back"
        return "a file that one side removed" if ours in (new, here) else ""
    if not path.endswith(SUFFIXES) or not meaning(path, ours):
        wanted = [
            line
            for side in (new, here)
            if side is not None
            for line in (Counter(side.split(b"\n")) - Counter((old or b"").split(b"\n")))
        ]
        return (
            "a text that both changed: merged by lines, kpt takes one"
            if not set(wanted) - {*ours.split(b"\n")}
            else ""
        )
    return "one side changed a value: krmkit has that side's, kpt has not"


def test_pairs(kpt: str, tmp_path: Path, project: Path) -> None:
    table, bad = Counter[str](), list[str]()
    for number in range(PAIRS):
        chance = random.Random(f"{SEED}-{number}")
        old, new = everyday(project, chance) if number % 2 else shop(chance)
        try:
            local, expected, merged, names = by_both(kpt, tmp_path / str(number), old, new, chance)
        except Refused as error:
            table[f"refused: {str(error).strip().splitlines()[-1][-80:]}"] += 1
            continue
        versions = [old, new, local]
        where = f"pair {SEED}-{number} {names}"
        bad += [f"{where}: lost {one}" for one in lost(old, new, local, merged)]
        for path in sorted({*merged.files, *expected}):
            ours, theirs = merged.files.get(path), expected.get(path)
            pair = [meaning(path, text) for text in (ours, theirs)]
            same = pair[0] == pair[1] if pair[0] else ours == theirs
            table["files"] += 1
            if not same:
                kind = kind_of(path, versions, merged, expected)
                table[kind] += 1
                bad += [] if kind else [f"{where}: {path} is not as kpt's"]
            wrote = _comments(local.get(path)) - _comments(old.get(path))
            gone = wrote - sum((_comments(text) for text in merged.files.values()), Counter[str]())
            bad += [
                f"{where}: {path} lost the comment {one}"
                for one in gone
                if not any(one[:70] in said.message for said in merged.conflicts)
            ]
    print("\n".join(f"{count:5} {kind}" for kind, count in table.most_common()))
    assert bad == []
    assert table["files"] > PAIRS


def _comments(content: bytes | None) -> Counter[str]:
    text = (content or b"").decode("utf-8", "replace")
    return Counter(one for one in comments_in(text) if "kpt-merge:" not in one) if "#" in text else Counter()
