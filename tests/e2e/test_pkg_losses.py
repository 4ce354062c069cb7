"""`krmkit pkg` over real git: nothing that people or upstream wrote is lost without a conflict that names it."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from krmkit.cli import main

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
IDENTIFIER = "internal.kpt.dev/upstream-identifier"


def git(folder: Path, *words: str) -> None:
    names = {
        f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *words], cwd=folder, env={**os.environ, **names}, check=True, capture_output=True)


def config_map(name: str, **data: str) -> str:
    lines = "".join(f'  {key}: "{value}"\n' for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n{lines}"


class Story:
    """An upstream with the package `p`, and a package that `krmkit pkg get` made of its v1."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.upstream, self.package = folder / "up", folder / "local"
        self.capsys = capsys
        (self.upstream / "p").mkdir(parents=True)
        git(self.upstream, "init", "-q", "-b", "main")

    def release(self, tag: str, files: dict[str, str | None]) -> None:
        for path, text in {"Kptfile": KPTFILE, **files}.items():
            if text is None:
                (self.upstream / "p" / path).unlink()
            else:
                (self.upstream / "p" / path).write_text(text, "utf-8")
        git(self.upstream, "add", "-A")
        git(self.upstream, "commit", "-qm", tag)
        git(self.upstream, "tag", tag)

    def get(self, files: dict[str, str | None]) -> None:
        self.release("v1", files)
        assert main(["pkg", "get", f"{self.upstream}/p@v1", str(self.package)]) == 0
        self.capsys.readouterr()

    def edit(self, path: str, *pairs: tuple[str, str]) -> None:
        text = self.read(path)
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        (self.package / path).write_text(text, "utf-8")

    def read(self, path: str) -> str:
        return (self.package / path).read_text("utf-8")

    def update(self, files: dict[str, str | None], *words: str, code: int = 0) -> str:
        """What an update to a new release says."""
        self.release("v2", files)
        assert main(["pkg", "update", f"{self.package}@v2", *words]) == code
        said = self.capsys.readouterr()
        return said.out + said.err


@pytest.fixture
def story(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Story:
    return Story(tmp_path, capsys)


def test_get_over_http_without_the_end_of_the_repository(story: Story) -> None:
    """Git is asked on the host which part of the address is the repository."""
    story.release("v1", {"c.yaml": config_map("c", release="1")})
    served = story.upstream.parent / "served"
    git(story.upstream, "clone", "-q", "--bare", ".", str(served / "owner" / "repo"))
    git(served / "owner" / "repo", "update-server-info")
    handler = partial(SimpleHTTPRequestHandler, directory=str(served))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_port}/owner/repo/p@v1"
            assert main(["pkg", "get", address, str(story.package)]) == 0
        finally:
            server.shutdown()
            thread.join()

    assert 'release: "1"' in story.read("c.yaml")


def test_a_renamed_resource_is_found_again(story: Story) -> None:
    """Renamed and moved to another namespace, as set-namespace does it: upstream's change arrives."""
    story.get({"c.yaml": config_map("c", release="1")})
    story.edit("c.yaml", ("  name: c\n", "  name: mine\n  namespace: ours\n"))

    assert "0 conflicts" in story.update({"c.yaml": config_map("c", release="2")})

    assert 'release: "2"' in story.read("c.yaml") and "name: mine" in story.read("c.yaml")


def test_a_renamed_resource_without_a_mark(story: Story) -> None:
    """A package that was copied by hand: nobody can know, so it is said, with what would help."""
    story.get({"c.yaml": config_map("c", release="1")})
    (story.package / "c.yaml").write_text(config_map("mine", release="1"), "utf-8")

    said = story.update({"c.yaml": config_map("c", release="2")})

    assert "changed upstream, deleted locally" in said and "if ConfigMap mine is this one" in said
    assert "1 conflict" in said


@pytest.mark.parametrize("versions", ["in both", "in the new one"])
def test_marks_in_the_upstream_are_not_looked_at(story: Story, versions: str) -> None:
    """104 files of a public catalog carry the identifier of the place where their authors fetched them."""
    foreign = f"\n  annotations:\n    {IDENTIFIER}: '|ConfigMap|example|c'\ndata:"
    old, new = config_map("c", a="1", b="1"), config_map("c", a="1", b="2").replace("\ndata:", foreign)
    story.get({"c.yaml": old.replace("\ndata:", foreign) if versions == "in both" else old})
    story.edit("c.yaml", ('a: "1"', 'a: "5"'))

    assert "0 conflicts" in story.update({"c.yaml": new})

    (merged,) = yaml.safe_load_all(story.read("c.yaml"))
    assert merged["data"] == {"a": "5", "b": "2"}
    assert merged["metadata"]["annotations"] == {IDENTIFIER: "|ConfigMap|default|c"}


def test_the_first_update_edits_only_what_changed(story: Story) -> None:
    """Marks are set when the package is fetched, so that an update has no reason to touch other files."""
    story.get(
        {"a.yaml": config_map("a", v="1"), "b.yaml": config_map("b", v="1"), "c.yaml": config_map("c", v="1")}
    )

    assert "2 files changed" in story.update({"a.yaml": config_map("a", v="2")})


def test_an_original_below_its_edited_copy(story: Story) -> None:
    """Both carry one identifier; the one that has the name is upstream's, and neither goes."""
    story.get({"a.yaml": config_map("app", v="1"), "o.yaml": config_map("other", v="1")})
    text = story.read("a.yaml")
    copy = text.replace("name: app\n", "name: app-blue\n").replace('"1"', '"9"')
    (story.package / "a.yaml").write_text(f"{copy}---\n{text}", "utf-8")

    assert "0 conflicts" in story.update({"a.yaml": config_map("app", v="2")})

    found = {one["metadata"]["name"]: one["data"]["v"] for one in yaml.safe_load_all(story.read("a.yaml"))}
    assert found == {"app-blue": "9", "app": "2"}


def test_two_copies_and_no_original(story: Story) -> None:
    """Which of them is upstream's cannot be known: an error names both, and nothing changes."""
    story.get({"a.yaml": config_map("app", v="1")})
    text = story.read("a.yaml")
    (story.package / "a.yaml").write_text(
        text.replace("name: app\n", "name: blue\n") + "---\n" + text.replace("name: app\n", "name: green\n"),
        "utf-8",
    )
    before = {path: path.read_bytes() for path in story.package.iterdir()}

    said = story.update({"a.yaml": config_map("app", v="2")}, code=1)

    assert "ConfigMap blue and ConfigMap green carry the same" in said and "remove the annotation" in said
    assert {path: path.read_bytes() for path in story.package.iterdir()} == before


FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: {name}\nspec:\n{spec}"


def test_values_set_where_the_base_has_null(story: Story) -> None:
    """Scalars, mappings and lists, at any depth, while upstream changes another field."""
    spec = "  storageClass: null\n  affinity: ~\n  m: {a: null}\n  l: null\n  size: 1\n"
    story.get({"a.yaml": FOO.format(name="a", spec=spec)})
    story.edit("a.yaml", ("storageClass: null", "storageClass: fast"), ("affinity: ~", "affinity: {zone: a}"))
    story.edit("a.yaml", ("a: null", "a: 5"), ("l: null", "l: [1]"))

    assert "0 conflicts" in story.update(
        {"a.yaml": FOO.format(name="a", spec=spec.replace("size: 1", "size: 2"))}
    )

    expected = {"storageClass": "fast", "affinity": {"zone": "a"}, "m": {"a": 5}, "l": [1], "size": 2}
    assert yaml.safe_load(story.read("a.yaml"))["spec"] == expected


def test_a_resource_with_a_comment_of_people_is_not_deleted(story: Story) -> None:
    """Also where the comment is the only edit."""
    story.get({"g.yaml": config_map("gone", v="1")})
    story.edit("g.yaml", ("data:", "data: # do not delete, ticket 4711"))

    said = story.update({"g.yaml": None})

    assert "deleted upstream, edited locally: kept" in said and "4711" in story.read("g.yaml")


def test_what_was_deleted_here(story: Story) -> None:
    """A resource and a file that upstream left alone stay deleted; one that upstream changed is named."""
    story.get(
        {"a.yaml": config_map("a", v="1"), "b.yaml": config_map("b", v="1"), "n.txt": "1\n", "m.txt": "1\n"}
    )
    for path in ("a.yaml", "b.yaml", "n.txt", "m.txt"):
        (story.package / path).unlink()

    said = story.update({"a.yaml": config_map("a", v="2"), "m.txt": "2\n"})

    assert "ConfigMap a" in said and "changed upstream, deleted locally: stays deleted" in said
    assert "m.txt" in said and "comes back, as upstream has it" in said and "2 conflicts" in said
    assert {path.name for path in story.package.iterdir()} == {"Kptfile", "m.txt"}


def test_a_moved_resource_is_followed(story: Story) -> None:
    """To another file here; to another file upstream, while it was edited here."""
    story.get({"a.yaml": config_map("a", v="1", w="1"), "b.yaml": config_map("b", v="1", w="1")})
    (story.package / "a.yaml").rename(story.package / "mine.yaml")
    story.edit("b.yaml", ('w: "1"', 'w: "mine"'))

    said = story.update(
        {"a.yaml": config_map("a", v="2", w="1"), "b.yaml": None, "new.yaml": config_map("b", v="2", w="1")}
    )

    assert "0 conflicts" in said and not (story.package / "new.yaml").exists()
    assert yaml.safe_load(story.read("mine.yaml"))["data"] == {"v": "2", "w": "1"}
    assert yaml.safe_load(story.read("b.yaml"))["data"] == {"v": "2", "w": "mine"}


def test_a_name_that_is_taken(story: Story) -> None:
    """Upstream adds a resource whose name somebody gave to another one here: it is named, not doubled."""
    story.get({"a.yaml": config_map("a", v="1")})
    story.edit("a.yaml", ("name: a\n", "name: b\n"))

    said = story.update({"b.yaml": config_map("b", v="1")})

    assert "added upstream, but ConfigMap b in a.yaml has its name: left out" in said
    assert not (story.package / "b.yaml").exists()


PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: store
data:
  pack.json: |
    {"name": "store", "version": "1.0.0"}
  values.yaml: |
    # how many
    replicas: 2
    endpoint: ""
    hosts:
    - name: a
      port: 1
    - name: b
      port: 1
  run.sh: |
    #!/bin/sh
    one
    two
    three
"""


def test_packs_are_merged_inside(story: Story) -> None:
    """YAML and JSON as trees with comments, what is neither by lines; a real conflict has the line of the value."""
    story.get({"p.yaml": PACK})
    story.edit(
        "p.yaml", ('endpoint: ""', "endpoint: https://ours"), ('"store", "version"', '"ours", "version"')
    )
    story.edit(
        "p.yaml", ("    - name: b\n      port: 1\n", "    - name: b\n      port: 7 # b\n"), ("one", "first")
    )
    new = PACK.replace("# how many", "# how many stores").replace('"1.0.0"', '"1.1.0"').replace("three", "3")
    new = new.replace("    - name: a\n      port: 1\n", "    - name: a\n      port: 5\n").replace(
        "replicas: 2", "replicas: 4"
    )

    assert "0 conflicts" in story.update({"p.yaml": new})

    expected = new.replace('endpoint: ""', "endpoint: https://ours").replace(
        '"store", "version"', '"ours", "version"'
    )
    expected = expected.replace("    - name: b\n      port: 1\n", "    - name: b\n      port: 7 # b\n")
    mark = f"\n  annotations:\n    {IDENTIFIER}: '|ConfigMap|default|store'\ndata:"
    assert story.read("p.yaml") == expected.replace("one", "first").replace("\ndata:", mark)


def test_a_conflict_inside_of_a_pack(story: Story) -> None:
    """It has file, line and column of the value in the merged file."""
    story.get({"p.yaml": PACK})
    story.edit("p.yaml", ("replicas: 2", "replicas: 3"), ("two", "2"))

    said = story.update({"p.yaml": PACK.replace("replicas: 2", "replicas: 4").replace("two", "zwei")})

    lines = story.read("p.yaml").splitlines()
    replicas, second = lines.index("    replicas: 4") + 1, lines.index("    zwei") + 1
    assert f'p.yaml:{replicas}:5 ConfigMap store data."values.yaml".replicas' in said
    assert f'p.yaml:{second}:5 ConfigMap store data."run.sh"' in said and "2 conflicts" in said


def test_files_that_are_no_resources(story: Story) -> None:
    """Texts merge by lines, YAML and JSON as trees."""
    story.get({"r.md": "one\ntwo\nthree\n", "v.yaml": "# v\na: 1\nb: 1\n", "j.json": '{"a": 1, "b": 1}\n'})
    story.edit("r.md", ("one", "ours"))
    story.edit("v.yaml", ("a: 1", "a: 7 # ours"))
    story.edit("j.json", ('"a": 1', '"a": 7'))

    assert "0 conflicts" in story.update(
        {"r.md": "one\ntwo\nnew\n", "v.yaml": "# w\na: 1\nb: 2\n", "j.json": '{"a": 1, "b": 2}\n'}
    )

    assert story.read("r.md") == "ours\ntwo\nnew\n"
    assert story.read("v.yaml") == "# w\na: 7 # ours\nb: 2\n" and story.read("j.json") == '{"a": 7, "b": 2}\n'


@pytest.mark.parametrize(
    ("policy", "code", "value"),
    [("upstream", 0, "2"), ("local", 0, "3"), ("stop", 1, "3"), ("markers", 1, "")],
)
def test_policies(story: Story, policy: str, code: int, value: str) -> None:
    """What becomes of a value that both sides changed; with `stop` nothing at all changes."""
    story.get({"a.yaml": config_map("a", v="1", w="1"), "n.txt": "1\n"})
    story.edit("a.yaml", ('v: "1"', 'v: "3"'))
    (story.package / "n.txt").write_text("3\n", "utf-8")

    said = story.update(
        {"a.yaml": config_map("a", v="2", w="2"), "n.txt": "2\n"}, "--on-conflict", policy, code=code
    )

    text = story.read("a.yaml")
    assert "a.yaml:" in said
    if policy == "markers":
        assert '<<<<<<< local\n  v: "3"\n=======\n  v: "2"\n>>>>>>> upstream\n  w: "2"\n' in text
        assert story.read("n.txt") == "<<<<<<< local\n3\n=======\n2\n>>>>>>> upstream\n"
    else:
        assert f'v: "{value}"' in text and story.read("n.txt") == f"{value}\n"
        assert ('w: "2"' in text) == (policy != "stop")
    assert ("ref: v2" in story.read("Kptfile")) == (policy != "stop")


@pytest.mark.parametrize(
    ("words", "written"),
    [(("--diff",), False), (("--diff", "--write"), True), (("--dry-run",), False), ((), True)],
)
def test_showing_and_writing(story: Story, words: tuple[str, ...], written: bool) -> None:
    """`--diff` shows, `--write` writes beside it, as everywhere."""
    story.get({"a.yaml": config_map("a", v="1")})

    said = story.update({"a.yaml": config_map("a", v="2")}, *words)

    assert ('+  v: "2"' in said) == ("--diff" in words)
    assert ('v: "2"' in story.read("a.yaml")) == written


@pytest.mark.parametrize("edited", [False, True])
def test_fast_forward_of_what_kpt_fetched(story: Story, edited: bool) -> None:
    """kpt's marks are no edits, and a `#` in a block scalar begins no comment; people's comments are edits."""
    storage = FOO.format(name="r", spec="  k: old\n").replace("example.com", "s.cnrm.cloud.google.com")
    block = config_map("a", k="old") + "  x: |\n    one # note\n    two \n"
    story.get({"r.yaml": storage, "c.yaml": block})
    story.edit("r.yaml", ("spec:", "    cnrm.cloud.google.com/blueprint: 'kpt-pkg'\nspec:"))
    story.edit("c.yaml", ("metadata:", "metadata: # kpt-merge: /a"), ("    two \n", "    two \n"))
    (story.package / "c.yaml").write_text(
        story.read("c.yaml").replace("data:\n", "data:\n" + "  # ours\n" * edited), "utf-8"
    )

    words = ("--strategy", "fast-forward")
    said = story.update({"c.yaml": block.replace("old", "new")}, *words, code=int(edited))

    assert ("fast-forward needs" in said) == edited and ('k: "new"' in story.read("c.yaml")) != edited


REMOTE = KPTFILE + "upstream:\n  type: git\n  git:\n    repo: {repo}\n    directory: /{folder}\n    ref: v1\n"


def test_a_file_that_a_subpackage_gets_from_two(story: Story, tmp_path: Path) -> None:
    """The package around it and its own upstream both have it: the upstream's value wins, as with kpt, and that is said."""
    other = tmp_path / "other"
    (other / "s").mkdir(parents=True)
    git(other, "init", "-q", "-b", "main")
    (other / "s" / "Kptfile").write_text(KPTFILE, "utf-8")
    (other / "s" / "s.yaml").write_text(config_map("s", v="1"), "utf-8")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "v1")
    git(other, "tag", "v1")
    (story.upstream / "p" / "sub").mkdir()
    files = {
        "sub/Kptfile": REMOTE.format(repo=other, folder="s"),
        "sub/s.yaml": config_map("s", v="mine", w="2"),
    }
    story.release("v1", {**files})

    assert main(["pkg", "get", f"{story.upstream}/p@v1", str(story.package)]) == 0

    said = story.capsys.readouterr().out
    assert "changed upstream to '1' and locally to 'mine': upstream wins" in said and "sub/s.yaml:" in said
    assert yaml.safe_load(story.read("sub/s.yaml"))["data"] == {"v": "1", "w": "2"}
    assert yaml.safe_load(story.read("sub/Kptfile"))["upstreamLock"]["git"]["ref"] == "v1"


def test_a_subpackage_that_holds_itself(story: Story) -> None:
    """It would never end: an error that names it, and nothing is written."""
    (story.upstream / "p" / "sub").mkdir()
    story.release("v1", {"sub/Kptfile": REMOTE.format(repo=story.upstream, folder="p")})

    assert main(["pkg", "get", f"{story.upstream}/p@v1", str(story.package)]) == 1

    assert (
        "subpackage sub/sub: its upstream contains it, so the update would never end"
        in story.capsys.readouterr().err
    )
    assert not story.package.exists()
