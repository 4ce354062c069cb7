"""Automatic reconciliation: when Landscaper would reconcile an Installation."""
