"""Slash-separated paths: Go's path package. The os* forms are the same on every system but Windows."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import charge


def base(path: str) -> str:
    """Return the last element (path.Base)."""
    if not path:
        return "."
    path = path.rstrip("/")
    return path.rpartition("/")[2] if path else "/"


def directory(path: str) -> str:
    """Return all but the last element, cleaned (path.Dir)."""
    head, slash, _ = path.rpartition("/")
    return clean(head + slash)


def clean(path: str) -> str:
    """Return the shortest path of the same meaning, by its text alone (path.Clean)."""
    charge(path.count("/"))
    rooted = path.startswith("/")
    out: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and (rooted or out) and (not out or out[-1] != ".."):
            if out:
                out.pop()
            continue
        out.append(part)
    return ("/" if rooted else "") + "/".join(out) or "."


def ext(path: str) -> str:
    """Return the suffix of the last element with its dot (path.Ext)."""
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix if dot else ""


def is_abs(path: str) -> bool:
    """Implement path.IsAbs."""
    return path.startswith("/")
