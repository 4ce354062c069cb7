"""Implement the runtime hooks of Cluster API: configs, discovery, messages, and extensions that are data.

Rules only: servers and clients are in krmkit.services. Source: internal/runtime of
kubernetes-sigs/cluster-api.
"""
