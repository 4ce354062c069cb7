"""The pipeline: who runs when on what, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fn.config import Config
from krmkit.fn.results import FunctionError, Results
from krmkit.krm.errors import Refused
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.document import parse
from tests.unit.render.rendering import Process, changed, kptfile, rendered, resource

TWO = resource("a", "data: {x: old}   # stays\n") + "---\n" + resource("b", "data:\n    x:   old\n")


def nothing(resources: ResourceList, config: Config, results: Results) -> None:
    pass


def setting(value: str, name: str = "") -> Process:
    def process(resources: ResourceList, config: Config, results: Results) -> None:
        for item in resources.items:
            if item.kind == "ConfigMap" and name in {"", item.name}:
                item.set(("data", "x"), value)

    return process


def adding(name: str, **annotations: str) -> Process:
    def process(resources: ResourceList, config: Config, results: Results) -> None:
        metadata: dict[str, object] = {"name": name}
        if annotations:
            named = {
                "path": "internal.config.kubernetes.io/path",
                "index": "internal.config.kubernetes.io/index",
                "package-path": "internal.config.kubernetes.io/package-path",
            }
            metadata["annotations"] = {named.get(key, key): value for key, value in annotations.items()}
        resources.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})

    return process


def test_untouched_files_are_not_rewritten(tmp_path: Path) -> None:
    """Whatever their layout: there is no change at all."""
    files = {
        "Kptfile": kptfile("fn", validators=("fn",)),
        "a.yaml": TWO,
        "b.json": '{"apiVersion":"v1","kind":"X","metadata":{"name":"j"}}',
    }

    rendering = rendered(tmp_path, files, fn=nothing)

    assert rendering.failure == ""
    assert rendering.changes == []
    assert len(rendering.items) == 4
    assert rendering.contents["a.yaml"] == TWO


def test_only_the_changed_line_changes(tmp_path: Path) -> None:
    """The other document of the file, comments and layout stay byte for byte."""
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn"), "a.yaml": TWO}, fn=setting("new", "a"))

    assert changed(rendering) == {"a.yaml": TWO.replace("old", "new", 1)}
    assert (tmp_path / "a.yaml").read_text() == TWO


def test_order(tmp_path: Path) -> None:
    """Subpackages first, by their paths; mutators, then validators; each sees what the ones before left."""
    seen: list[tuple[str, str, list[str]]] = []

    def watching(name: str) -> Process:
        def process(resources: ResourceList, config: Config, results: Results) -> None:
            found = [str(item.get("data", "x")) for item in resources.items if item.kind == "ConfigMap"]
            seen.append((name, resources.items[0].package_path.removeprefix(str(tmp_path)), found))
            setting(name)(resources, config, results)

        return process

    files = {
        "Kptfile": kptfile("one", "two", validators=("check", "check")),
        "a.yaml": resource("a", "data: {x: root}\n"),
        "sub/Kptfile": kptfile("two", "one"),
        "sub/b.yaml": resource("b", "data: {x: sub}\n"),
        "other/Kptfile": kptfile(),
        "other/c.yaml": resource("c", "data: {x: other}\n"),
    }
    rendering = rendered(tmp_path, files, one=watching("one"), two=watching("two"), check=watching("check"))

    assert seen == [
        ("two", "/sub", ["sub"]),
        ("one", "/sub", ["two"]),
        ("one", "", ["root", "other", "one"]),
        ("two", "", ["one", "one", "one"]),
        ("check", "", ["two", "two", "two"]),
        ("check", "", ["two", "two", "two"]),
    ]
    assert [run.package for run in rendering.runs] == ["sub", "sub", "", "", "", ""]
    assert set(changed(rendering)) == {"a.yaml", "sub/b.yaml", "other/c.yaml"}


def test_what_a_validator_changes_is_dropped(tmp_path: Path) -> None:
    """In resources that were changed before, in untouched ones, and in the list."""

    def vandal(resources: ResourceList, config: Config, results: Results) -> None:
        setting("broken")(resources, config, results)
        adding("more")(resources, config, results)
        resources.remove(resources.items[0])

    files = {"Kptfile": kptfile("fn", validators=("vandal", "vandal")), "a.yaml": TWO}
    rendering = rendered(tmp_path, files, fn=setting("new", "a"), vandal=vandal)

    assert changed(rendering) == {"a.yaml": TWO.replace("old", "new", 1)}


def test_selectors_narrow(tmp_path: Path) -> None:
    """A function sees the selected resources only; the others keep their places, new ones come last."""
    seen: list[str] = []

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        seen.extend(item.name for item in resources.items)
        setting("new")(resources, config, results)
        adding("more")(resources, config, results)

    entry = "fn\nselectors:\n- name: b\n- kind: ConfigMap\nexclude:\n- name: a"
    rendering = rendered(tmp_path, {"Kptfile": kptfile(entry), "a.yaml": TWO}, fn=process)

    assert seen == ["b"]
    assert [item.name for _, item in rendering.items] == ["p", "a", "b", "more"]
    assert changed(rendering) == {
        "a.yaml": TWO.replace("x:   old", "x:   new"),
        "configmap_more.yaml": resource("more"),
    }


def test_configs(tmp_path: Path) -> None:
    """None, a map of texts, a file; the file as functions before changed it, for validators too."""
    seen: list[tuple[str, object, str | None]] = []

    def watching(resources: ResourceList, config: Config, results: Results) -> None:
        found = config.resource
        data = found.get("data") if found is not None else None
        seen.append((config.name, data, found.path if found is not None else None))

    files = {
        "Kptfile": kptfile(
            "watch",
            "watch\nconfigMap: {n: 010, b: yes}",
            "fn",
            "watch\nconfigPath: c.yaml",
            "watch\nconfigPath: ./c.yaml",
            validators=("watch\nconfigPath: c.yaml",),
        ),
        "c.yaml": resource("c", "data: {x: old}\n"),
    }
    rendered(tmp_path, files, fn=setting("new"), watch=watching)

    assert seen == [
        ("", None, None),
        ("function-input", {"n": "010", "b": "yes"}, None),
        ("c", {"x": "new"}, "c.yaml"),
        ("c", {"x": "new"}, None),
        ("c", {"x": "new"}, "c.yaml"),
    ]


def test_a_failure_stops_and_changes_nothing(tmp_path: Path) -> None:
    """What ran before is reported, what comes after does not run."""

    def failing(resources: ResourceList, config: Config, results: Results) -> None:
        setting("half")(resources, config, results)
        results.error("bad", "this is bad", resources.items[1])
        results.warning("odd", "this is odd")

    rendering = rendered(
        tmp_path,
        {"Kptfile": kptfile("fn", "failing", "fn"), "a.yaml": TWO},
        fn=setting("new"),
        failing=failing,
    )

    assert rendering.failure == "example.dev/failing:v1 failed"
    assert rendering.exit_code == 1
    assert rendering.changes == []
    assert [run.exit_code for run in rendering.runs] == [0, 1]
    assert [result["message"] for result in rendering.runs[1].results] == ["this is bad", "this is odd"]
    assert rendering.runs[1].stderr == "failing: v1/ConfigMap/a: this is bad\n"


def test_an_error_in_a_function(tmp_path: Path) -> None:
    """Neither a refusal nor a mistake of the programmer ends the pipeline without a result."""

    def refusing(resources: ResourceList, config: Config, results: Results) -> None:
        raise FunctionError("cannot do it")

    def broken(resources: ResourceList, config: Config, results: Results) -> None:
        raise KeyError("x")

    for name, process, expected in (
        ("refusing", refusing, "cannot do it"),
        ("broken", broken, "internal-error"),
    ):
        root = tmp_path / name
        rendering = rendered(root, {"Kptfile": kptfile("fn"), "a.yaml": TWO}, fn=process)

        assert rendering.exit_code == 1
        assert expected in str(rendering.runs[0].results)


def test_a_failing_validator_fails_the_render(tmp_path: Path) -> None:
    """Nothing of what the mutators did remains."""

    def failing(resources: ResourceList, config: Config, results: Results) -> None:
        results.error("bad", "no")

    files = {"Kptfile": kptfile("fn", validators=("failing",)), "a.yaml": TWO}
    rendering = rendered(tmp_path, files, fn=setting("new"), failing=failing)

    assert (rendering.exit_code, rendering.changes) == (1, [])


def test_what_a_validator_gives_back_has_to_be_right(tmp_path: Path) -> None:
    """Nothing of it is kept, and a resource outside of the package stops the render all the same."""
    files = {"Kptfile": kptfile(validators=("fn",)), "a.yaml": TWO}

    fine = rendered(tmp_path / "fine", files, fn=adding("new", path="new.yaml"))
    wrong = rendered(tmp_path / "wrong", files, fn=adding("new", path="../new.yaml"))

    assert (fine.failure, changed(fine)) == ("", {})
    assert "must not write outside of the package" in wrong.failure


PLACES = [
    ("no path", {}, {"configmap_new.yaml": resource("new")}),
    ("a path", {"path": "x/y.yaml"}, {"x/y.yaml": resource("new")}),
    ("the older annotation", {"config.kubernetes.io/path": "y.yaml"}, {"y.yaml": resource("new")}),
    ("detours", {"path": "./x/../y.yaml"}, {"y.yaml": resource("new")}),
    ("behind others", {"path": "a.yaml"}, {"a.yaml": TWO + "---\n" + resource("new")}),
    (
        "behind others, numbered",
        {"path": "a.yaml", "index": "7"},
        {"a.yaml": TWO + "---\n" + resource("new")},
    ),
    (
        "other annotations stay",
        {"path": "y.yaml", "note": "text"},
        {"y.yaml": resource("new", "  annotations:\n    note: text\n")},
    ),
]


@pytest.mark.parametrize(
    ("annotations", "expected"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES]
)
def test_places_of_new_resources(
    tmp_path: Path, annotations: dict[str, str], expected: dict[str, str]
) -> None:
    """They go where their annotations say, and these annotations go."""
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn"), "a.yaml": TWO}, fn=adding("new", **annotations))

    assert rendering.failure == ""
    assert changed(rendering) == expected


def test_a_namespace_is_a_folder(tmp_path: Path) -> None:
    """As kpt names files of resources without a path; and in a subpackage they stay inside of it."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        resources.add(
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "n", "namespace": "Ns"}}
        )

    rendering = rendered(tmp_path, {"Kptfile": kptfile(), "sub/Kptfile": kptfile("fn")}, fn=process)

    assert set(changed(rendering)) == {"sub/Ns/deployment_n.yaml"}


BAD_PLACES = [
    ("outside", {"path": "../x.yaml"}, 'the path "../x.yaml" leads there'),
    ("outside by detours", {"path": "x/../../y.yaml"}, "must not write outside"),
    ("the parent itself", {"path": ".."}, "must not write outside"),
    ("the root of all", {"path": "/"}, "must not write outside"),
    ("a package outside", {"package-path": "/x"}, "ConfigMap new is put into /x, outside of the package"),
    ("too large a number", {"path": "a.yaml", "index": "9" * 5000}, 'its index is "999'),
    (
        "taken",
        {"path": "a.yaml", "index": "1"},
        "ConfigMap new and ConfigMap b are both put at a.yaml with index 1",
    ),
    (
        "two opinions",
        {"path": "x.yaml", "config.kubernetes.io/path": "y.yaml"},
        "say different things (x.yaml, y.yaml)",
    ),
    ("no number", {"path": "a.yaml", "index": "last"}, 'its index is "last"'),
    (
        "a file that is left out",
        {"path": "out.yaml"},
        "ConfigMap new would overwrite out.yaml, which is not",
    ),
    ("no YAML file", {"path": "README.md"}, "which is not part of the package"),
]


@pytest.mark.parametrize(
    ("annotations", "expected"), [case[1:] for case in BAD_PLACES], ids=[case[0] for case in BAD_PLACES]
)
def test_bad_places(tmp_path: Path, annotations: dict[str, str], expected: str) -> None:
    """No resource leaves its package, takes another's place or a file that is none of the package's."""
    files = {
        "Kptfile": kptfile("fn"),
        "a.yaml": TWO,
        "out.yaml": "x",
        ".krmignore": "out.yaml",
        "README.md": "x",
    }
    rendering = rendered(tmp_path, files, fn=adding("new", **annotations))

    assert expected in rendering.failure
    assert rendering.changes == []


def test_two_new_ones_in_one_place(tmp_path: Path) -> None:
    """Without indexes nothing tells them apart, as for kpt."""
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn", "fn")}, fn=adding("new"))

    assert "are both put at configmap_new.yaml with no index" in rendering.failure


def test_moving_and_removing(tmp_path: Path) -> None:
    """A resource moves by its annotations; a file that lost all its resources goes; the rest of a file stays as it is."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        for item in list(resources.items):
            if item.name == "a":
                item.set(("metadata", "annotations", "internal.config.kubernetes.io/path"), "moved/a.yaml")
            if item.name == "gone":
                resources.remove(item)

    files = {
        "Kptfile": kptfile("fn"),
        "a.yaml": TWO,
        "gone.yaml": resource("gone"),
        "half.yaml": resource("gone") + "---\n" + resource("stays"),
    }
    rendering = rendered(tmp_path, files, fn=process)
    after = changed(rendering)

    assert after["gone.yaml"] is None
    assert after["half.yaml"] == resource("stays")
    assert after["a.yaml"] == TWO.partition("---\n")[2]
    assert after["moved/a.yaml"] == TWO.partition("---\n")[0]


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_line_ends_and_byte_order_marks_stay(tmp_path: Path, mark: str, end: str) -> None:
    """Also in the documents of a file that change."""
    text = mark + ("# head\n" + TWO).replace("\n", end)
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn"), "a.yaml": text}, fn=setting("new"))

    after = changed(rendering)["a.yaml"]
    assert after is not None
    assert after.startswith(f"{mark}# head{end}")
    assert after.count("\n") == after.count(end) == text.count(end)
    assert "new" in after


def test_json_is_written_as_kpt_writes_it(tmp_path: Path) -> None:
    """Sorted, indented, and with Go's escapes; only when something changed."""
    text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"j"},"data":{"z":"<é>","x":"old"}}'
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn"), "j.json": text}, fn=setting("new"))

    assert changed(rendering) == {
        "j.json": '{\n  "apiVersion": "v1",\n  "data": {\n    "x": "new",\n    "z": "\\u003cé\\u003e"\n  },\n'
        '  "kind": "ConfigMap",\n  "metadata": {\n    "name": "j"\n  }\n}\n'
    }


def test_output_that_is_no_resource(tmp_path: Path) -> None:
    """A function that makes what is not a resource is stopped."""

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        resources.add({"kind": "X", "metadata": {"name": "n"}})

    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn")}, fn=process)

    assert "its output is not right: x_n.yaml: has no apiVersion" in rendering.failure


def test_unknown_functions_stop_before_the_first_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An image without a container runtime, and a program without --allow-exec."""
    monkeypatch.setenv("PATH", str(tmp_path))
    ran: list[int] = []

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        ran.append(1)

    unknown = kptfile("fn", "nobody-knows")
    with pytest.raises(
        Refused,
        match=r"mutators\[1\]: example.dev/nobody-knows:v1 is not a function .* docker is not there",
    ):
        rendered(tmp_path / "image", {"Kptfile": unknown}, fn=process)
    program = kptfile("fn", "x").replace("image: example.dev/x:v1", "exec: ./x.sh")
    with pytest.raises(Refused, match=r"mutators\[1\]: exec ./x.sh is a program outside .*\n--allow-exec"):
        rendered(tmp_path / "exec", {"Kptfile": program}, fn=process)
    assert ran == []


def test_each_resource_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many functions ask for it."""
    parsed: list[str] = []

    def counting(text: str, *rest: object, **more: object) -> object:
        parsed.append(text)
        return parse(text, *rest, **more)  # type: ignore[arg-type]  # passes on whatever it got

    def asking(resources: ResourceList, config: Config, results: Results) -> None:
        for item in resources.items:
            item.get("data")

    monkeypatch.setattr("krmkit.krm.plainview.parse", counting)
    rendered(tmp_path, {"Kptfile": kptfile("fn", "fn", "fn", validators=("fn",)), "a.yaml": TWO}, fn=asking)

    assert sum("name: a\n" in text for text in parsed) == 1
    assert sum("name: b\n" in text for text in parsed) == 1


def test_listed_and_unwrapped(tmp_path: Path) -> None:
    """The resources as a list with their files, and as documents without."""
    files = {"Kptfile": kptfile("fn"), "sub/Kptfile": kptfile(), "sub/a.yaml": "---\n" + TWO}
    rendering = rendered(tmp_path, files, fn=nothing)
    listed = ResourceList.parse(rendering.listed())

    assert [(item.path, item.index, item.package_path) for item in listed.items] == [
        ("Kptfile", 0, ""),
        ("sub/Kptfile", 0, ""),
        ("sub/a.yaml", 0, ""),
        ("sub/a.yaml", 1, ""),
    ]
    assert "data: {x: old}   # stays\n" in rendering.listed()
    assert rendering.unwrapped() == kptfile("fn") + "---\n" + kptfile() + "---\n" + TWO


MARKED = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations: {config.kubernetes.io/local-config: %s}\n"
APPLIED = [
    ("a resource", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n", True),
    ("marked", MARKED % '"true"', False),
    ("marked with another word", MARKED % '"yes"', False),
    ("marked as not local", MARKED % '"false"', True),
    ("kpt's inventory", "apiVersion: kpt.dev/v1alpha1\nkind: ResourceGroup\nmetadata: {name: m}\n", False),
    ("a kind of that name", "apiVersion: example.dev/v1\nkind: ResourceGroup\nmetadata: {name: m}\n", True),
]


@pytest.mark.parametrize(("text", "is_applied"), [case[1:] for case in APPLIED], ids=[c[0] for c in APPLIED])
def test_applied(tmp_path: Path, text: str, is_applied: bool) -> None:
    """What kpt would apply, the Kptfile never."""
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn"), "a.yaml": text}, fn=nothing)

    assert rendering.applied() == (text if is_applied else "")


def test_a_path_with_nul(tmp_path: Path) -> None:
    """No file system has one: the render fails with a sentence, before anything is written."""

    def move(resources: ResourceList, config: Config, results: Results) -> None:
        resources.items[0].set(("metadata", "annotations", "config.kubernetes.io/path"), "a\0b.yaml")

    outcome = rendered(tmp_path, {"Kptfile": kptfile("move"), "a.yaml": resource("a")}, move=move)

    assert "must not hold the character NUL" in outcome.failure
