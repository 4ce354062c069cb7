"""Imports and exports keep the edits of both sides, and name what both changed."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.cli import main
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.conversion.packexport import exported
from krmkit.render.conversion.packfolder import imported
from krmkit.render.package import read

PRESETS = """\
presets:
- name: ha
  group: Size
  remove: []
  add: |
    charts:
      web: {replicas: %s}
"""
VALUES = """\
# head
charts:
  web:
    replicas: 1
    image: web:%s   # the image
    port: 80
"""


def pack(root: Path, version: str, values: str = VALUES, **metadata: object) -> Path:
    """A pack with a chart and a README."""
    data = {"name": "app", "version": version, "displayName": "App", "layer": "addon", **metadata}
    files = {
        "pack.json": json.dumps(data, indent=1) + "\n",
        "values.yaml": values.replace("%s", version),
        "presets.yaml": PRESETS % (5 if version == "1.0.0" else 7),
        "README.md": "Read me.\n",
        "charts/a.tgz": version,
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def edit(path: Path, old: str, new: str) -> None:
    """Put a text in the place of another one, which must be there."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def values_of(package: Path, name: str = "app") -> str:
    """The values that an item of the package carries."""
    return str(Resource((package / f"{name}.yaml").read_text("utf-8")).get("data", "values.yaml"))


def test_edits_on_both_sides_stay(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The packs of the tutorial: an edit in the package before an import, and one in the folder before an export."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(project / "docs/tutorial/packs", "packs")
    bring = ["pack", "import", "packs/door-vision", "packs/edge-kube", "-o", "profile"]
    assert main(bring) == 0
    edit(tmp_path / "profile/door-vision.yaml", "replicas: 2", "replicas: 9   # our plant")
    edit(tmp_path / "packs/door-vision/README.md", "\n", "\nmore\n")
    assert main(bring) == 0
    assert "replicas: 9   # our plant" in (tmp_path / "profile/door-vision.yaml").read_text("utf-8")
    assert "more" in (tmp_path / "profile/door-vision/README.md").read_text("utf-8")

    with (tmp_path / "packs/edge-kube/values.yaml").open("a", encoding="utf-8") as stream:
        stream.write("mine: 1\n")
    assert main(["pack", "export", "profile", "-o", "packs"]) == 0
    assert "mine: 1\n" in (tmp_path / "packs/edge-kube/values.yaml").read_text("utf-8")
    assert "replicas: 9   # our plant" in (tmp_path / "packs/door-vision/values.yaml").read_text("utf-8")


@pytest.mark.parametrize("out", ["p", "p/packs"])
def test_an_export_into_its_package(tmp_path: Path, out: str) -> None:
    """The record of the import stays what it was: with another, the next import would take the edits for its base."""
    imported([str(pack(tmp_path / "app", "1.0.0"))], str(tmp_path / "p"))
    shutil.rmtree(tmp_path / "p/app")  # a pack in its folder may be written where it is
    edit(tmp_path / "p/app.yaml", "port: 80", "port: 81")

    with pytest.raises(
        Refused, match=r"app.yaml: would become the folder .*/app in the package itself; -o must be"
    ):
        exported(read(str(tmp_path / "p")), str(tmp_path / out))

    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == [
        ".krmignore",
        ".krmkit-packs",
        "Kptfile",
        "app.yaml",
    ]
    edit(tmp_path / "app/values.yaml", "web:1.0.0", "web:new")
    (tmp_path / "p/app").mkdir()
    imported([str(tmp_path / "app")], str(tmp_path / "p"))
    assert "port: 81" in values_of(tmp_path / "p")
    assert "web:new" in values_of(tmp_path / "p")


def test_an_export_from_within_its_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pack of texts only has no folder in the package; the working folder is not taken for it."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app/pack.json").write_text('{"name": "app", "version": "1.0.0"}', "utf-8")
    imported([str(tmp_path / "app")], str(tmp_path / "p"))
    (tmp_path / "out/app").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "out/app")

    exported(read(str(tmp_path / "p")), "..")

    assert (tmp_path / "out/.krmkit-packs/app").is_file()


def test_an_export_repeated(tmp_path: Path) -> None:
    """The base of the next export is the last one, so that a value may change twice."""
    imported([str(pack(tmp_path / "app", "1.0.0"))], str(tmp_path / "p"))
    for number in ("81", "82", "83"):
        edit(tmp_path / "p/app.yaml", "port: 8" + str(int(number[1]) - 1), f"port: {number}")
        exported(read(str(tmp_path / "p")), str(tmp_path / "out"))
        assert f"port: {number}" in (tmp_path / "out/app/values.yaml").read_text("utf-8")
    edit(tmp_path / "out/app/values.yaml", "web:1.0.0", "web:mine")
    edit(tmp_path / "out/app/README.md", "Read", "Do read")
    exported(read(str(tmp_path / "p")), str(tmp_path / "out"))
    assert "web:mine   # the image" in (tmp_path / "out/app/values.yaml").read_text("utf-8")
    assert (tmp_path / "out/app/README.md").read_text("utf-8") == "Do read me.\n"


def test_what_both_changed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By file and line; nothing is written, unless a flag decides."""
    folder, package = pack(tmp_path / "app", "1.0.0"), tmp_path / "p"
    bring = ["pack", "import", str(folder), "-o", str(package)]
    assert main(bring) == 0
    edit(package / "app.yaml", "port: 80", "port: 81 # ours")
    (package / "app/charts/a.tgz").write_text("ours", "utf-8")
    edit(folder / "values.yaml", "port: 80", "port: 90")
    (folder / "charts/a.tgz").write_text("theirs", "utf-8")
    before = (package / "app.yaml").read_text("utf-8")
    line = before[: before.index("port: 81")].count("\n") + 1
    capsys.readouterr()

    assert main(bring) == 1
    said = capsys.readouterr().err
    assert "2 in conflict, and nothing was changed" in said
    assert f"app.yaml:{line}:9: changed upstream to 90 and locally to 81" in said
    assert "app/charts/a.tgz: changed upstream and locally" in said
    assert (package / "app.yaml").read_text("utf-8") == before

    assert main([*bring, "--on-conflict", "local"]) == 0
    assert "port: 81 # ours" in values_of(package)
    assert (package / "app/charts/a.tgz").read_text("utf-8") == "ours"
    edit(package / "app.yaml", "head", "our head")
    assert main([*bring, "--force"]) == 0
    assert values_of(package) == (folder / "values.yaml").read_text("utf-8")
    assert (package / "app/charts/a.tgz").read_text("utf-8") == "theirs"


@pytest.mark.parametrize("way", ["import", "export"])
def test_passwords_are_no_part_of_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    """A conflict about a key that the schema calls a password is named, and its values are not."""
    folder, package = pack(tmp_path / "app", "1.0.0", "key: hidden0\n"), tmp_path / "p"
    (folder / "schema.yaml").write_text("key:\n  schema: '{{ format \"${password}\" }}'\n", "utf-8")
    bring = ["pack", "import", str(folder), "-o", str(package)]
    assert main(bring) == 0
    edit(package / "app.yaml", "hidden0", "hidden1")
    edit(folder / "values.yaml", "hidden0", "hidden2")
    capsys.readouterr()

    assert main(bring if way == "import" else ["pack", "export", str(package), "-o", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "1 in conflict" in said.err
    assert "hidden" not in said.err + said.out


def test_another_version_takes_the_place(tmp_path: Path) -> None:
    """Edits, presets and copies of the old version are carried over, and its files go."""
    package = tmp_path / "p"
    imported([str(pack(tmp_path / "app-1.0.0", "1.0.0"))], str(package))
    old = package / "app-1.0.0.yaml"
    edit(old, "    # head\n", "    # spectrocloud.com/enabled-presets: Size:ha\n    # head\n")
    edit(old, "replicas: 1\n", "replicas: 5\n")
    edit(old, "port: 80", "port: 81 # ours")
    (package / "app-1.0.0/README.md").write_text("Our words.\n", "utf-8")
    edit(package / ".krmignore", "/app-1.0.0/", "*.bak\n/app-1.0.0/")
    new = pack(tmp_path / "app-1.1.0", "1.1.0", VALUES + "    added: true\n")

    assert imported([str(new)], str(package)) == [str(package / "app-1.1.0.yaml")]

    found = {path.relative_to(package).as_posix() for path in package.rglob("*")}
    assert not {name for name in found if "1.0.0" in name}
    item = Resource((package / "app-1.1.0.yaml").read_text("utf-8"))
    assert item.name == "app-1.1.0"
    assert item.annotations["krmkit.dev/pack-folder"] == "app-1.1.0"
    assert values_of(package, "app-1.1.0") == (
        "# spectrocloud.com/enabled-presets: Size:ha\n# head\ncharts:\n  web:\n    replicas: 7\n"
        "    image: web:1.1.0   # the image\n    port: 81 # ours\n    added: true\n"
    )
    assert (package / "app-1.1.0/README.md").read_text("utf-8") == "Our words.\n"
    assert (package / "app-1.1.0/charts/a.tgz").read_text("utf-8") == "1.1.0"
    assert (package / ".krmignore").read_text("utf-8") == "*.bak\n/app-1.1.0/\n"


def test_both_versions_by_choice(tmp_path: Path) -> None:
    """--keep-old; and a twin with a name of its own is no other version."""
    package = tmp_path / "p"
    imported([str(pack(tmp_path / "app-1.0.0", "1.0.0"))], str(package))
    named = "pack:\n  spectrocloud.com/display-name: second\n" + VALUES
    imported([str(pack(tmp_path / "second", "1.1.0", named))], str(package))
    imported([str(pack(tmp_path / "app-1.1.0", "1.1.0"))], str(package), keep_old=True)
    assert sorted(path.name for path in package.glob("*.yaml")) == [
        "app-1.0.0.yaml",
        "app-1.1.0.yaml",
        "second.yaml",
    ]
    with pytest.raises(Refused, match=r"holds app more than once .*--keep-old"):
        imported([str(pack(tmp_path / "app-1.2.0", "1.2.0"))], str(package))


def test_an_item_in_another_file(tmp_path: Path) -> None:
    """People may put packs into a file of their own, beside other resources."""
    package = tmp_path / "p"
    folder = pack(tmp_path / "app", "1.0.0")
    imported([str(folder)], str(package))
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n"
    (package / "all.yaml").write_text(
        f"{other}---\n# our pack\n{(package / 'app.yaml').read_text('utf-8')}", "utf-8"
    )
    (package / "app.yaml").unlink()
    edit(folder / "values.yaml", "port: 80", "port: 90")

    imported([str(folder)], str(package))

    text = (package / "all.yaml").read_text("utf-8")
    assert text.startswith(f"{other}---\n# our pack\n")
    assert "port: 90" in text
    assert not (package / "app.yaml").exists()


@pytest.mark.parametrize("record", ["{", '{"texts": {"a": 1}, "files": {}}', "[]", None])
def test_without_a_record(tmp_path: Path, record: str | None) -> None:
    """A package of an earlier krmkit, or a record that is broken: an edit is never lost in silence."""
    package, folder = tmp_path / "p", pack(tmp_path / "app", "1.0.0")
    imported([str(folder)], str(package))
    edit(package / "app.yaml", "port: 80", "port: 81")
    place = package / ".krmkit-packs/app"
    place.unlink() if record is None else place.write_text(record, "utf-8")

    with pytest.raises(Refused, match="--force"):
        imported([str(folder)], str(package))
    assert "port: 81" in values_of(package)


KEYS = [f"key{number}" for number in range(12)]
KINDS = ("change", "comment", "remove", "add")


def edited(text: str, key: str, kind: str, who: str) -> str:
    """An edit of one kind at a key."""
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(f"  {key}:"))
    lines[at : at + 1] = {
        "change": [f"  {key}: {who}"],
        "comment": [f"  # {who} on {key}", lines[at]],
        "remove": [],
        "add": [lines[at], f"  {key}-{who}: new"],
    }[kind]
    return "\n".join(lines)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(KEYS), st.sampled_from(KINDS), st.booleans()),
        min_size=10,
        max_size=12,
        unique_by=lambda edit: edit[0],
    )
)
def test_no_edit_is_lost(edits: list[tuple[str, str, bool]]) -> None:
    """Ten edits at keys of their own, each by one side: the outcome is that of all edits in one text."""
    base = "charts:\n" + "".join(f"  {key}: base\n" for key in KEYS)
    ours, theirs, both = base, base, base
    for key, kind, mine in edits:
        both = edited(both, key, kind, "ours" if mine else "theirs")
        if mine:
            ours = edited(ours, key, kind, "ours")
        else:
            theirs = edited(theirs, key, kind, "theirs")
    with tempfile.TemporaryDirectory() as place:
        folder, package = pack(Path(place) / "app", "1.0.0", base), Path(place) / "p"
        imported([str(folder)], str(package))
        item = package / "app.yaml"
        indented = {text: "".join(f"    {line}\n" for line in text.splitlines()) for text in (base, ours)}
        edit(item, indented[base], indented[ours])
        (folder / "values.yaml").write_text(theirs, "utf-8")
        imported([str(folder)], str(package))
        found = values_of(package)
    assert Resource(found).get() == Resource(both).get()
    assert {line for line in found.split("\n") if "#" in line} == {
        line for line in both.split("\n") if "#" in line
    }


@pytest.mark.parametrize("file", ["app.yaml", "mine.yaml"])
def test_an_import_onto_an_open_conflict(tmp_path: Path, file: str) -> None:
    """The conflict is named, and the pack is not brought in a second time beside the file that holds it."""
    source, package = pack(tmp_path / "app", "1.0.0"), tmp_path / "p"
    imported([str(source)], str(package))
    (package / "app.yaml").rename(package / file)
    edit(package / file, "port: 80", "port: 81")
    edit(source / "values.yaml", "port: 80", "port: 82")
    imported([str(source)], str(package), policy="markers")

    with pytest.raises(Refused, match=rf"{file}: line \d+: a conflict is not resolved; keep one side"):
        imported([str(source)], str(package))

    assert [path.name for path in package.glob("*.yaml")] == [file]


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("policy", ["stop", "upstream", "local", "markers"])
def test_an_export_onto_a_file_that_is_no_text(tmp_path: Path, policy: str, edited: bool) -> None:
    """It is named and stays under each policy; --force overwrites it."""
    imported([str(pack(tmp_path / "app", "1.0.0"))], str(tmp_path / "p"))
    exported(read(str(tmp_path / "p")), str(tmp_path / "out"))
    target = tmp_path / "out/app/values.yaml"
    target.write_bytes(b"a: \xff\n")
    if edited:
        edit(tmp_path / "p/app.yaml", "port: 80", "port: 81")

    with pytest.raises(Refused, match=r"values.yaml: byte 0xff at 3 is not UTF-8; --force overwrites it"):
        exported(read(str(tmp_path / "p")), str(tmp_path / "out"), policy=policy)

    assert target.read_bytes() == b"a: \xff\n"
    exported(read(str(tmp_path / "p")), str(tmp_path / "out"), policy="force")
    assert b"port: 8" in target.read_bytes()


def test_an_export_onto_open_conflicts_is_refused(tmp_path: Path) -> None:
    """The markers of an earlier export are no edits."""
    folder = pack(tmp_path / "app", "1.0.0")
    imported([str(folder)], str(tmp_path / "pkg"))
    edit(folder / "values.yaml", "replicas: 1", "replicas: 2")
    edit(tmp_path / "pkg/app.yaml", "replicas: 1", "replicas: 3")
    exported(read(str(tmp_path / "pkg")), str(tmp_path), policy="markers")
    assert "<<<<<<<" in (folder / "values.yaml").read_text("utf-8")
    with pytest.raises(Refused, match=r"values\.yaml: line \d+: "):
        exported(read(str(tmp_path / "pkg")), str(tmp_path))
    exported(read(str(tmp_path / "pkg")), str(tmp_path), policy="force")
    assert "replicas: 3" in (folder / "values.yaml").read_text("utf-8")
