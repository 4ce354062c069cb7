"""Define the flags for running functions: known functions, replaced images, and allowed programs."""

from __future__ import annotations

import argparse

from krmkit.cli.arguments import add_functions, seconds
from krmkit.fn.commandline import FLAGS, parse_arguments
from krmkit.fn.run import RunOptions
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.render.programs.external import TIMEOUT
from krmkit.render.resolve import ProgramResolver

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")


def add_running(parser: argparse.ArgumentParser) -> None:
    """Add the flags for known functions, and for functions outside the catalog."""
    add_functions(parser)
    for flag, what in (
        ("--skip", "leave out this function, as one whose container cannot run here; a warning says so"),
        ("--only", "leave out all functions but this; for each a warning says so"),
    ):
        parser.add_argument(flag, action="append", default=[], metavar="FUNCTION", help=what)
    for flag, metavar in (("--crds", "DIR"), ("--limit", "NAME=N")):
        parser.add_argument(
            flag, action="append", default=[], metavar=metavar, help=FLAGS[f"{flag} {metavar}"]
        )
    parser.add_argument(
        "--containers",
        action="append",
        default=[],
        metavar="NAME",
        help="run the image of this function in a container, though the catalog has one of that name",
    )
    add_in_process(parser)
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse an image whose release or digest the catalog's function does not follow, instead of a warning",
    )
    parser.add_argument("--allow-exec", action="store_true", help="let programs outside the catalog run")
    parser.add_argument("--allow-network", action="store_true", help="let containers reach the network")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help="how long a function outside the catalog may take (default: %(default)g)",
    )
    parser.add_argument(
        "--image-pull-policy",
        type=lambda text: next((each for each in _PULL_POLICIES if each.lower() == text.lower()), text),
        choices=_PULL_POLICIES,
        default="IfNotPresent",
        help="when to pull images (default: %(default)s)",
    )
    parser.add_argument(
        "--image-prefix",
        default="",
        metavar="REGISTRY",
        help="the registry of images that name none (default: KPT_IMAGE_PREFIX, else kpt's catalog)",
    )


def add_in_process(parser: argparse.ArgumentParser) -> None:
    """Add --in-process: registries whose images the catalog's functions replace."""
    parser.add_argument(
        "--in-process",
        action="append",
        default=[],
        type=_registry,
        metavar="PREFIX",
        help="a registry that holds the catalog's images, such as registry.example/kpt-fn: its functions run in this process",
    )


def _registry(text: str) -> str:
    if not text.strip("/") or "://" in text or "@" in text:
        raise argparse.ArgumentTypeError(
            f'must be a registry and a path, such as registry.example/kpt-fn, got "{text}"'
        )
    return text.strip("/")


def options_of(arguments: argparse.Namespace, explain: bool = False) -> RunOptions:
    """Return a run's options for the flags of `add_running`, --explain and --debug. Raises Refused."""
    words = [f"--{name}" for name in ("explain", "debug") if getattr(arguments, name, False)]
    words += ["--explain"] * explain
    words += [f"--{name}={value}" for name in ("crds", "limit") for value in getattr(arguments, name)]
    return parse_arguments(words).options


def resolver_of(arguments: argparse.Namespace, options: RunOptions) -> ProgramResolver:
    """Return the resolver of functions for the flags of `add_running`. Raises Refused."""
    from krmkit.fn.knownfunctions import catalog
    from krmkit.render.resolve import ProgramResolver

    if arguments.containers:
        known = sorted(catalog(arguments.functions))
        for name in arguments.containers:
            if name not in known:
                near = did_you_mean(name, known)
                raise Refused(
                    f'--containers: the catalog has no function "{name}"{near} (other images run in containers anyway)'
                )
    return ProgramResolver.of(
        arguments, options, catalog(arguments.functions) if arguments.functions else None
    )
