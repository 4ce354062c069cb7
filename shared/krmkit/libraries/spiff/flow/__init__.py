"""The flow of a document: passes over its tree until nothing changes."""
