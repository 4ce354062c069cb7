"""The webhooks over a whole package: defaulting and validation of its Clusters, classes and objects."""
