"""Kubernetes' own terms: names, quantities, label selectors, errors with field paths."""
