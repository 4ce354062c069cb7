"""The desired state of managed topologies, computed from Clusters, classes and templates."""
