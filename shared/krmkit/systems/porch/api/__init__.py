"""Define Porch's API: names of groups, kinds and conditions, and the schemas of its specs."""
