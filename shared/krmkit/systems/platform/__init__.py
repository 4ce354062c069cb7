"""Rules about several systems at once: a pack, a Cluster, an Installation and a variant must agree about the same thing."""
