"""Keep a repository from running programs named in its config, and from making git read outside files.

A repository's config, hooks and links come from its author. The user's own config and environment are
trusted.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from krmkit.storage.disk.folders import walk

# The transports of an address that the user named, without helpers such as `ext::COMMAND` and `fd::17`.
NETWORK: tuple[str, ...] = ("file", "git", "http", "https", "ssh")
# A remote that only the repository's config names must be no local folder: its hooks would run.
ELSEWHERE: tuple[str, ...] = ("git", "http", "https", "ssh")

# Keys without a subsection, with values that run nothing. Those of transports (core.sshCommand,
# uploadpack, ...) are not among them: no command with a transport reads a given repository's config.
SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.alternateRefsCommand=true",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
)

# Keys with a subsection, such as filter.NAME.clean, and the values that disable them.
_NAMED = {
    "filter": (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")),
    "hook": (("enabled", "false"),),
}
_LOCAL = ("local", "worktree")
# Entries of a repository that must not be links out of it.
_READ_FIRST = ("HEAD", "config", "config.worktree", "packed-refs", "shallow", "objects/info/alternates")
_RULES = frozenset((".gitignore", ".gitattributes"))
_INSIDE = ("objects", "refs", "refs/heads", "refs/tags", "refs/krmkit", "packed-refs")


def overrides(listed: bytes) -> tuple[tuple[str, str], ...]:
    """Return settings that disable the programs in a repository's config, from the output of `git config
    --null --show-scope --list`.

    Example: `local\\0filter.x.clean\\nrm -rf .\\0` gives (("filter.x.clean", ""), ("filter.x.smudge", ""),
    ...).
    """
    words = listed.decode("utf-8", "surrogateescape").split("\0")
    settings: dict[str, str] = {}
    for scope, setting in zip(words[::2], words[1::2], strict=False):
        key = setting.partition("\n")[0]
        section, _, rest = key.partition(".")
        name, dot, _ = rest.rpartition(".")
        if scope in _LOCAL and dot and section in _NAMED:
            settings.update({f"{section}.{name}.{last}": value for last, value in _NAMED[section]})
    return tuple(settings.items())


def settings_environment(settings: tuple[tuple[str, str], ...], given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with settings for git, after those in `given`; names may hold an equals sign."""
    count = given.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isascii() and count.isdecimal() and len(count) < 6 else 0
    named = {f"GIT_CONFIG_KEY_{first + number}": key for number, (key, _) in enumerate(settings)}
    values = {f"GIT_CONFIG_VALUE_{first + number}": value for number, (_, value) in enumerate(settings)}
    return {**named, **values, "GIT_CONFIG_COUNT": str(first + len(settings))}


def allowed_protocols(wanted: tuple[str, ...], given: Mapping[str, str]) -> str:
    """Return GIT_ALLOW_PROTOCOL: the wanted protocols that the user's own variable allows."""
    own = given.get("GIT_ALLOW_PROTOCOL")
    return ":".join(one for one in wanted if own is None or one in own.split(":"))


def special_file(folder: Path) -> str:
    """Return the path of a pipe or device in the repository at or above a folder, or "".

    git would open it and wait for a writer. A link counts as its target.
    """
    roots = _roots(folder)
    for name in _READ_FIRST:
        if (roots[-1] / name).exists() and not (roots[-1] / name).is_file():
            return str(roots[-1] / name)
    for root in roots:
        for place, _, names in walk(str(root)):
            for name in names:
                if waits(os.path.join(place, name)):
                    return os.path.join(place, name)
    return ""


def special_rules(top: str) -> str:
    """Return the path of a checkout's .gitignore or .gitattributes that is a pipe or device, or ""."""
    for place, inner, names in walk(top):
        inner[:] = [name for name in inner if name != ".git"]
        for name in _RULES.intersection(names):
            if waits(os.path.join(place, name)):
                return os.path.join(place, name)
    return ""


def waits(path: str) -> bool:
    """Return True if opening a path may wait: a pipe or a device. Sockets cannot be opened."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _roots(folder: Path) -> list[Path]:
    """Return git's folders for a path; the last is the common directory, with the objects and refs."""
    for place in (folder, *folder.resolve().parents):
        inside = place / ".git"
        if inside.is_dir():
            return [inside]
        if inside.is_file():
            own = place / _text_in(inside).removeprefix("gitdir:").strip()
            shared = _text_in(own / "commondir").strip()
            return [own, own / shared] if shared else [own]
        if (place / "objects").is_dir() and (place / "refs").is_dir():
            return [place]
    return [folder]


def _text_in(path: Path) -> str:
    return os.fsdecode(path.read_bytes()) if path.is_file() else ""


def leads_outside(common: Path) -> str:
    """Return the error for a link or alternate that leads out of a repository, or "".

    `common`: the folder with objects and refs. Folders in GIT_ALTERNATE_OBJECT_DIRECTORIES are allowed.
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
