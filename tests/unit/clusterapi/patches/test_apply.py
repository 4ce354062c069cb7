"""Writing patched templates back: what the topology sets itself stays."""

from __future__ import annotations

import pytest

from krmkit.clusterapi.api import labels
from krmkit.clusterapi.patches.apply import write_back


@pytest.mark.parametrize(
    "label", [labels.CLUSTER_NAME, labels.OWNED, labels.DEPLOYMENT_NAME, labels.POOL_NAME]
)
def test_labels_of_the_topology_stay(label: str) -> None:
    """A patch that changes a label by which Cluster API finds its objects has no effect on it."""
    target = {"metadata": {"name": "x", "labels": {label: "ours"}}, "spec": {"a": 1}}
    template = {
        "spec": {"template": {"metadata": {"labels": {label: "theirs", "more": "yes"}}, "spec": {"a": 2}}}
    }

    written = write_back(target, template, is_template=False)

    assert written["metadata"]["labels"] == {label: "ours", "more": "yes"}
    assert written["spec"] == {"a": 2}
