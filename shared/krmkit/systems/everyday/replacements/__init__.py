"""Copy a field of one resource into fields of others."""
