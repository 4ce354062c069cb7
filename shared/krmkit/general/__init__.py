"""Rules of functions that belong to no system: a module each, values in, values and findings out, as for the systems."""
