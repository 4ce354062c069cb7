"""The flow of a document: passes over its tree until none changes it."""
