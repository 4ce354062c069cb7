"""Libraries that know no KRM, and nothing of krmkit: languages, formats, and what any program needs."""
