"""search-replace: fields found by value or path."""
