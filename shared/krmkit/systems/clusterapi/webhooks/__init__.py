"""Default and validate Clusters and ClusterClasses as their webhooks do."""
