r"""Read YAML as sigs.k8s.io/yaml does: through JSON, with the rules of yaml.v2.

load("a: yes\nn: 1\n")   # {"a": True, "false": 1}
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.yaml.data import go2_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError


def load(text: str) -> object:
    """Return the data of the first document, as Go reads it; None if empty. Raises GoInputError."""
    try:
        return go2_data(parse(text, duplicates="keep", alone=False).root)
    except YamlError as error:
        raise GoInputError(f"error converting YAML to JSON: yaml: {error}") from None
    except RecursionError:
        raise GoInputError("error converting YAML to JSON: yaml: the text is nested too deeply") from None
