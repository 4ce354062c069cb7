"""Constraints of packs: schema, dependencies, resources of machine pools."""
