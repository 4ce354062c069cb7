"""Runtime hooks of Cluster API: the rules of configs, discovery and messages, and extensions that are data.

Rules only: what listens or calls stands in krmkit.cli. Source: internal/runtime of kubernetes-sigs/cluster-api.
"""
