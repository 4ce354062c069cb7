"""Shares the work on many packages: among the processes of this machine, among the machines of a cluster, or by shards."""
