"""Define the options that all services of `krmkit serve` share."""

from __future__ import annotations

import argparse

from krmkit.cli.arguments import cores, count


def add_address(parser: argparse.ArgumentParser, port: int) -> None:
    """Add --host, and --port with its default."""
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen on; 0.0.0.0 or [::] for all (default: %(default)s)",
    )
    parser.add_argument(
        "--port", type=port_number, default=port, help="0 for any that is free (default: %(default)s)"
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add --workers, one per core by default, and --grace."""
    parser.add_argument(
        "--workers",
        type=count,
        default=cores(),
        metavar="N",
        help="processes that work, each on one call at a time (default: one per core, here %(default)s)",
    )
    parser.add_argument(
        "--grace",
        type=duration,
        default=25.0,
        metavar="SECONDS",
        help="time for running calls to end when the server stops (default: %(default)g)",
    )


def add_connections(parser: argparse.ArgumentParser, more: str) -> None:
    """Add --max-connections. more: the fate of connections above the limit."""
    parser.add_argument(
        "--max-connections",
        type=count,
        default=512,
        metavar="N",
        help=f"connections at a time; {more} (default: %(default)s)",
    )


def add_certificates(parser: argparse.ArgumentParser, client_ca: str) -> None:
    """Add --tls-cert, --tls-key, and the flag `client_ca` for the clients' authority."""
    parser.add_argument("--tls-cert", default="", metavar="FILE", help="serve with this certificate (PEM)")
    parser.add_argument("--tls-key", default="", metavar="FILE", help="the certificate's key (PEM)")
    parser.add_argument(
        client_ca,
        dest="client_ca",
        default="",
        metavar="FILE",
        help="serve only clients with a certificate of this authority (PEM)",
    )


def port_number(text: str) -> int:
    """Parse a port; 0 is any free port."""
    if not (text.isascii() and text.isdecimal() and int(text) <= 0xFFFF):
        raise argparse.ArgumentTypeError(f'must be a port from 0 to 65535, got "{text}"')
    return int(text)


def duration(text: str) -> float:
    """Parse a time in seconds, 0 or more."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e6:
        raise argparse.ArgumentTypeError(f'must be a number of seconds, got "{text}"')
    return number


def size(text: str) -> int:
    """Parse a size in bytes, above 0 and below 2 GiB."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 1 << 31):
        raise argparse.ArgumentTypeError(
            f"must be a number of bytes below 2 GiB, such as {6 << 20}, got {text}"
        )
    return int(text)
