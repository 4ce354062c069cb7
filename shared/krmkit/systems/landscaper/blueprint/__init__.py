"""Blueprints: imports, exports, executors, files and JSON schemas."""
