"""Check Installations and blueprints before they are rendered."""
