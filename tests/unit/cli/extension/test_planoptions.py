"""The flag --extension of `krmkit topology plan`: what is refused."""

from __future__ import annotations

from argparse import Namespace

import pytest

from krmkit.cli import topology
from krmkit.cli.topologysource import PlanError
from krmkit.clusterapi.topology import TopologyOptions

HERE = "a=http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"], "must be NAME=https://"),
        (["=https://x"], "must be NAME=https://"),
        (["a=http://example.com"], "--extension a: .* must be https"),
        (["a=exec:'x"], "--extension a: .*No closing quotation"),
        ([HERE, HERE], "--extension a is given twice"),
    ],
)
def test_what_is_refused(given: list[str], message: str) -> None:
    """The message has the flag, and what would be right."""
    arguments = Namespace(extension=given, record="", ca_file="", client_cert="", client_key="")

    with pytest.raises(PlanError, match=message):
        topology._extensions(arguments, TopologyOptions())
