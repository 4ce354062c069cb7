"""Go's time: durations, layouts, parsing and formatting of times, zones."""
