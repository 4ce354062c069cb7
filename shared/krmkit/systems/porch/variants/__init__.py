"""One PackageVariant: context, pipeline, injection, lifecycle."""
