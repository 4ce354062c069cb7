"""Share configs, findings and releases among kpt's functions."""
