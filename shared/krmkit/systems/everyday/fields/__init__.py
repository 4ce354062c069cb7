"""Define the fields that the functions set: tables of paths by kind, specs of configs, line comments."""
