"""Many Clusters of one class: the effort that a run may take grows with them."""

from __future__ import annotations

from pathlib import Path

from krmkit.fn.run import RunOptions
from krmkit.fn.testing import resource_list, run_function
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.limits import Limits
from tests.bench import topologies

CONFIG = "apiVersion: krmkit.dev/v1alpha1\nkind: RenderClusterTopology\nmetadata: {name: render}\n"


def test_each_cluster_brings_its_effort(project: Path) -> None:
    """The patterns and rules of the class are compiled within the run's budget; what each Cluster takes comes on top."""
    items = [*topologies.class_items(), *map(topologies.cluster, range(40))]
    text = resource_list(map(emit.document, items), CONFIG)

    outcome = run_function(
        project / "functions/render-cluster-topology", text, RunOptions(limits=Limits(effort=150_000))
    )

    assert outcome.exit_code == 0, outcome.stderr
