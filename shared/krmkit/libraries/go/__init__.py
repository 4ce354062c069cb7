"""Go's values in Python: their types, how Go prints and formats them, and functions with Go's types.

Templates (`gotemplate`, `sprig`), spiff and the messages of Cluster API's and Landscaper's rules share it.
The public modules are listed in `__all__`, named as Go's packages and described in README.md.
"""

__all__ = ["core", "errors", "fmt", "json", "net", "regexp", "time", "yaml"]
