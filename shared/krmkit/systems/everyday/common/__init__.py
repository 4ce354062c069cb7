"""Shared by all of kpt's functions: configs, findings, and the releases whose rules they follow."""
