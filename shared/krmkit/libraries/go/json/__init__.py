"""Go's encoding/json: data from JSON as Go values, reading and writing."""
