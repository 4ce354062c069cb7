"""Three-way merge of packages: match resources, merge texts in fields and files, and place conflicts."""
