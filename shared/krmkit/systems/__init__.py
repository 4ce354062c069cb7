"""The rules, one folder a system. None imports another but `platform`, which holds the rules between them."""
