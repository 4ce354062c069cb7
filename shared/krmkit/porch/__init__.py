"""Porch's package variants: what its controllers do to PackageVariantSets, PackageVariants and packages.

Rule engines only: decoded values and resources in, values, edits and findings out. Source: kptdev/porch, the packagevariants and
packagevariantsets controllers.
"""
