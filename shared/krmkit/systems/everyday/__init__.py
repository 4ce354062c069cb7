"""kpt's everyday functions: the rules of set-namespace, set-labels, apply-setters and others of kpt's catalog.

Rule engines only: a ResourceList and a config in, edits and findings out. Source: kptdev/krm-functions-catalog at commit
76fe3817, and the releases set-namespace v0.4.1, set-image v0.1.1 and apply-replacements v0.1.1. Where the original loses
data or writes nonsense, these do not; each function's page says where.
"""
