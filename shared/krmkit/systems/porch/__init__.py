"""Apply Porch's package variants: the rules of its controllers for sets, variants and packages.

Rule engines only: decoded values and resources in, values, edits and findings out. Source: kptdev/porch, the
packagevariants and packagevariantsets controllers.
"""
