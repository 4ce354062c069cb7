"""Output of commands: the report model with places in files, formats, terminal, masking of secrets."""
