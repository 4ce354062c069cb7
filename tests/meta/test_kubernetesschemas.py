"""The schemas of Kubernetes that krmkit ships are those of the package that requirements/dev.txt locks."""

from __future__ import annotations

import base64
import json
import zlib

from krmkit.libraries.kube.publishedschemas import PACKED
from tools.kubernetesschemas import TARGET, data


def test_they_are_as_the_tool_writes_them() -> None:
    """`python -m tools.kubernetesschemas` writes them again."""
    assert json.loads(zlib.decompress(base64.b64decode(PACKED))) == data()
    assert TARGET.read_text("utf-8").count("\n") < 10
