"""Choose the engine for packages: this machine, or the cluster of --on."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from krmkit.cli.arguments import cores
from krmkit.fleet.engine.jobs import Engine, local
from krmkit.krm.errors import Refused


def engine_for(arguments: Namespace, count: int) -> Engine:
    """Return the cluster of --on, else --jobs processes of this machine. Raises Refused."""
    if arguments.on:
        from krmkit.fleet.engine.dask import DaskEngine

        return DaskEngine(arguments.on)
    return local(arguments.jobs or cores(), count)


def check_engine(arguments: Namespace) -> None:
    """Raise Refused if --on and --jobs are both given."""
    if arguments.on and arguments.jobs:
        raise Refused(
            f"--jobs {arguments.jobs} says how many processes of this machine work, and with --on the cluster does;"
            " leave out --jobs, or --on to work here"
        )


def add_on(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--on",
        type=_address,
        default=None,
        metavar="ADDRESS",
        help="let a cluster of Dask build the packages, by the address of its scheduler, such as tcp://10.0.0.1:8786",
    )


def _address(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError('must be the address of a scheduler, such as tcp://10.0.0.1:8786, got ""')
    return text
