"""The functions that sprig adds to Go templates."""
