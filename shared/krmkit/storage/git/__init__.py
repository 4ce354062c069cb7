"""Git repositories as stores of packages: objects are read and written by git's own plumbing, without a work tree."""
