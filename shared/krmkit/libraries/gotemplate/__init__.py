"""Go's text/template: parse(text) makes a Template, Template.execute(data) makes text.

    from krmkit.libraries.gotemplate import TemplateError, parse

    template = parse("{{ range .items }}{{ .name | upper }} {{ end }}", name="list", functions="sprig")
    template.execute({"items": [{"name": "a"}]})   # "A "

`functions` is a set by name (builtins, sprig, hermetic, landscaper) or a mapping of names to functions.Function. What goes
wrong is a TemplateError in Go's words, with the phase (parse, exec), line and column. Nothing depends on the clock, the
environment or chance, and TemplateLimits bounds what a hostile template can use. values.py documents how Go's types appear in Python.

Differences from Go: maps are always in the order of their keys; a list has no more capacity than its length; data hold
no functions, so that `call` can only fail; nesting and recursion end earlier (TemplateLimits), with an error.

A template without sprig functions loads none of sprig.
"""

from __future__ import annotations

from krmkit.libraries.gotemplate.errors import TemplateError
from krmkit.libraries.gotemplate.functionsets import function_set
from krmkit.libraries.gotemplate.template import Template, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.gotemplate.rootfields import FieldNames, UnknownField, root_fields, unknown_fields

__all__ = [
    "FieldNames",
    "Template",
    "TemplateError",
    "UnknownField",
    "function_set",
    "parse",
    "root_fields",
    "unknown_fields",
]


def __getattr__(name: str) -> object:
    """Load what looks for unknown fields when somebody asks for it: who runs a template starts without it."""
    if name not in __all__:
        raise AttributeError(name)
    from krmkit.libraries.gotemplate import rootfields

    return getattr(rootfields, name)
