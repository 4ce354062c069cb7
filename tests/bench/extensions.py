"""The class of `topologies` with its patches moved into a TopologyExtension, and a request with a hundred templates."""

from __future__ import annotations

import tempfile
from pathlib import Path

from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.services.extension.client import LocalCaller
from krmkit.services.extension.samples import of_package
from krmkit.services.extension.sources import load, read
from tests.bench import topologies
from tests.bench.timing import MeasureError

TEMPLATES = 100
HANDLER = "generate-patches-fleet"
EXTENSION: Object = {
    "apiVersion": "krmkit.dev/v1alpha1",
    "kind": "TopologyExtension",
    "metadata": {"name": "fleet", "annotations": {"config.kubernetes.io/local-config": "true"}},
    "spec": {
        "handlers": [
            {
                "name": "fleet",
                "variables": topologies.VARIABLES,
                "patches": topologies.PATCHES,
                "validations": [{"rule": "has(self.spec.template.spec)", "message": "must have a spec"}],
            }
        ]
    },
}


def request() -> Object:
    """The controller's request for one Cluster of so many templates, three of them of the control plane."""
    cluster = topologies.cluster(0)
    workers = cluster["spec"]["topology"]["workers"]["machineDeployments"]
    one = workers[0]
    workers[:] = [{**one, "name": f"pool-{number}"} for number in range(TEMPLATES // 2)]
    cluster_class, *templates = topologies.class_items()
    cluster_class["spec"].pop("variables")
    external = {
        "generatePatchesExtension": f"{HANDLER}.fleet",
        "discoverVariablesExtension": "discover-variables-fleet.fleet",
    }
    cluster_class["spec"]["patches"] = [{"name": "check", "external": external}]
    with tempfile.TemporaryDirectory() as place:
        for number, item in enumerate((cluster_class, *templates, cluster, EXTENSION)):
            Path(place, f"{number}.yaml").write_text(emit.document(item), "utf-8")
        requests, problems = of_package(place, LocalCaller(load(read([place], []))))
    if problems or len(requests) != 1:
        raise MeasureError(f"the package of the extension does not render: {problems}")
    found = requests[0]
    del found["items"][TEMPLATES:]
    return found
