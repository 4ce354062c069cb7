"""Report why a command stopped; this is the only place that does."""

from __future__ import annotations

from krmkit.libraries.process.stderr import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Commands that have commands of their own, whose names belong to the title.
_PARENTS = frozenset(("clusterctl", "landscaper", "new", "pack", "pkg", "spiff", "topology", "variants"))


def answered(words: list[str], command: Callable[[], int]) -> int:
    """Return a command's exit code: 1, with a report, after a Refused or an unreadable text.

    The title of the report has the command's whole name: `krmkit pkg get: ...`.
    """
    try:
        return command()
    except BrokenPipeError:
        raise
    except Exception as error:
        if not _is_refusal(error):
            raise
        say(" ".join(words[: 2 if words[0] in _PARENTS else 1]), error)
        return 1


def _is_refusal(error: Exception) -> bool:
    """Return whether an error is about the user's input: an OSError without a file is about stdout."""
    if isinstance(error, OSError):
        return bool(error.filename)
    from krmkit.krm.errors import Refused
    from krmkit.libraries.messages.extras import MissingDependencyError
    from krmkit.libraries.yaml.effort import EffortError
    from krmkit.libraries.yaml.errors import YamlError

    return isinstance(error, Refused | MissingDependencyError | YamlError | EffortError)
