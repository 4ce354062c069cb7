"""The flow of data through installations: imports, nested installations, deploy items, exports."""
