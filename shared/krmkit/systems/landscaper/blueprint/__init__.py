"""Read blueprints: imports, exports, executors, files and JSON schemas."""
