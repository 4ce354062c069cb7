"""Run kpt's everyday functions: set-namespace, set-labels, apply-setters and others of its catalog.

Each takes a ResourceList and a config, and gives edits and findings. Source: kptdev/krm-functions-catalog at
76fe3817; releases set-namespace v0.4.1, set-image v0.1.1, apply-replacements v0.1.1. Some originals lose data
or write nonsense; each function's page lists where krmkit deviates from them.
"""
