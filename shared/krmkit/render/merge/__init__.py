"""Three-way merge of packages: which resources are the same, texts inside and out, what both sides changed and where."""
