"""Which engine works: this machine, or the cluster that --on names."""

from __future__ import annotations

from argparse import ArgumentParser

from krmkit.cli.work.workengine import Engine, local


def engine_for(address: str, jobs: int, count: int) -> Engine:
    """The cluster at an address, or without one this machine. Raises EngineError."""
    if address:
        from krmkit.cli.work.daskengine import DaskEngine

        return DaskEngine(address)
    return local(jobs, count)


def add_on(parser: ArgumentParser) -> None:
    """Add --on."""
    parser.add_argument(
        "--on",
        default="",
        metavar="ADDRESS",
        help="let a cluster of Dask build the packages, by the address of its scheduler, such as tcp://10.0.0.1:8786",
    )
