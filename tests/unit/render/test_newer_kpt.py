"""What kpt has had since 1.0.0-beta.59: rendering breadth first, saving before a failure, conditions, references to configs."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fn.config import Config
from krmkit.fn.results import Results
from krmkit.krm.errors import Refused
from krmkit.krm.resourcelist import ResourceList
from krmkit.render.package import read
from krmkit.render.programs.tags import bad_tag, constraint, highest
from krmkit.render.status import edits_in_place, status_notes
from tests.unit.render.rendering import Process, changed, kptfile, rendered, resource


def annotated(text: str, name: str) -> str:
    return text.replace("  name: p\n", f'  name: p\n  annotations:\n    kpt.dev/{name}: "TRUE"\n', 1)


def setting(value: str) -> Process:
    def process(resources: ResourceList, config: Config, results: Results) -> None:
        for item in resources.items:
            if item.kind == "ConfigMap":
                item.set(("data", "x"), value)

    return process


def failing(resources: ResourceList, config: Config, results: Results) -> None:
    setting("half")(resources, config, results)
    results.error("bad", "this is bad")


def writing_config(resources: ResourceList, config: Config, results: Results) -> None:
    assert config.resource is not None
    for item in resources.items:
        item.set(("metadata", "annotations", "got"), config.resource.string("data", "x"))


NESTED = {
    "a.yaml": resource("a", "data: {x: root}\n"),
    "sub/Kptfile": kptfile("log"),
    "sub/b.yaml": resource("b", "data: {x: sub}\n"),
    "sub/deep/Kptfile": kptfile("log"),
    "sub/deep/c.yaml": resource("c", "data: {x: deep}\n"),
    "other/Kptfile": kptfile("log"),
}


def test_breadth_first(tmp_path: Path) -> None:
    """Level by level from the root; each package sees itself and what lies below, as changed so far."""
    seen: list[list[str]] = []

    def log(resources: ResourceList, config: Config, results: Results) -> None:
        seen.append([item.string("data", "x") for item in resources.items if item.kind == "ConfigMap"])
        setting(str(len(seen)))(resources, config, results)

    files = {"Kptfile": annotated(kptfile("log"), "bfs-rendering"), **NESTED}
    rendering = rendered(tmp_path, files, log=log)

    assert [run.package for run in rendering.runs] == ["", "other", "sub", "sub/deep"]
    assert seen == [["root", "sub", "deep"], [], ["1", "1"], ["3"]]
    assert changed(rendering) == {
        "a.yaml": resource("a", 'data: {x: "1"}\n'),
        "sub/b.yaml": resource("b", 'data: {x: "3"}\n'),
        "sub/deep/c.yaml": resource("c", 'data: {x: "4"}\n'),
    }


def test_breadth_first_takes_configs_that_a_parent_changed(tmp_path: Path) -> None:
    files = {
        "Kptfile": annotated(kptfile("fn"), "bfs-rendering"),
        "sub/Kptfile": kptfile("write\nconfigPath: c.yaml"),
        "sub/c.yaml": resource("c", "data: {x: old}\n"),
    }
    rendering = rendered(tmp_path, files, fn=setting("new"), write=writing_config)

    assert "got: new" in str(changed(rendering)["sub/Kptfile"])


@pytest.mark.parametrize("breadth", [False, True])
def test_what_stood_before_a_failure_is_saved(tmp_path: Path, breadth: bool) -> None:
    """Of every package, without what the failing function had changed; nothing is saved unless the root asks for it."""
    root = kptfile("fn", "failing")
    files = {
        "Kptfile": annotated(root, "save-on-render-failure"),
        "a.yaml": resource("a", "data: {x: old}\n"),
        "sub/Kptfile": kptfile("fn2"),
        "sub/b.yaml": resource("b", "data: {x: old}\n"),
    }
    if breadth:
        files["Kptfile"] = files["Kptfile"].replace(
            "annotations:\n", 'annotations:\n    kpt.dev/bfs-rendering: "true"\n'
        )
    rendering = rendered(tmp_path, files, fn=setting("one"), fn2=setting("two"), failing=failing)

    assert rendering.failure == "example.dev/failing:v1 failed"
    assert rendering.changes == []
    assert {edit.path: edit.after for edit in rendering.saved} == {
        "a.yaml": resource("a", "data: {x: one}\n"),
        "sub/b.yaml": resource("b", "data: {x: one}\n"),
    }
    files["Kptfile"] = root
    assert rendered(tmp_path, files, fn=setting("one"), fn2=setting("two"), failing=failing).saved == []


def test_a_saved_package_loses_no_file(tmp_path: Path) -> None:
    """A file whose resources were all dropped before the failure stays."""

    def dropping(resources: ResourceList, config: Config, results: Results) -> None:
        resources.remove(*[item for item in resources.items if item.name == "a"])

    files = {
        "Kptfile": annotated(kptfile("drop", "failing"), "save-on-render-failure"),
        "a.yaml": resource("a"),
    }
    assert rendered(tmp_path, files, drop=dropping, failing=failing).saved == []


CONDITIONS = [
    ("resources.exists(r, r.metadata.name == 'a')", True),
    ("resources.exists(r, r.metadata.name == 'b')", False),
    ("resources.all(r, r.metadata.namespace == '')", True),
    ("resources.size() == 2", True),
    ("resources[1].data.on", True),
    ("", True),
]


@pytest.mark.parametrize(("condition", "runs"), CONDITIONS)
def test_when(tmp_path: Path, condition: str, runs: bool) -> None:
    """A function whose condition is false does not run, and says so."""
    files = {
        "Kptfile": kptfile(f'fn\nwhen: "{condition}"'),
        "a.yaml": resource("a", "data: {x: old, on: true}\n"),
    }
    rendering = rendered(tmp_path, files, fn=setting("new"))

    assert rendering.failure == ""
    assert ("a.yaml" in changed(rendering)) is runs
    said = [result.get("message") for run in rendering.runs for result in run.results]
    assert said == (
        [] if runs else [f"this function did not run, because its condition is false: {condition}"]
    )


def test_when_sees_what_selectors_choose(tmp_path: Path) -> None:
    """And validators have conditions too."""
    narrow = "fn\nwhen: resources.size() == 1\nselectors: [{name: a}]"
    files = {
        "Kptfile": kptfile(narrow, validators=('failing\nwhen: "false"',)),
        "a.yaml": resource("a"),
        "b.yaml": resource("b"),
    }
    rendering = rendered(tmp_path, files, fn=setting("new"), failing=failing)

    assert rendering.failure == ""
    assert list(changed(rendering)) == ["a.yaml"]


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("1 + 1", "must be true or false"),
        ("resources.", "Syntax error"),
        ("resources.all(r, r.spec.replicas > 1)", "no such key: spec"),
        ("resources[0].kind", "must be true or false"),
    ],
)
def test_a_wrong_condition_stops_the_render(tmp_path: Path, condition: str, problem: str) -> None:
    files = {"Kptfile": kptfile(f'fn\nwhen: "{condition}"'), "a.yaml": resource("a")}

    failure = rendered(tmp_path, files, fn=setting("new")).failure

    assert failure.startswith("example.dev/fn:v1: pipeline.mutators[0].when: ")
    assert problem in failure


def test_config_ref(tmp_path: Path) -> None:
    """A resource of the package itself, as functions before left it; subpackages have their own."""
    entry = "write\nconfigRef: {kind: ConfigMap, name: c}"
    files = {
        "Kptfile": kptfile("fn", entry),
        "c.yaml": resource("c", "data: {x: old}\n"),
        "sub/Kptfile": kptfile(entry),
        "sub/c.yaml": resource("c", "data: {x: sub}\n"),
    }
    rendering = rendered(tmp_path, files, fn=setting("new"), write=writing_config)

    assert rendering.failure == ""
    assert "got: sub" not in str(changed(rendering)["Kptfile"])
    assert "got: new" in str(changed(rendering)["Kptfile"])


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("configRef: {kind: ConfigMap, name: d}", 'configRef: the package has no ConfigMap "d"; subpackages are not'),
        ("configRef: {name: c}", "configRef.kind: must name the kind of a resource, got nothing"),
        ("configRef: {kind: ConfigMap, name: c}\nconfigPath: c.yaml", "configPath and configRef exclude each other"),
        ("configRef: {kin: ConfigMap, name: c}", 'unknown field "kin"; did you mean "kind"?'),
        ("condition: x", 'unknown field "condition"; known:'),
    ],
)  # fmt: skip
def test_a_wrong_reference_is_an_error_before_anything_runs(tmp_path: Path, entry: str, problem: str) -> None:
    files = {"Kptfile": kptfile("fn\n" + entry), "c.yaml": resource("c")}

    with pytest.raises(Exception, match=r"line .*, column ") as caught:
        rendered(tmp_path, files, fn=setting("new"))
    assert isinstance(caught.value, Refused)
    assert problem in str(caught.value)


STATUS = """\
status:   # by kpt
  conditions:
    - type: Rendered
      status: "False"
      message: old
    - type: Mine   # my own
      status: "True"
  renderStatus:
    errorSummary: old
"""


def test_a_status_is_brought_up_to_date(tmp_path: Path) -> None:
    """Conditions of people and comments stay; a Kptfile without a status gets none unless it is asked for."""
    text = kptfile("fn") + STATUS
    rendering = rendered(tmp_path, {"Kptfile": text, "a.yaml": resource("a")}, fn=setting("new"))

    after = next(
        edit.after for edit in edits_in_place(read(str(tmp_path)), rendering) if edit.path == "Kptfile"
    )

    assert after == text.replace(
        '    - type: Rendered\n      status: "False"\n      message: old\n', ""
    ).replace(
        "  renderStatus:\n    errorSummary: old\n",
        '    - type: Rendered\n      status: "True"\n      reason: RenderSuccess\n  renderStatus:\n    mutationSteps:\n'
        "    - image: example.dev/fn:v1\n      exitCode: 0\n",
    )
    (tmp_path / "Kptfile").write_text(kptfile("fn"))
    package = read(str(tmp_path))
    assert [edit.path for edit in edits_in_place(package, rendering)] == ["a.yaml"]
    assert [edit.path for edit in edits_in_place(package, rendering, asked=True)] == ["Kptfile", "a.yaml"]


def test_a_gate_asks_for_the_status(tmp_path: Path) -> None:
    """A readiness gate on Rendered; after a failure the status says what failed."""
    gate = "info:\n  readinessGates:\n    - conditionType: Rendered\n"
    rendering = rendered(tmp_path, {"Kptfile": kptfile("failing\nname: step") + gate}, failing=failing)

    edits = edits_in_place(read(str(tmp_path)), rendering)

    assert [edit.path for edit in edits] == ["Kptfile"]
    assert "errorSummary: 'step: exit code 1'" in str(edits[0].after)
    assert 'status: "False"\n    reason: RenderFailed' in str(edits[0].after)


@pytest.mark.parametrize("fails", [False, True])
def test_reports_show_the_last_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: bool
) -> None:
    """`why` and `report` say what the last render in place wrote; a Kptfile without it needs no words."""
    process = failing if fails else setting("new")
    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn"), "a.yaml": resource("a")}, fn=process)
    assert status_notes(read(str(tmp_path))) == []
    edits = edits_in_place(read(str(tmp_path)), rendering, asked=True)
    (tmp_path / "Kptfile").write_text(str(edits[0].after), "utf-8")

    said = "Rendered is False (RenderFailed), 1 of 1 steps failed" if fails else (
        "Rendered is True (RenderSuccess), 0 of 1 steps failed"
    )  # fmt: skip
    for words in (["why", str(tmp_path), "ConfigMap/a"], ["report", str(tmp_path), "-f", "json"]):
        main([*words, "--skip", "fn"])  # no runtime for its container is needed
        assert said in capsys.readouterr().err


TAGS = [
    "v1.0.0",
    "v1.2.0",
    "v1.2.5",
    "v1.3.0-rc.1",
    "v2.0.0",
    "2.1.0",
    "latest",
    "sha256-abc",
    "v1.2.9-git-12",
]


@pytest.mark.parametrize(
    ("text", "tag"),
    [("^1.0", "v1.2.5"), (">=1.0 <2.0", "v1.2.5"), ("~1.2", "v1.2.5"), (">=1.3.0-0 <2", "v1.3.0-rc.1"), ("<1.1 || >=2", "2.1.0"), ("^7", "")],
)  # fmt: skip
def test_a_constraint_picks_the_highest_tag(text: str, tag: str) -> None:
    wanted = constraint(text)
    assert wanted is not None
    assert highest(wanted, TAGS) == tag


def test_other_tags_are_taken_as_they_stand() -> None:
    assert constraint("v1.2.0") is None
    assert constraint("latest") is None
    assert bad_tag("latest") == ""
    assert "must be a version, a constraint" in bad_tag("v1/../x")
