"""Twice as many Clusters, worker groups, installations or injection points: less than three times the work, counted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from krmkit.fn import testing
from krmkit.libraries.json import Object
from tests.contract.test_costs import CASES as OTHERS
from tests.costs import check_shape
from tests.property.test_function_costs import SHAPES

FUNCTIONS = Path(__file__).parents[2] / "functions"


class Plain(yaml.CSafeLoader):
    """Dates stay texts."""

    yaml_implicit_resolvers = {
        first: [rule for rule in rules if not rule[0].endswith(":timestamp")]
        for first, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def copies(kind: str, lists: tuple[str, ...] = (), name: str = "") -> Callable[[Object, int], Object]:
    """Each object of a kind `size` times, under names of their own; a list at `lists` in place of the objects themselves."""

    def grown(data: Object, size: int) -> Object:
        items = []
        for item in data["items"]:
            found = item["kind"] == kind and item["metadata"]["name"].startswith(name)
            for number in range(size if found and not lists else 1):
                one = copy.deepcopy(item)
                if found and lists:
                    _lengthen(one, lists, size)
                elif found and number:
                    one["metadata"]["name"] += f"-{number}"
                    for handler in one.get("spec", {}).get("handlers", []):
                        handler["name"] += f"-{number}"  # a server refuses two of one name
                    one["metadata"].get("annotations", {}).pop("internal.config.kubernetes.io/index", None)
                items.append(one)
        return {**data, "items": items}

    return grown


def _lengthen(item: Object, path: tuple[str, ...], size: int) -> None:
    *way, last = path
    holder = item
    for key in way:
        holder = holder[key]
    first = holder[last][0]
    holder[last] = [{**copy.deepcopy(first), "name": f"{first['name']}-{number}"} for number in range(size)]


WORKERS = ("spec", "topology", "workers", "machineDeployments")
CASES: list[tuple[str, str, Callable[[Object, int], Object], int]] = [
    ("render-cluster-topology", "quick-start", copies("Cluster"), 8),
    ("render-cluster-topology", "upgrade", copies("Cluster", WORKERS), 20),
    ("validate-cluster-topology", "fits", copies("Cluster"), 8),
    ("default-cluster-topology", "variables", copies("Cluster"), 8),
    ("render-installation", "greeter", copies("Installation"), 8),
    ("validate-installation", "sound", copies("Installation"), 8),
    ("plan-reconcile", "schedules", copies("Installation"), 8),
    ("apply-package-variant", "north", copies("ConfigMap", name="endpoints"), 20),
    ("render-cluster-topology", "extension", copies("Cluster"), 8),
    ("configure-topology-extension", "registries", copies("TopologyExtension"), 8),
    ("configure-topology-extension", "registries", copies("TopologyExtension", ("spec", "handlers")), 8),
    ("validate-cluster-topology", "fits", copies("Cluster", WORKERS, name="first"), 20),
    ("default-cluster-topology", "overrides", copies("Cluster"), 8),
    ("validate-installation", "sound", copies("Target"), 12),
    ("apply-replacements", "host", copies("Deployment"), 20),
    ("apply-setters", "values", copies("Deployment"), 20),
    ("create-setters", "tag", copies("Deployment"), 20),
    ("delete-annotations", "depends-on", copies("Deployment"), 20),
    ("ensure-name-substring", "prefix", copies("Deployment"), 20),
    ("kubeconform", "sound", copies("Deployment"), 20),
    ("kubeval", "sound", copies("Deployment"), 20),
    ("list-setters", "values", copies("Deployment"), 20),
    ("remove-local-config-resources", "prune", copies("Service"), 20),
    ("search-replace", "images", copies("Deployment"), 20),
    ("set-annotations", "contact", copies("Deployment"), 20),
    ("set-enforcement-action", "dryrun", copies("K8sRequiredLabels"), 20),
    ("set-image", "tag", copies("Deployment"), 20),
    ("set-labels", "team", copies("Deployment"), 20),
    ("set-namespace", "shop", copies("Deployment"), 20),
    ("starlark", "annotate", copies("Service"), 20),
    ("upsert-resource", "replace", copies("Service"), 20),
    ("validate-platform", "agree", copies("Target"), 20),
]


@pytest.mark.parametrize(
    ("function", "example", "grown", "size"),
    CASES,
    ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)],
)
def test_twice_as_many(
    function: str, example: str, grown: Callable[[Object, int], Object], size: int
) -> None:
    """The example's own objects, more and more of them."""
    folder = FUNCTIONS / function
    chosen = next(one for one in testing.examples(folder) if one.folder.name.startswith(example))
    data = yaml.load(chosen.render_list(), Plain)
    assert len(repr(grown(data, 2))) > len(repr(grown(data, 1)))

    def work(count: int) -> Callable[[], object]:
        text = yaml.dump(grown(data, count), Dumper=yaml.CSafeDumper, sort_keys=False)
        return lambda: testing.run_function(folder, text)

    outcome = testing.run_function(
        folder, yaml.dump(grown(data, 3), Dumper=yaml.CSafeDumper, sort_keys=False)
    )
    assert outcome.exit_code == 0, outcome.stderr
    check_shape(work, size)


def test_every_function_is_doubled() -> None:
    """A new function gets a row here, or in one of the other two tables."""
    rows = {case[0] for case in CASES} | {case[0] for case in OTHERS} | {name for name, _ in SHAPES.values()}

    assert rows == {path.parent.name for path in FUNCTIONS.glob("*/main.py")}
