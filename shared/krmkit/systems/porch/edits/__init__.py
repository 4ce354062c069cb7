"""Edit as Porch does: only values that differ, fields in kyaml's order."""
