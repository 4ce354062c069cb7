"""The secret values of a package and of its render, which no output may contain."""
