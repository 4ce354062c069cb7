"""Files and folders: reading them by one set of rules, and writing them so that a killed run loses nothing."""
