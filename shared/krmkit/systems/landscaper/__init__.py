"""Compute Landscaper's installations without a cluster: values in, values and findings out."""
