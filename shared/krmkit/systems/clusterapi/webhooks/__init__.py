"""The webhooks of Cluster and ClusterClass: defaulting and validation."""
