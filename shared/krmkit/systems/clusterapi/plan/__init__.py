"""The effects of a change: objects created, changed, removed, machines that roll."""
