"""A Kptfile that a function takes out of a package: it stays, because without it there is no package."""

from __future__ import annotations

from pathlib import Path

from krmkit.fn.config import Config
from krmkit.fn.results import Results
from krmkit.krm.resourcelist import ResourceList
from tests.unit.render.rendering import changed, kptfile, rendered, resource


def test_a_kptfile_that_a_function_takes_out_stays(tmp_path: Path) -> None:
    """Without it the folder would be no package any more, and its pipeline lost; a warning says that it stayed."""

    def emptying(resources: ResourceList, config: Config, results: Results) -> None:
        resources.remove(*list(resources))

    files = {
        "Kptfile": kptfile("fn"),
        "a.yaml": resource("a"),
        "sub/Kptfile": kptfile(),
        "sub/b.yaml": resource("c"),
    }

    rendering = rendered(tmp_path, files, fn=emptying)

    assert rendering.failure == ""
    assert changed(rendering) == {"a.yaml": None, "sub/b.yaml": None}
    assert rendering.contents["Kptfile"] == files["Kptfile"]
    said = [result["message"] for result in rendering.runs[0].results]
    assert said == ["the function took out the Kptfile, which stays"] * 2


def test_a_kptfile_may_be_written_anew(tmp_path: Path) -> None:
    """One that a function puts in the place of the old one is what it wants."""

    def renewing(resources: ResourceList, config: Config, results: Results) -> None:
        resources.remove(*[item for item in resources if item.kind == "Kptfile"])
        place = {"internal.config.kubernetes.io/path": "Kptfile"}
        metadata = {"name": "new", "annotations": place}
        resources.add({"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": metadata})

    rendering = rendered(tmp_path, {"Kptfile": kptfile("fn")}, fn=renewing)

    assert rendering.failure == ""
    assert "name: new" in rendering.contents["Kptfile"]
    assert rendering.runs[0].results == []
