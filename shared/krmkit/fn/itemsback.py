"""Return the items of a failed run, where the text around them cannot be edited, in a list of their own.

Such a text is a functionConfig or a list on one line with a line break that only some readers see, which the
editor refuses (docs/limits.md).
"""

from __future__ import annotations

from contextlib import suppress

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.limits import Limits

_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


def items_alone(text: str, results: list[dict[str, object]], limits: Limits) -> str:
    """Return a list with the items of the list `text` and these results, and nothing else.

    Raises YamlError or Refused if the result is not readable, as when an item needs an anchor outside the
    items.
    """
    came = ResourceList.parse(text, limits).items
    if came and came[0].column == 0:  # items in brackets stay in brackets
        tail = emit.document({"results": results})
        written = f"{_HEAD}items: [" + ",\n".join(item.text for item in came) + f"]\n{tail}"
    else:
        alone = ResourceList.of([_copy(item, limits) for item in came], limits=limits)
        alone.results = results
        written = alone.render()
    for item in ResourceList.parse(written, limits).items:
        with suppress(Refused):  # an item that is not a mapping comes back as well
            _ = item.document  # raises YamlError for an alias without its anchor
    return written


def _copy(item: Resource, limits: Limits) -> Resource:
    return Resource(item.text, column=item.column, limits=limits, label=item.label)
