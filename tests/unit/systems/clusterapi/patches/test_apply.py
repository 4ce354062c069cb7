"""Writing patched templates back: what the topology sets itself stays."""

from __future__ import annotations

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.roles import NO_ROLE
from krmkit.systems.clusterapi.patches.apply import Patched, write_back
from krmkit.systems.clusterapi.patches.request import RequestItem


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


TEMPLATE: Object = {
    "apiVersion": "i/v1",
    "kind": "T",
    "metadata": {"name": "t", "uid": "1"},
    "spec": {"a": 1},
}


@pytest.mark.parametrize("form", ["merge patch", "JSON patch"])
def test_only_spec_labels_and_annotations(form: str) -> None:
    """A patch of anything else of a template has no effect, and no error."""
    item = RequestItem("1", NO_ROLE, {}, TEMPLATE)
    wanted = {"kind": "Other", "status": {"ready": True}, "spec": {"a": 2}}

    if form == "merge patch":
        Patched(item).merge_patch({**wanted, "metadata": {"name": "x", "labels": {"a": "b"}}})
    else:
        operations = [{"op": "add", "path": f"/{name}", "value": value} for name, value in wanted.items()]
        operations.append({"op": "replace", "path": "/metadata/name", "value": "x"})
        operations.append({"op": "add", "path": "/metadata/labels", "value": {"a": "b"}})
        Patched(item).json_patch(operations)

    metadata = {"name": "t", "uid": "1", "labels": {"a": "b"}}
    assert item.object == {**TEMPLATE, "metadata": metadata, "spec": {"a": 2}}
