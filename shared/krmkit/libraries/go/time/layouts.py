"""Go's reference-time layouts: splitting a layout into elements, and formatting a time.

The reference time is Mon Jan 2 15:04:05 MST 2006; `2006-01-02` means year, month, day.
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.time.civil import Civil

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

# Elements by their first character, the longest first, so that the first hit is the element.
_ELEMENTS: dict[str, tuple[str, ...]] = {
    "J": ("January", "Jan"),
    "M": ("Monday", "Mon", "MST"),
    "0": ("002", "01", "02", "03", "04", "05", "06"),
    "1": ("15", "1"),
    "2": ("2006", "2"),
    "_": ("__2", "_2"),
    "3": ("3",),
    "4": ("4",),
    "5": ("5",),
    "P": ("PM",),
    "p": ("pm",),
    "-": ("-07:00:00", "-070000", "-07:00", "-0700", "-07"),
    "Z": ("Z07:00:00", "Z070000", "Z07:00", "Z0700", "Z07"),
}


def next_element(layout: str) -> tuple[str, str, str]:
    """Return the text before the first element, the element ("" for none), and the text after it.

    Fractions of a second are elements such as `.000` (fixed) and `,999` (trailing zeros dropped).
    """
    at, element = find_element(layout, 0)
    return layout[:at], element, layout[at + len(element) :]


def find_element(layout: str, start: int) -> tuple[int, str]:
    """Return offset and text of the first element from `start` on; the layout's end and "" if none."""
    for at in range(start, len(layout)):
        char = layout[at]
        if char in ".,":
            element = _fraction(layout, at)
        else:
            element = next((one for one in _ELEMENTS.get(char, ()) if layout.startswith(one, at)), "")
            if element in ("Jan", "Mon") and "a" <= layout[at + 3 : at + 4] <= "z":
                element = ""  # Monument and Janus are plain text
            elif element == "_2" and layout.startswith("_2006", at):
                return at + 1, "2006"
        if element:
            return at, element
    return len(layout), ""


def format_time(layout: str, when: Civil) -> str:
    """time.Time.Format."""
    out: list[str] = []
    done = 0
    while done < len(layout):
        at, element = find_element(layout, done)
        out.append(layout[done:at])
        if element:
            out.append(_format_element(element, when))
        done = at + len(element)
    return "".join(out)


def padded(number: int, width: int) -> str:
    """Pad a number with leading zeros, not counting its sign."""
    return f"-{-number:0{width}d}" if number < 0 else f"{number:0{width}d}"


def _fraction(layout: str, at: int) -> str:
    digit = layout[at + 1 : at + 2]
    if digit not in ("0", "9"):
        return ""
    end = at + 1
    while layout.startswith(digit, end):
        end += 1
    follows = layout[end : end + 1]
    return "" if follows.isascii() and follows.isdigit() else layout[at:end]


def _format_element(element: str, when: Civil) -> str:
    if element[0] in "-Z":
        return _format_zone(element, when.offset)
    if element[0] in ".,":
        return _format_fraction(element, when.nanosecond)
    return _FORMS[element](when)


def _format_zone(element: str, offset: int) -> str:
    if element[0] == "Z" and offset == 0:
        return "Z"
    # Go divides toward zero, so -30 seconds are zero minutes, with a plus sign.
    minutes = abs(offset) // 60
    sign = "-" if offset < 0 and minutes else "+"
    colon = ":" if ":" in element else ""
    text = f"{sign}{minutes // 60:02d}"
    if len(element) > 3:
        text += f"{colon}{minutes % 60:02d}"
    if len(element) >= 7:
        text += f"{colon}{abs(offset) % 60:02d}"
    return text


def _format_fraction(element: str, nanosecond: int) -> str:
    digits = f"{nanosecond:09d}"[: len(element) - 1].ljust(min(len(element) - 1, 9), "0")
    if element[1] == "0":
        return element[0] + digits
    digits = digits.rstrip("0")
    return element[0] + digits if digits else ""


_FORMS: dict[str, Callable[[Civil], str]] = {
    "2006": lambda when: padded(when.year, 4),
    "06": lambda when: f"{abs(when.year) % 100:02d}",
    "January": lambda when: MONTHS[when.month - 1],
    "Jan": lambda when: MONTHS[when.month - 1][:3],
    "1": lambda when: str(when.month),
    "01": lambda when: f"{when.month:02d}",
    "Monday": lambda when: DAYS[when.weekday],
    "Mon": lambda when: DAYS[when.weekday][:3],
    "2": lambda when: str(when.day),
    "_2": lambda when: f"{when.day:2d}",
    "02": lambda when: f"{when.day:02d}",
    "__2": lambda when: f"{when.yearday:3d}",
    "002": lambda when: f"{when.yearday:03d}",
    "15": lambda when: f"{when.hour:02d}",
    "3": lambda when: str(when.hour % 12 or 12),
    "03": lambda when: f"{when.hour % 12 or 12:02d}",
    "4": lambda when: str(when.minute),
    "04": lambda when: f"{when.minute:02d}",
    "5": lambda when: str(when.second),
    "05": lambda when: f"{when.second:02d}",
    "PM": lambda when: "PM" if when.hour >= 12 else "AM",
    "pm": lambda when: "pm" if when.hour >= 12 else "am",
    "MST": lambda when: when.zone or _format_zone("-0700", when.offset),
}
