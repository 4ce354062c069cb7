"""Images that hold no function: a command of krmkit that serves. tools/images/<name>.py is what such an image starts."""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """A command in an image of its own.

    locks: the files below requirements/ whose packages it needs, all of each. page: its documentation below docs/.
    """

    summary: str
    locks: tuple[str, ...]
    page: str


PROGRAMS = {
    "topology-extension": Program(
        "Serve runtime extensions of Cluster API from TopologyExtensions and Python modules.",
        ("cel", "extension"),
        "topology-extensions.md",
    )
}
