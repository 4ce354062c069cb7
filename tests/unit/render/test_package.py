"""Packages on disk: what belongs to one, in which order, and what is wrong with one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.limits import Limits
from krmkit.render.package import Package, read
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.journal import Journal, JournalStep
from krmkit.storage.disk.primitives import digest

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"


def resource(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"


def write(root: Path, files: dict[str, str]) -> str:
    for path, text in {"Kptfile": KPTFILE, **files}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return str(root)


def paths(package: Package) -> list[str]:
    """Every file of every package, in the order in which a root function gets its items."""
    return [each.place(file.path) for each in package.walk() for file in each.files]


def test_order_of_a_walk(tmp_path: Path) -> None:
    """Names in order, folder by folder; hidden ones too; only YAML, JSON and Kptfiles; letters as they are."""
    names = [
        "a/b.yaml",
        "a-b.yaml",
        "a.d/x.yml",
        "A.yaml",
        ".dot.yaml",
        ".hidden/h.yaml",
        ".git/g.yaml",
        "z.json",
    ]
    files = {name: resource("x") for name in names}
    package = read(
        write(
            tmp_path,
            {
                **files,
                "z.json": '{"apiVersion": "v1", "kind": "X", "metadata": {"name": "j"}}',
                "b.YAML": "x",
                "README.md": "x",
            },
        )
    )

    assert paths(package) == [
        ".dot.yaml", ".git/g.yaml", ".hidden/h.yaml", "A.yaml", "Kptfile", "a-b.yaml", "a.d/x.yml", "a/b.yaml", "z.json",
    ]  # fmt: skip


def test_subpackages_come_first(tmp_path: Path) -> None:
    """Depth first, by their paths; no .krmignore leaves them out; in .git there are none."""
    files = {
        "z.yaml": resource("z"),
        "b/Kptfile": KPTFILE,
        "b/inner/Kptfile": KPTFILE,
        "a/x/Kptfile": KPTFILE,
        "a/y.yaml": resource("y"),
        "a-1/Kptfile": KPTFILE,
        "out/Kptfile": KPTFILE,
        ".git/p/Kptfile": KPTFILE,
        ".krmignore": "out\n",
    }
    package = read(write(tmp_path, files))

    assert [each.folder for each in package.walk()] == ["a-1", "a/x", "b/inner", "b", "out", ""]
    assert paths(package)[-3:] == ["Kptfile", "a/y.yaml", "z.yaml"]


def test_each_package_has_its_own_rules(tmp_path: Path) -> None:
    """A .krmignore does not reach into subpackages, and one in a plain folder counts nothing."""
    files = {
        ".krmignore": "a.yaml\n",
        "a.yaml": "no resource",
        "dir/.krmignore": "b.yaml\n",
        "dir/b.yaml": resource("b"),
        "sub/Kptfile": KPTFILE,
        "sub/a.yaml": resource("a"),
        "sub/.krmignore": "c.yaml\n",
        "sub/c.yaml": "no resource",
    }

    assert paths(read(write(tmp_path, files))) == ["sub/Kptfile", "sub/a.yaml", "Kptfile", "dir/b.yaml"]


def test_links(tmp_path: Path) -> None:
    """A link to a file is read, a link to a folder or to a package is not followed."""
    root = tmp_path / "p"
    write(root, {"real/r.yaml": resource("r"), "other/Kptfile": KPTFILE, "text.txt": resource("t")})
    (root / "link.yaml").symlink_to("text.txt")
    (root / "folder").symlink_to("real")
    (root / "package").symlink_to("other")

    assert paths(read(str(root))) == ["other/Kptfile", "Kptfile", "link.yaml", "real/r.yaml"]


def test_locations(tmp_path: Path) -> None:
    """Paths are relative to each resource's own package, and the package is named by its real folder."""
    real = tmp_path / "real"
    write(real, {"sub/Kptfile": KPTFILE, "sub/a.yaml": resource("a")})
    (tmp_path / "link").symlink_to("real")
    item = read(str(tmp_path / "link")).children[0].items[1]

    assert (item.path, item.package_path) == ("a.yaml", str(real / "sub"))


def test_annotations_of_an_earlier_run_are_dropped(tmp_path: Path) -> None:
    """kpt takes its own annotations out of files in which they were left, and nothing else."""
    text = resource("a") + "  annotations:\n    config.kubernetes.io/path: x.yaml\n    keep: me\n"
    item = read(write(tmp_path, {"a.yaml": text})).items[1]

    assert item.text == resource("a") + "  annotations:\n    keep: me\n"
    assert item.path == "a.yaml"


WRONG = [
    ("no resource", {"a.yaml": "a: b\n"}, "a.yaml: has no apiVersion"),
    ("no name", {"x/a.yaml": "apiVersion: v1\nkind: X\n"}, "x/a.yaml: has no metadata.name"),
    (
        "in the second document",
        {"a.yaml": resource("a") + "---\nkind: X\n"},
        "a.yaml (document 2): has no apiVersion",
    ),
    ("a list", {"a.yaml": "- a\n"}, "a.yaml is a list"),
    ("no YAML", {"a.yaml": "a: [\n"}, "a.yaml: line 2"),
    (
        "a Kptfile that is none",
        {"sub/Kptfile": "a: b\n"},
        "sub/Kptfile: line 1, column 1: kind: must be a Kptfile (kpt.dev/v1), got no kind",
    ),
    ("text behind a separator", {"a.yaml": resource("a") + "--- x\n" + resource("b")}, "a.yaml: line 5"),
    (
        "no config",
        {"Kptfile": KPTFILE + "pipeline:\n  mutators:\n  - image: a\n    configPath: c.yaml\n"},
        'Kptfile: line 8, column 5: pipeline.mutators[0].configPath: the package has no "c.yaml"',
    ),
    (
        "a config that is left out",
        {
            "Kptfile": KPTFILE + "pipeline:\n  mutators:\n  - image: a\n    configPath: c.yaml\n",
            "c.yaml": resource("c"),
            ".krmignore": "c.yaml",
        },
        'the package has no "c.yaml"',
    ),
    (
        "two configs in a file",
        {
            "Kptfile": KPTFILE + "pipeline:\n  validators:\n  - image: a\n    configPath: c.yaml\n",
            "c.yaml": resource("c") + "---\n" + resource("d"),
        },
        '"c.yaml" must hold one resource, and holds 2',
    ),
]


@pytest.mark.parametrize(("files", "expected"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_says_what_is_wrong(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    """The message names the file and what it should be."""
    with pytest.raises(Refused) as caught:
        read(write(tmp_path, files))

    assert expected in str(caught.value)


def test_no_package(tmp_path: Path) -> None:
    """A folder without a Kptfile, a file, and nothing at all are told apart."""
    (tmp_path / "file").write_text("x")

    for path, expected in (
        ("", "holds no Kptfile, so it is not a package; `krmkit init` makes one"),
        ("file", "is not a folder"),
        ("none", "does not exist"),
    ):
        with pytest.raises(Refused, match=expected):
            read(str(tmp_path / path))


def test_not_utf8(tmp_path: Path) -> None:
    """A byte that is not UTF-8 is named with its line."""
    write(tmp_path, {})
    (tmp_path / "a.yaml").write_bytes(b"a: b\nc: \xff\n")

    with pytest.raises(Refused, match=r"a.yaml: line 2: byte 0xff is not UTF-8"):
        read(str(tmp_path))


def test_not_a_file(tmp_path: Path) -> None:
    """A pipe or a device would never end; a folder called like a file is walked through."""
    write(tmp_path, {"dir.yaml/a.yaml": resource("a")})
    assert paths(read(str(tmp_path))) == ["Kptfile", "dir.yaml/a.yaml"]

    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(Refused, match=r"pipe\.yaml: must be a regular file, or a link to one"):
        read(str(tmp_path))


def test_kustomizations_are_no_resources_and_stay(tmp_path: Path) -> None:
    """As for kpt, they need neither apiVersion nor name."""
    files = {
        "kustomization.yaml": "resources:\n- a.yaml\n",
        "x/k.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Component\n",
    }

    assert len(read(write(tmp_path, files)).items) == 3


LIMITS = [
    ("items", Limits(items=2), "number of resources"),
    ("total size", Limits(total_size=100), "size of the package"),
    ("item size", Limits(item_size=30), "item_size"),
]


@pytest.mark.parametrize(
    ("limits", "expected"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS]
)
def test_limits(tmp_path: Path, limits: Limits, expected: str) -> None:
    """A package that is too large ends in an error that names the limit."""
    files = {"a.yaml": resource("a") + "---\n" + resource("b") + "data:\n  a: {}\n"}

    with pytest.raises(Refused, match=expected):
        read(write(tmp_path, files), limits)


def test_files_that_are_too_large_are_not_read(tmp_path: Path) -> None:
    """The message names the limit, which a flag raises, for the Kptfile too."""
    write(tmp_path, {})

    with pytest.raises(
        Refused, match=r"Kptfile .* over the limit of 10 \(raise it with --limit total_size=N\)"
    ):
        read(str(tmp_path), Limits(total_size=10))


def test_leftovers(tmp_path: Path) -> None:
    """What killed runs had prepared is found wherever it lies, and is none of the package's files."""
    left = {".a.yaml.x.krmkit-new": "x", "d/.b.yaml.x.krmkit-new": "x", "s/.Kptfile.x.krmkit-new": "x"}
    folders = {".new.x.krmkit-new/new/Kptfile": KPTFILE, "d/.krmkit-work/new-1": "x"}
    write(tmp_path, {"s/Kptfile": KPTFILE, "no.krmkit-new": "x", **left, **folders})

    package = read(str(tmp_path))

    assert sorted(package.leftovers) == sorted([*left, ".new.x.krmkit-new", "d/.krmkit-work"])
    assert [each.folder for each in package.walk()] == ["s", ""]
    assert len(list(package.walk())[-1].files) == 1


def test_a_killed_run_is_completed_before_the_package_is_read(tmp_path: Path) -> None:
    """Wherever it was: in the package, in a folder of it, or above it."""
    write(tmp_path, {"s/Kptfile": KPTFILE, "s/d/a.yaml": resource("old")})
    for folder, path, opened in (
        ("", "s/d/a.yaml", "."),
        ("s/d", "a.yaml", "."),
        ("", "s/d/a.yaml", "s"),
    ):
        root = tmp_path / folder
        (tmp_path / "s/d/a.yaml").write_text(resource("old"))
        (root / WORK).mkdir()
        (root / WORK / "new-1").write_text(resource("new"))
        Journal(str(root), [JournalStep(path, f"{WORK}/new-1", "", digest(str(root / path)))]).save()

        package = read(str(tmp_path / opened))

        assert [note.partition(": ")[0] for note in package.notes] == [str(root)]
        assert [item.name for each in package.walk() for item in each.items if item.kind != "Kptfile"] == [
            "new"
        ]
        assert not (root / WORK).exists()


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """A resource file is refused by its name; other files of a package may have any."""
    write(tmp_path, {})
    (tmp_path / os.fsdecode(b"notes-\xff.txt")).write_text("")
    assert len(read(str(tmp_path)).files) == 1

    (tmp_path / os.fsdecode(b"a-\xff.yaml")).write_text(resource("a"))
    with pytest.raises(Refused, match=r"the file name a-\\xff\.yaml is not UTF-8; rename the file"):
        read(str(tmp_path))


def test_kptfile_of_two_documents(tmp_path: Path) -> None:
    """The first document is the Kptfile, as for kpt; the other is a resource like others."""
    text = "# head\n---\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
    (tmp_path / "Kptfile").write_text(text, "utf-8")

    package = read(str(tmp_path))

    assert [(item.kind, item.index) for item in package.items] == [("Kptfile", 0), ("ConfigMap", 1)]
