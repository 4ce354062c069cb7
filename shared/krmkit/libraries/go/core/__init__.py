"""What Go's other parts build on: values and their kinds, function tables, texts, casts, and the limits of a run."""
