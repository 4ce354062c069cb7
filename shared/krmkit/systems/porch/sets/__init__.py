"""Run PackageVariantSets: targets, templates, generated PackageVariants."""
