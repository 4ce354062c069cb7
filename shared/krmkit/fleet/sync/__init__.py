"""Package variants in git: clone, follow, adopt, propose, publish and delete revisions by Porch's rules."""
