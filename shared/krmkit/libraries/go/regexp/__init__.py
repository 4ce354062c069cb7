"""Regular expressions as Go's regexp has them: RE2 syntax, matched in linear time, effort counted."""
