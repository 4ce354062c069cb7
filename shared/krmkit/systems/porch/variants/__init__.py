"""Apply one PackageVariant: context, pipeline, injection, lifecycle."""
