"""PackageVariantSets: targets, templates, generated PackageVariants."""
