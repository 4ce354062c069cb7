"""Plans of one package and of a tree in one view: the same rows, and markdown that a comment can hold."""

from __future__ import annotations

import io

import pytest

from krmkit.analysis.plans.planjob import PackagePlan
from krmkit.systems.clusterapi.plan.model import CHANGE, SAME, ClusterPlan, TopologyPlan
from krmkit.views.markdown import MOST
from krmkit.views.terminal import Terminal
from krmkit.views.topology import told


def plan(count: int) -> PackagePlan:
    clusters = [ClusterPlan("default", f"c{number:04d}", CHANGE) for number in range(count)]
    for one in clusters:
        one.waits = ["waits for the control plane of a site that is far away"]
    return PackagePlan("sites", TopologyPlan([*clusters, ClusterPlan("default", "same", SAME)]), [])


def text(packages: list[PackagePlan], form: str, tree: bool) -> str:
    return told(packages, form, Terminal(io.StringIO(), "never"), tree).table


@pytest.mark.parametrize("tree", [False, True])
def test_markdown_fits_into_a_comment(tree: bool) -> None:
    """What is left out is counted; a plan that fits is whole."""
    whole = text([plan(3)], "markdown", tree)
    assert "left out" not in whole
    assert whole.count("| default/c") + whole.count("sites | default/c") * (not tree) == 3

    cut = text([plan(2000)], "markdown", tree)
    assert 60_000 < len(cut) <= MOST
    assert "2001 Clusters: 2000 with changes" in cut.splitlines()[0]
    assert "left out: the whole is longer than 65,000 characters" in cut.splitlines()[-1]


def test_rows_of_a_tree_begin_with_the_package() -> None:
    """A tree shows what changes; one package shows each of its Clusters."""
    failed = PackagePlan("broken", TopologyPlan(), [], "x.yaml: line 1: is no YAML")
    one, tree = text([plan(1)], "table", False), text([plan(1), failed], "table", True)
    assert "default/same" in one and "sites" not in one
    assert "default/same" not in tree
    assert [line.split()[0] for line in tree.splitlines()[1:3]] == ["sites", "broken"]
    assert tree.endswith("2 packages, 2 Clusters: 1 with changes, 0 with rolling machines\n")
