"""Go's text/template: `parse(text)` gives a Template, `Template.execute(data)` gives text.

    from krmkit.libraries.gotemplate import TemplateError, parse

    template = parse("{{ range .items }}{{ .name | upper }} {{ end }}", name="list", functions="sprig")
    template.execute({"items": [{"name": "a"}]})   # "A "

`functions` is a set by name (builtins, sprig, hermetic, landscaper) or a mapping of names to GoFunction.
Errors are TemplateErrors in Go's words, with the phase (parse, exec), line and column. Nothing depends on the
clock, the environment or chance, and TemplateLimits bounds what a hostile template can use.
go/core/values.py documents how Go's types appear in Python.

Differences from Go: maps are always in the order of their keys; a list has no more capacity than its length;
data hold no functions, so that `call` can only fail; TemplateLimits ends nesting and recursion earlier.

A template without functions of sprig loads none of its modules.
"""

from __future__ import annotations

from krmkit.libraries.gotemplate.errors import TemplateError
from krmkit.libraries.gotemplate.template import Template, function_set, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.gotemplate.outputparts import OutputPart, parts
    from krmkit.libraries.gotemplate.rootfields import FieldNames, UnknownField, root_fields, unknown_fields

__all__ = [
    "FieldNames",
    "OutputPart",
    "Template",
    "TemplateError",
    "UnknownField",
    "function_set",
    "parse",
    "parts",
    "root_fields",
    "unknown_fields",
]


def __getattr__(name: str) -> object:
    """Load the modules that analyse templates on first access, because execution does not need them."""
    if name not in __all__:
        raise AttributeError(name)
    from krmkit.libraries.gotemplate import outputparts, rootfields

    return getattr(outputparts if name in ("OutputPart", "parts") else rootfields, name)
