"""Names and namespaces of resources, and what refers to them."""
