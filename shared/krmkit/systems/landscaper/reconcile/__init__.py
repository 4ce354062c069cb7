"""Predict when Landscaper reconciles an Installation automatically."""
