"""JSON schemas of imports and exports, checked as gojsonschema checks them."""
