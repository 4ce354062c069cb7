"""Go's values in Python: their types, how Go prints and formats them, and functions with Go's parameter types.

Templates (`gotemplate`, `sprig`), spiff and the messages of Cluster API's and Landscaper's rules share it.
"""
