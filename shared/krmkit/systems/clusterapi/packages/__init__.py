"""Apply the webhooks to a whole package: default and validate its Clusters, classes and objects."""
