"""Git repositories as stores of packages, read and written by git's plumbing, without a work tree."""
