"""CEL: compiled, its cost bounded before evaluation, evaluated."""
