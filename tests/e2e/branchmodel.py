"""A plain model of what a sync may do with a branch: it knows lines and files, and nothing of YAML.

Each line that a person wrote is in the result or named in a conflict, and each line that nobody touched is what a fresh
generation has.
"""

from __future__ import annotations

from collections import Counter

Files = dict[str, str]


def lines_of(files: Files) -> Counter[str]:
    """All lines of a package without their indents and line ends, Kptfiles' locks left out."""
    found: Counter[str] = Counter()
    for text in files.values():
        found.update(line.strip() for line in text.split("\n") if line.strip())
    return found


def written(before: Files, after: Files) -> Counter[str]:
    """The lines that a person added or changed, whatever file or place they moved between."""
    return lines_of(after) - lines_of(before)


def unsaid(before: Files, after: Files, result: Files, said: list[str]) -> list[str]:
    """The lines that a person wrote, and that are neither in the result nor named."""
    there = lines_of(result)
    return [
        line
        for line in (written(before, after) - there)
        if not _is_made_longer(line, there) and not any(_names(one, line, after) for one in said)
    ]


def came_back(before: Files, after: Files, result: Files, said: list[str]) -> list[str]:
    """The lines that a person removed, and that are in the result again without a word."""
    removed = lines_of(before) - lines_of(after)
    again = removed & (lines_of(result) - lines_of(after))
    return [line for line in again if not any(_names(one, line, before) for one in said)]


def untouched(fresh_before: Files, before: Files, after: Files, fresh: Files, result: Files) -> list[str]:
    """The lines that differ from a fresh generation, and that no person wrote or removed.

    `before` and `after`: the branch around the person's edit; `fresh_before` and `fresh`: the generations for the same
    upstream as `before`, and as `result`.
    """
    wrote = written(before, after) + written(fresh_before, before)
    removed = (lines_of(before) - lines_of(after)) + (lines_of(fresh_before) - lines_of(before))
    extra = lines_of(result) - lines_of(fresh) - wrote
    lacks = lines_of(fresh) - lines_of(result) - removed
    return sorted(line for line in (extra + lacks) if not _is_longer(line, wrote + removed))


def _is_made_longer(line: str, others: Counter[str]) -> bool:
    """Whether the pipeline put something before or behind the value of a line (a prefix of a name)."""
    key, colon, value = line.partition(": ")
    value = value.rstrip(",").strip('"') if key.startswith('"') else value  # of JSON
    return bool(colon and value) and any(one.startswith(f"{key}: ") and value in one for one in others)


def _is_longer(line: str, others: Counter[str]) -> bool:
    """Whether a line is one of the others with something before or behind its value."""
    return _is_made_longer(line, others) or any(_is_made_longer(one, Counter([line])) for one in others)


def _names(conflict: str, line: str, files: Files) -> bool:
    """Whether a conflict is about a line: it names its file, and the line's key, value or comment, or all of the file."""
    path = next(
        (path for path, text in files.items() if line in (one.strip() for one in text.split("\n"))), ""
    )
    if not conflict.startswith(path):
        return False
    place, _, message = conflict.partition(": ")
    if " " not in place:
        return True  # a resource or a file as a whole, or a comment, which the message quotes
    body = line.lstrip("- ").partition(" #")[0]
    key, _, value = body.partition(": ")
    return key.strip("\"'") in place or value.strip("\"'") in message or body in message
