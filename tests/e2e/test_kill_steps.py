"""Commands that write are killed at each step of their writing, one after the other: nothing is lost, and the next run makes up for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.storage.disk.folders import MARK, WORK
from tests.e2e.gitfleet import APP, GitFleet, git
from tests.e2e.killsteps import every_step
from tests.e2e.orchestrate import Files, files_of, put
from tests.e2e.test_disk_full import REPOSITORY, SET, packs
from tests.e2e.test_kill import KPTFILE, PACK
from tests.unit.cli.test_landscaper import component_archive

pytest.importorskip("fcntl", reason="this system has neither fork nor locks")
pytestmark = pytest.mark.slow

Words = list[str]
Case = Callable[
    [Path, Path], tuple[Words, Path]
]  # the test's folder and the project -> the command, and the folder that it writes to


def render(place: Path, project: Path) -> tuple[Words, Path]:
    files = {f"sub{n}/app-{n}.yaml": PACK.format(number=n, rest=f"    key: {n}") for n in range(4)}
    root = put(place / "p", {"Kptfile": KPTFILE, **files})
    return ["render", str(root)], root


def moving(place: Path, project: Path) -> tuple[Words, Path]:
    """A function takes a resource out, so that a file and its folder go."""
    gone = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {0}\n  annotations:\n    config.kubernetes.io/local-config: 'true'\n"
    kptfile = KPTFILE.replace("apply-presets", "remove-local-config-resources").replace(
        "  name: p\n", "  name: p\n  annotations:\n    config.kubernetes.io/local-config: 'false'\n"
    )
    root = put(
        place / "p",
        {
            "Kptfile": kptfile,
            "a/gone.yaml": gone.format("a"),
            "b.yaml": gone.format("b"),
            "c/notes": "mine\n",
        },
    )
    return ["render", str(root)], root


def variants(place: Path, project: Path) -> tuple[Words, Path]:
    put(
        place / "bp/bp/shop",
        {"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n", "m.txt": "new\n"},
    )
    put(place / "objects", {f"r{n}.yaml": REPOSITORY.replace("NAME", f"r{n}") for n in range(3)})
    (place / "set.yaml").write_text(SET, encoding="utf-8")
    out = place / "out"
    words = ["variants", "render", str(place / "set.yaml"), "--packages", str(place / "bp"), "--jobs", "1"]
    words += ["--objects", str(place / "objects"), "--out", str(out), "--prune"]
    assert main(words) == 0
    put(
        place / "bp/bp/shop",
        {"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n", "n.txt": "newer\n"},
    )
    (place / "objects/r0.yaml").unlink()
    (place / "objects/r4.yaml").write_text(REPOSITORY.replace("NAME", "r4"), encoding="utf-8")
    return words, out


def update(place: Path, project: Path) -> tuple[Words, Path]:
    fleet = GitFleet(place, project)
    (fleet.upstream / "web/gone.txt").write_text("gone\n", encoding="utf-8")
    (fleet.upstream / "web/sub").mkdir()
    fleet.release("v2", {"sub/x.txt": "x\n"})
    assert main(["pkg", "get", f"{fleet.upstream}/web@v2", str(place / "down")]) == 0
    git(fleet.upstream, "rm", "-q", "web/gone.txt", "web/sub/x.txt")
    fleet.release("v3", {"app.yaml": APP.replace('"1"', '"3"'), "new.txt": "new\n"})
    return ["pkg", "update", f"{place}/down@v3"], place / "down"


def get(place: Path, project: Path) -> tuple[Words, Path]:
    fleet = GitFleet(place, project)
    put(place / "all", {"mine": "mine\n"})
    return ["pkg", "get", f"{fleet.upstream}/web@v1", str(place / "all/new")], place / "all"


def bring(place: Path, project: Path) -> tuple[Words, Path]:
    root = put(place / "p", {"other.yaml": "a: 1\n"})
    folders = packs(place / "packs")
    assert main(["pack", "import", folders[0], "--out", str(root)]) == 0
    Path(folders[0], "values.yaml").write_text("a: new\n", encoding="utf-8")
    return ["pack", "import", *folders, "--out", str(root)], root


def export(place: Path, project: Path) -> tuple[Words, Path]:
    folders = packs(place / "packs")
    assert main(["pack", "import", *folders, "--out", str(place / "p")]) == 0
    out = put(place / "out", {"app0/values.yaml": "a: old\n", "app0/mine": "mine\n"})
    return ["pack", "export", str(place / "p"), "--out", str(out)], out


def components(place: Path, project: Path) -> tuple[Words, Path]:
    (place / "shop").mkdir()
    component_archive(place / "shop")
    root = put(place / "p", {"other.yaml": "a: 1\n"})
    return ["landscaper", "import", str(place / "shop"), "--out", str(root)], root


CASES: list[Case] = [render, moving, variants, update, get, bring, export, components]


def leftovers(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.name == WORK or path.name.endswith(MARK)]


@pytest.mark.parametrize("case", CASES)
def test_killed_at_each_step(
    tmp_path: Path, project: Path, case: Case, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every file is old or new, nothing is in no place at all, and after the next run all is new and nothing is left behind."""
    words, root = case(tmp_path, project)
    before = files_of(root)
    assert main(words) == 0
    after = files_of(root)
    assert after != before
    states: dict[str, int] = {}

    for step in every_step(words, lambda: reset(root, before)):
        everything = files_of(root)
        found = {path: content for path, content in everything.items() if not ours(path)}
        for path in before.keys() | found.keys():
            assert found.get(path) in {before.get(path), after.get(path)}, (step, path)
        kept = set(everything.values())
        assert set(before.values()) <= kept or set(after.values()) <= kept, step
        state = "old" if found == before else "new" if found == after else "between"
        states[state] = states.get(state, 0) + 1

        if case is get and state == "new":
            continue  # the next one would get a package below this one
        code = main(words)
        said = capfd.readouterr()
        assert code == 0, (step, said)
        assert files_of(root) == after, step
        assert not leftovers(root), (step, leftovers(root))

    with capfd.disabled():
        print(
            f"\n{' '.join(words[:2])}: killed at {sum(states.values())} steps; the files were then {states}"
        )


def ours(path: str) -> bool:
    return any(part == WORK or part.endswith(MARK) for part in path.split("/"))


def reset(root: Path, before: Files) -> None:
    shutil.rmtree(root, ignore_errors=True)
    put(root, before)


def test_a_sync_killed_at_each_step(tmp_path: Path, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every ref is old or new, the objects are sound, and the next sync brings all of them to the new ones, without a journal or locks."""
    fleet = GitFleet(tmp_path, project, names=("north", "south"))
    fleet.sync("--approve", "auto")
    fleet.release("v2", {"app.yaml": APP.replace('"1"', '"2"')})
    fleet.want(revision=2)
    words = fleet.command("sync", "--approve", "auto")[3:]
    shutil.copytree(fleet.shops, tmp_path / "before")
    before = fleet.refs()
    fleet.sync("--approve", "auto")
    after = trees(fleet)
    names = set(fleet.refs())

    def prepare() -> None:
        shutil.rmtree(fleet.shops)
        shutil.copytree(tmp_path / "before", fleet.shops)

    count = 0
    for step in every_step(words, prepare):
        count += 1
        now = fleet.refs()
        assert set(now) <= names | set(before), step
        assert set(before) - set(now) <= set(before) - names, step
        git(fleet.shops, "fsck", "--strict")

        assert main(words) == 0, (step, capfd.readouterr())

        assert trees(fleet) == after, step
        assert not [
            path
            for path in fleet.shops.rglob("*")
            if path.name == "krmkit-sync.json" or path.suffix == ".lock" and path.name != "krmkit-sync.lock"
        ]
        capfd.readouterr()
    with capfd.disabled():
        print(f"\nvariants sync: killed at {count} steps")


def trees(fleet: GitFleet) -> dict[str, str]:
    """What each branch and tag holds; commits differ by their time."""
    return {
        ref: git(fleet.shops, "rev-parse", f"{ref}^{{tree}}")
        for ref in fleet.refs()
        if not ref.startswith("refs/krmkit/")
    }
