"""Servers: the evaluator (gRPC, for Porch), topology extensions (HTTPS, for Cluster API), the preview page (loopback)."""
