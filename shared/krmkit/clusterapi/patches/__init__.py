"""The patch engine: requests made of templates, patches generated and applied, and the results written back.

Source: core/reconcilers/topology/cluster/patches of kubernetes-sigs/cluster-api.
"""
