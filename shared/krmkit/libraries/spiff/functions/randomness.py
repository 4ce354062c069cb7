"""Common parts of functions that need a seed or a package of the `spiff` extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from krmkit.libraries.messages.extras import how
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure
from krmkit.libraries.spiff.tree.randomness import Chance


@contextmanager
def needed(package: str, name: str) -> Iterator[None]:
    """Turn the ImportError of a package that a function needs into a Failure that names the extra."""
    try:
        yield
    except ImportError:
        raise Failure(
            f"{name}: needs the package {package}, which is not installed: {how('spiff')}"
        ) from None


def chance(name: str, env: Env) -> Chance:
    """Return the chance of the run. Raises Failure if it has none."""
    found = env.run.chance
    if found is None:
        raise Failure(
            f"{name}: not supported: the result would differ from run to run; a seed makes it repeatable"
        )
    return found
