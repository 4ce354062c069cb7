"""The marker comment that lists the presets of a values text: Palette's console reads and writes it.

    # spectrocloud.com/enabled-presets: Group:name,Group2:name2

It is one of the comments at the head of the text. Entries are separated by commas and trimmed.
"""

from __future__ import annotations

NAME = "spectrocloud.com/enabled-presets:"


class FormatMarker:
    """A marker: its entries, and the span of the text behind its colon (offsets into the values text)."""

    def __init__(self, entries: list[str], start: int, end: int) -> None:
        self.entries = entries
        self.start = start
        self.end = end


def read(values: str) -> FormatMarker | None:
    """Return the marker of a values text; None where its head has none."""
    position = 1 if values.startswith("\ufeff") else 0
    while position < len(values):
        end = values.find("\n", position)
        end = len(values) if end < 0 else end
        line = values[position:end].strip()
        if line and not line.startswith("#"):
            return None
        if line.lstrip("# \t").startswith(NAME):
            start = values.index(NAME, position) + len(NAME)
            stop = end - 1 if values[end - 1 : end] == "\r" else end
            entries = [entry.strip() for entry in values[start:stop].split(",")]
            return FormatMarker([entry for entry in entries if entry], start, stop)
        position = end + 1
    return None


def write(values: str, presets: list[tuple[str, str]]) -> str:
    """Return the values with a marker that names `presets` (group, name), replacing old entries of a group.

    Entries of other groups stay as they are. Without a marker one is put on top.
    """
    marker = read(values)
    if marker is None:
        newline = "\r\n" if "\r\n" in values else "\n"
        mark = "\ufeff" if values.startswith("\ufeff") else ""
        labels = ",".join(f"{group}:{name}" if group else name for group, name in presets)
        return f"{mark}# {NAME} {labels}{newline}{values[len(mark) :]}"
    old = values[marker.start : marker.end]
    pieces = old.split(",") if marker.entries else []
    places: dict[tuple[str, str], int] = {}  # the first entry of each text, and of each group
    for number, piece in enumerate(pieces):
        entry = piece.strip()
        places.setdefault(("entry", entry), number)
        places.setdefault(("group", entry.rpartition(":")[0].strip()), number)
    for group, name in presets:
        label = f"{group}:{name}" if group else name
        keys = [("entry", label), *([("group", group)] if group else ())]
        number = min((places[key] for key in keys if key in places), default=len(pieces))
        if number == len(pieces):
            pieces.append(label if pieces else " " + label)
            continue
        piece = pieces[number]
        lead = piece[: len(piece) - len(piece.lstrip())]
        pieces[number] = lead + label + piece[len(piece.rstrip()) :]
    return values[: marker.start] + ",".join(pieces) + values[marker.end :]
