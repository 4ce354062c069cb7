"""Go's regexp: RE2 syntax, matched in linear time, with counted effort."""
