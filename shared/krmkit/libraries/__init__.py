"""Libraries without KRM and krmkit terms: languages, formats, and parts that any program needs."""
