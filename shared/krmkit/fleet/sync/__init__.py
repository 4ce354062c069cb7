"""Package variants in git: clone, follow, adopt, propose, publish and delete package revisions, by Porch's rules."""
