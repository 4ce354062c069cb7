"""Files and folders: read them by one set of rules, and write them so that a killed run loses nothing."""
