"""The rules, one folder a system; none imports another, except `platform`, which holds the rules between them."""
