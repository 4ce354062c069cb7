"""krmkit.kpt.merge.kptfile: Kptfiles merged as kpt does."""

from __future__ import annotations

from typing import Any

from krmkit.kpt.merge.kptfile import merge_kptfiles, without_render

Kptfile = dict[str, Any]


def kptfile(name: str = "shop", **fields: Any) -> Kptfile:
    return {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": name}, **fields}


def pipeline(*functions: dict[str, Any]) -> dict[str, Any]:
    return {"mutators": list(functions)}


def test_nameless_functions_go_by_image() -> None:
    """The tag takes no part, and no helper name is left behind."""
    merged = merge_kptfiles(
        kptfile(pipeline=pipeline({"image": "set:v1"})),
        kptfile(pipeline=pipeline({"image": "set:v2"}, {"exec": "check"})),
        kptfile(pipeline=pipeline({"image": "mine:v1"}, {"image": "set:v1"})),
    )

    expected = pipeline({"image": "mine:v1"}, {"image": "set:v2"}, {"exec": "check"})
    assert merged.value["pipeline"] == expected


def test_one_named_function_makes_the_list_whole() -> None:
    """A named function beside nameless ones: upstream's changed list replaces the local one."""
    merged = merge_kptfiles(
        kptfile(pipeline=pipeline({"image": "set:v1"})),
        kptfile(pipeline=pipeline({"image": "set:v2"})),
        kptfile(pipeline=pipeline({"image": "mine:v1", "name": "mine"}, {"image": "set:v1"})),
    )

    assert merged.value["pipeline"] == pipeline({"image": "set:v2"})
    assert [conflict.path for conflict in merged.conflicts] == [("pipeline", "mutators")]


def test_name_and_upstream_stay_local() -> None:
    """The package keeps its name; upstream is copied only when asked for."""
    upstream = {"type": "git", "git": {"repo": "r", "ref": "v2"}}
    versions = (kptfile("base"), kptfile("new", upstream=upstream), kptfile("mine"))

    assert merge_kptfiles(*versions).value == kptfile("mine")
    assert merge_kptfiles(*versions, with_upstream=True).value == kptfile("mine", upstream=upstream)


def test_inputs_are_left_alone() -> None:
    """The helper names are set on copies."""
    local = kptfile(pipeline=pipeline({"image": "a:1"}))

    merge_kptfiles(kptfile(), kptfile(), local)

    assert local == kptfile(pipeline=pipeline({"image": "a:1"}))


def test_what_a_render_wrote() -> None:
    """Its condition and renderStatus are left out; a condition of one's own stays, and a status without any goes."""
    mine, rendered = {"type": "Mine", "status": "True"}, {"type": "Rendered", "status": "True"}

    assert without_render(
        kptfile(status={"conditions": [mine, rendered], "renderStatus": {"mutationSteps": []}})
    ) == kptfile(status={"conditions": [mine]})
    assert without_render(kptfile(status={"conditions": [rendered]})) == kptfile()
    assert without_render(kptfile(status={"other": 1, "renderStatus": {}})) == kptfile(status={"other": 1})
    assert without_render(kptfile(status={"conditions": [mine]})) == kptfile(status={"conditions": [mine]})
