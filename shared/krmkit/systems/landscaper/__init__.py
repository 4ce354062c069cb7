"""Landscaper's installations without a cluster: one module for each concept, values in, values and findings out."""
