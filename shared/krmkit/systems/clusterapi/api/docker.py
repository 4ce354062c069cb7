"""Convert the specs of the Docker provider's kinds between v1beta1 and v1beta2, both ways.

Failure domains are a map in v1beta1 and a list in v1beta2, and an endpoint that is not set yet is absent in
v1beta2. Source: test/infrastructure/docker/api/v1beta1/conversion.go of kubernetes-sigs/cluster-api.
"""

from __future__ import annotations

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import drop, entries, find, put

_DOMAINS = (("failureDomains",), ("backend", "docker", "failureDomains"))
_ENDPOINT = ("controlPlaneEndpoint",)
_UNSET = {"host": "", "port": 0}


def same(spec: Object) -> Object:
    """Return the spec of a kind whose versions do not differ."""
    return spec


def cluster_to_v1beta2(spec: Object) -> Object:
    """Return the spec of a DevCluster or DockerCluster of v1beta1 as v1beta2."""
    for path in _DOMAINS:
        domains = find(spec, path)
        if isinstance(domains, dict):
            found = [
                {"name": name, **(one if isinstance(one, dict) else {})}
                for name, one in sorted(domains.items())
            ]
            spec = put(spec, path, found)
    endpoint = find(spec, _ENDPOINT)
    if isinstance(endpoint, dict):
        kept = {name: value for name, value in endpoint.items() if value != _UNSET.get(name)}
        spec = put(spec, _ENDPOINT, kept) if kept else drop(spec, _ENDPOINT)
    return spec


def cluster_to_v1beta1(spec: Object) -> Object:
    """Return the spec of a DevCluster or DockerCluster of v1beta2 as v1beta1."""
    for path in _DOMAINS:
        domains = find(spec, path)
        if isinstance(domains, list):
            named = {str(one.get("name", "")): one for one in entries(domains)}
            found = {
                name: {key: value for key, value in one.items() if key != "name"}
                for name, one in named.items()
            }
            spec = put(spec, path, found)
    return spec
