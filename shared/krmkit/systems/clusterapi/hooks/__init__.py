"""Runtime hooks of Cluster API: the rules of configs, discovery and messages, and extensions that are data.

Rules only: servers and clients are in krmkit.services. Source: internal/runtime of kubernetes-sigs/cluster-api.
"""
