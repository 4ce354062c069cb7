"""Patch templates: make requests, generate and apply patches, and write the results back.

Source: core/reconcilers/topology/cluster/patches of kubernetes-sigs/cluster-api.
"""
