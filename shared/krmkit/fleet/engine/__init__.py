"""Share the work on packages among this machine's processes, a cluster's machines, or shards."""
