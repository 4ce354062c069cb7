"""Slash-separated paths: Go's path package. The os* forms are the same on every system but Windows."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import charge


def base(path: str) -> str:
    """path.Base: the last element."""
    if not path:
        return "."
    path = path.rstrip("/")
    return path.rpartition("/")[2] if path else "/"


def directory(path: str) -> str:
    """path.Dir: all but the last element, cleaned."""
    head, slash, _ = path.rpartition("/")
    return clean(head + slash)


def clean(path: str) -> str:
    """path.Clean: the shortest path of the same meaning, by its text alone."""
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
    """path.Ext: from the last dot of the last element on, with the dot."""
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix if dot else ""


def is_abs(path: str) -> bool:
    """path.IsAbs."""
    return path.startswith("/")
