"""Compute Cluster API's topologies: variables, patches, desired state and webhooks.

Rule engines only: decoded values in, values and findings out. Source: kubernetes-sigs/cluster-api, main
after v1.14.0-rc.0.
"""
