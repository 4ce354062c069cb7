"""CEL: compile an expression, bound its cost, evaluate it."""
