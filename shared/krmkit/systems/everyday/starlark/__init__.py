"""Run Starlark programs on a ResourceList."""
