"""Split a fleet into stable parts, so that the jobs of a CI matrix share it without coordination."""

from __future__ import annotations

import argparse
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shard:
    """The part `number` of `count` parts of a fleet, by a hash of each package's name.

    Example: `Shard(1, 3).takes("shops/north")`.
    """

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def whole(self) -> bool:
        return self.count == 1

    def takes(self, name: str) -> bool:
        """Return whether the part has the package: the answer is the same on every machine and version."""
        import hashlib

        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        return int(digest, 16) % self.count == self.number - 1


def shard(text: str) -> Shard:
    """Parse the value of --shard. Raises argparse's error. Example: `shard("2/3").number == 2`."""
    number, _, count = text.partition("/")
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in (number, count)):
        raise argparse.ArgumentTypeError(f"must be K/N, such as 2/3, got {text!r}")
    if not 1 <= int(number) <= int(count):
        raise argparse.ArgumentTypeError(f"must be K/N with 1 <= K <= N, got {text!r}")
    return Shard(int(number), int(count))


def add_shard(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--shard",
        type=shard,
        default=Shard(),
        metavar="K/N",
        help="only the K-th of N parts of the packages, by a hash of each one's name",
    )
