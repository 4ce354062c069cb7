"""Values as YAML and JSON texts."""

from __future__ import annotations

from krmkit.go.json.functions import must_to_json
from krmkit.spiff.environment import Env
from krmkit.spiff.nodes import Node
from krmkit.spiff.output import data
from krmkit.yaml import emit


def to_yaml(node: Node, env: Env) -> str:
    """A node as a YAML document, with its final line break."""
    return emit.document(data(node, env.run))


def to_json(node: Node, env: Env) -> str:
    """A node as JSON on one line, as Go writes it."""
    return must_to_json(data(node, env.run))
