"""The results of a render as findings: their places in files, and the report of a package."""
