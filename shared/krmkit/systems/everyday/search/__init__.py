"""search-replace: find fields by value or path."""
