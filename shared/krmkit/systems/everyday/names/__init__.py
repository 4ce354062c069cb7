"""Change names and namespaces of resources, and the references to them."""
