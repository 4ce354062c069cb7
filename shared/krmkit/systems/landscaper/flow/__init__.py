"""Compute the data flow through installations: imports, nested installations, deploy items, exports."""
