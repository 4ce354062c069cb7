"""Parts of error messages: the nearest known name, the first of many names, how to install an extra."""
