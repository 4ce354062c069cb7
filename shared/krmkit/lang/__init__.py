"""Evaluators that know no KRM: templates, CEL, schemas, versions, quantities, patterns, selectors."""
