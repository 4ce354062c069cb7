"""Patches and desired state, by what they are about."""

from __future__ import annotations

from tests.conformance.adapters import clusterapi_desired, clusterapi_patches, clusterapi_versions

FILES = {**clusterapi_patches.FILES, **clusterapi_versions.FILES, **clusterapi_desired.FILES}
