"""Go's values in Python: types, printing, formatting, and functions with Go's types.

Templates (`gotemplate`, `sprig`), spiff and the messages of Cluster API's and Landscaper's rules share it.
`__all__` lists the public modules, named as Go's packages and described in README.md.
"""

__all__ = ["core", "errors", "fmt", "json", "net", "regexp", "time", "yaml"]
