r"""Surrogate pairs in JSON texts: `"\ud83d\ude00"`, as json.dumps writes characters beyond U+FFFF.

YAML has no pairs, neither in libyaml nor in Go. So a JSON text gets the character itself; in a YAML text
`\ud83d` is an error, and it stays.
"""

from __future__ import annotations

from krmkit.libraries.yaml.errors import YamlError, line_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

_ESCAPES = (
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def joined(text: str) -> str:
    r"""Replace each pair of surrogate escapes in a JSON text: `"\ud83d\ude00"` is `"😀"`. Other texts stay.

    Raises YamlError for half a pair, with its place.
    """
    if ("\\ud" not in text and "\\uD" not in text) or text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[", '"'):
        return text
    import json
    import re

    try:
        json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return text  # not JSON, or too deep for it: the YAML reader reports the error

    def character(found: Match[str]) -> str:
        high, low, alone = found.groups()
        if alone is not None:
            raise YamlError(
                f"\\u{alone} is half of a surrogate pair; must be followed or preceded by the other half",
                *line_column(text, found.start()),
            )
        if high is None:
            return found[0]
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)

    return re.sub(_ESCAPES, character, text)
