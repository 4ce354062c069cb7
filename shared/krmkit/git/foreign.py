"""What a repository that is given must not do: run programs of its config, or lead git to files outside of it.

A repository's config, its hooks and its links come from whoever made it. The user's own config and environment are trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

# The transports of an address that the user named. Helpers such as `ext::COMMAND` and `fd::17` are none of them.
NETWORK: tuple[str, ...] = ("file", "git", "http", "https", "ssh")
# A remote that only the repository names is never a folder of this machine: the hooks of that folder would run.
ELSEWHERE: tuple[str, ...] = ("git", "http", "https", "ssh")

# Keys that stand once, with values that run nothing. Those of transports (core.sshCommand, credential.helper, uploadpack, ...)
# are not among them: no command with a transport reads a given repository's config.
SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.alternateRefsCommand=true",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
)

# Keys with a name of the user's choice in the middle, such as filter.NAME.clean, and what takes them out of force.
_NAMED = {
    "filter": (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")),
    "hook": (("enabled", "false"),),
}
_LOCAL = ("local", "worktree")
# Names of a repository that a link may not lead out of it.
_INSIDE = ("objects", "refs", "refs/heads", "refs/tags", "refs/krmkit", "packed-refs")


def overrides(listed: bytes) -> tuple[tuple[str, str], ...]:
    """Return settings against the programs that a repository names, given what `git config --null --show-scope --list` says.

    Example: `local\\0filter.x.clean\\nrm -rf .\\0` gives (("filter.x.clean", ""), ("filter.x.smudge", ""), ...).
    """
    words = listed.decode("utf-8", "surrogateescape").split("\0")
    found: dict[str, str] = {}
    for scope, setting in zip(words[::2], words[1::2], strict=False):
        key = setting.partition("\n")[0]
        section, _, rest = key.partition(".")
        name, dot, _ = rest.rpartition(".")
        if scope in _LOCAL and dot and section in _NAMED:
            found.update({f"{section}.{name}.{last}": value for last, value in _NAMED[section]})
    return tuple(found.items())


def settings_environment(settings: tuple[tuple[str, str], ...], given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that give settings to git, beside those that `given` has; a name may hold an equals sign there."""
    count = given.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isascii() and count.isdecimal() and len(count) < 6 else 0
    named = {f"GIT_CONFIG_KEY_{first + number}": key for number, (key, _) in enumerate(settings)}
    values = {f"GIT_CONFIG_VALUE_{first + number}": value for number, (_, value) in enumerate(settings)}
    return {**named, **values, "GIT_CONFIG_COUNT": str(first + len(settings))}


def allowed_protocols(wanted: tuple[str, ...], given: Mapping[str, str]) -> str:
    """Return GIT_ALLOW_PROTOCOL: the wanted ones, without those that the user's own variable leaves out."""
    own = given.get("GIT_ALLOW_PROTOCOL")
    return ":".join(one for one in wanted if own is None or one in own.split(":"))


def leads_outside(common: Path) -> str:
    """Say what leads out of a repository, "" where nothing does; `common` is its folder with objects and refs.

    A folder of objects that GIT_ALTERNATE_OBJECT_DIRECTORIES names is the user's choice.
    """
    top = os.path.realpath(common)
    for name in _INSIDE:
        place = os.path.realpath(common / name)
        if not _below(place, top):
            return f"{name} is a link to {place}; it must lie in the repository"
    own = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
    named = {os.path.realpath(folder) for folder in own if folder}
    for place in _alternates(common / "objects"):
        if not _below(place, top) and place not in named:
            return (
                f"objects/info/alternates names {place}, which lies outside; if it is yours, name it in"
                " GIT_ALTERNATE_OBJECT_DIRECTORIES, or let `git repack -a -d` copy its objects and remove the file"
            )
    return ""


def _alternates(objects: Path) -> list[str]:
    try:
        listed = (objects / "info" / "alternates").read_bytes()
    except OSError:
        return []
    lines = [os.fsdecode(line) for line in listed.split(b"\n")]
    return [os.path.realpath(objects / line) for line in lines if line and not line.startswith("#")]


def _below(place: str, top: str) -> bool:
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)
