"""The patch engine: it makes requests of templates, generates and applies patches, and writes the results back.

Source: core/reconcilers/topology/cluster/patches of kubernetes-sigs/cluster-api.
"""
