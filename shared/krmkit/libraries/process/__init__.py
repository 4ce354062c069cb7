"""The process of a program: work in a child of limited memory, and a stderr that never makes it fail."""
