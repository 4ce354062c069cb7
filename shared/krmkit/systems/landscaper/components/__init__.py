"""Read component descriptors and their resources: folders, archives, references."""
