"""Values and their kinds, function tables, texts, casts and limits, on which Go's other parts build."""
