"""Types of the Cluster API: decoding, conversion between versions, names, labels, errors."""
