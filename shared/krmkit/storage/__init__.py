"""Files on a disk and objects in git, written so that a killed run loses nothing."""
