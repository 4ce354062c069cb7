"""Rules about several systems at once: what a pack, a Cluster, an Installation and a variant say about the same thing."""
