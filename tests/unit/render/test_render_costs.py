"""The shape of what a render costs: twice as much of anything is less than three times the work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from krmkit.fn.config import Config
from krmkit.fn.results import Results
from krmkit.krm.resourcelist import ResourceList
from tests.costs import check_shape
from tests.unit.render.rendering import kptfile, rendered, resource


def label(resources: ResourceList, config: Config, results: Results) -> None:
    for item in resources.containing("ConfigMap"):
        item.set(("metadata", "labels", "seen"), "yes")
        results.info("labelled", "labelled", item)


def files(size: int) -> dict[str, str]:
    return {"Kptfile": kptfile("fn"), **{f"f{number}.yaml": resource(f"n{number}") for number in range(size)}}


def documents(size: int) -> dict[str, str]:
    return {
        "Kptfile": kptfile("fn"),
        "a.yaml": "---\n".join(resource(f"n{number}") for number in range(size)),
    }


def functions(size: int) -> dict[str, str]:
    return {"Kptfile": kptfile(*["fn"] * size), "a.yaml": resource("a")}


def configs(size: int) -> dict[str, str]:
    stages = [f"fn\nconfigPath: c{number}.yaml" for number in range(size)]
    # The functions leave the configs of the others alone: what they touch is in one file.
    return {
        "Kptfile": kptfile(validators=tuple(stages)),
        **{f"c{number}.yaml": resource(f"c{number}", "data: {x: y}\n") for number in range(size)},
    }


def subpackages(size: int) -> dict[str, str]:
    found = {"Kptfile": kptfile("fn")}
    for number in range(size):
        found |= {f"p{number}/Kptfile": kptfile("fn"), f"p{number}/a.yaml": resource("a")}
    return found


def nothing(resources: ResourceList, config: Config, results: Results) -> None:
    pass


@pytest.mark.parametrize(
    ("build", "process"),
    [(files, label), (documents, label), (functions, label), (configs, nothing), (subpackages, label)],
)
def test_shape_of_a_render(
    tmp_path: Path,
    build: Callable[[int], dict[str, str]],
    process: Callable[[ResourceList, Config, Results], None],
) -> None:
    """Files, documents of one file, functions, configs and subpackages."""
    made = iter(range(100))

    def make(size: int) -> Callable[[], object]:
        place = tmp_path / str(next(made))
        place.mkdir()

        def work() -> None:
            assert not rendered(place, build(size), fn=process).failure

        return work

    check_shape(make, 30)
