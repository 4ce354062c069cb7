"""Sync package variants in git: clone, follow, adopt, propose, publish and delete revisions as Porch does."""
