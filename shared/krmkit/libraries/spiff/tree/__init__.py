"""The tree that is worked on: nodes, the place of an expression, reading YAML, and the limits of a run."""
