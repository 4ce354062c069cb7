"""The flag --extension of `krmkit topology plan`: what is refused, and what is warned of."""

from __future__ import annotations

from argparse import Namespace

import pytest

from krmkit.cli import topology
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import Collected, collect
from krmkit.systems.clusterapi.desired.topologies import TopologyOptions

HERE = "a=http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"], "must be NAME=https://"),
        (["=https://x"], "must be NAME=https://"),
        (["a=http://example.com"], "--extension a: .* must be https"),
        (["a=exec:'x"], "--extension a: .*No closing quotation"),
        ([HERE, HERE], "--extension a is given twice"),
    ],
)
def test_what_is_refused(given: list[str], message: str) -> None:
    """The message has the flag, and what would be right."""
    arguments = Namespace(extension=given, record="", ca_file="", client_cert="", client_key="")

    with pytest.raises(Refused, match=message):
        topology._extensions(arguments, TopologyOptions())


def package(**spec: object) -> Collected:
    """A package with one class."""
    made = {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "ClusterClass",
        "metadata": {"name": "c"},
        "spec": spec,
    }
    return collect([Resource.from_data(made)])


def test_extensions_that_no_class_names() -> None:
    """The warning names the nearest one that a class of either package names."""
    old = package(patches=[{"name": "p", "external": {"generatePatchesExtension": "patch.registries"}}])
    new = package(upgrade={"external": {"generateUpgradePlanExtension": "plan.upgrades.v2"}}, patches=[None])
    given = ["registries=https://a", "upgrades.v2=https://a", "registry=https://a", "other=https://a"]

    assert topology._unused(given, old, new) == [
        '--extension registry: no ClusterClass names this extension; did you mean "registries"?',
        "--extension other: no ClusterClass names this extension; known: registries, upgrades.v2",
    ]
    assert topology._unused(["a=https://a"], package(), package(patches=1)) == [
        "--extension a: no ClusterClass names this extension"
    ]
