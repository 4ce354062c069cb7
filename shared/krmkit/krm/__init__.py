"""The KRM model that functions see: resource lists, resources, results, Kptfiles."""
