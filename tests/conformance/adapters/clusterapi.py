"""Cluster API's vectors, by what they are about. README.md and REAL.md beside the vectors say what a record holds."""

from __future__ import annotations

from tests.conformance.adapters import (
    clusterapi_hooks,
    clusterapi_live,
    clusterapi_topology,
    clusterapi_variables,
    clusterapi_webhooks,
)

FILES = {
    **clusterapi_variables.FILES,
    **clusterapi_webhooks.FILES,
    **clusterapi_topology.FILES,
    **clusterapi_hooks.FILES,
    **clusterapi_live.FILES,
}
