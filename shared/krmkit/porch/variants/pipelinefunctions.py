"""Functions of a pipeline as the Kptfile API types them: known fields only, nothing empty.

Source: Function in kptdev/kpt, api/kptfile/v1/types.go.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# In the order of the API; the Kptfile's order is that of krmkit.porch.fieldorder.
FIELDS = ("image", "exec", "configPath", "configMap", "name", "tag", "selectors", "exclude")
LISTS = ("mutators", "validators")


def typed_function(function: dict[str, Any]) -> dict[str, Any]:
    """A copy with the API's fields alone, the empty ones left out."""
    return {field: function[field] for field in FIELDS if function.get(field)}
