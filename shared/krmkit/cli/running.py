"""The flags for how functions run: which are known, who answers an image, and what may run outside the catalog."""

from __future__ import annotations

import argparse

from krmkit.cli.arguments import add_functions, seconds
from krmkit.fn.run import RunOptions
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.render.programs.external import TIMEOUT
from krmkit.render.resolve import ProgramResolver

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")


def add_running(parser: argparse.ArgumentParser) -> None:
    """Add the flags for which functions are known, and how functions outside the catalog run."""
    add_functions(parser)
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
    """Add --in-process, registries whose images the catalog's functions stand in for."""
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


def resolver_of(arguments: argparse.Namespace, options: RunOptions) -> ProgramResolver:
    """The resolver of functions for the flags of `add_running`. Raises Refused."""
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
    resolver = ProgramResolver(
        options,
        arguments.allow_exec,
        arguments.allow_network,
        arguments.image_pull_policy,
        arguments.timeout,
        catalog(arguments.functions) if arguments.functions else None,
        tuple(arguments.containers),
        tuple(arguments.in_process),
        arguments.strict,
    )
    resolver.image_prefix = arguments.image_prefix
    resolver.skip = frozenset(getattr(arguments, "skip", ()))
    resolver.only = frozenset(getattr(arguments, "only", ()))
    return resolver
