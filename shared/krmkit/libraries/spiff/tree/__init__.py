"""The tree of a document: nodes, the place of an expression, reading YAML, and the limits of a run."""
