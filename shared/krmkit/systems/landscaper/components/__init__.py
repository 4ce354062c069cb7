"""Component descriptors and their resources: folders, archives, references."""
