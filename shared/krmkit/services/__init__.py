"""Servers: the evaluator (Porch), topology extensions (Cluster API) and the preview page (loopback)."""
