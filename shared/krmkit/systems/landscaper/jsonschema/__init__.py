"""Check imports and exports by JSON schemas as gojsonschema does."""
