"""Complete the arguments of `krmkit why`: the resources of a package, and a resource's fields, one per line.

Nothing is rendered, as a shell asks at every key press.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.render.findings.fieldtable import values_of
from krmkit.render.package import read

# Each shell passes the words before the one being completed.
_CALL = "krmkit why --words"
COMPLETE = {"bash": "_krmkit_why_words", "zsh": "_krmkit_why_words", "fish": f"({_CALL} (commandline -opc))"}
PREAMBLE = {
    "bash": f"""
_krmkit_why_words() {{
  compgen -W "$({_CALL} "${{COMP_WORDS[@]:1:COMP_CWORD-1}}" 2>/dev/null)" -- "$1"
}}
""",
    "zsh": f"""
_krmkit_why_words() {{
  local -a found
  found=("${{(@f)$({_CALL} "${{(@)words[1,CURRENT-1]}}" 2>/dev/null)}}")
  compadd -a found
}}
""",
}


def candidates(words: list[str]) -> list[str]:
    """Return completions of a command line: `["why", "profile"]` gives `["ConfigMap/app", "app.yaml"]`."""
    if "why" in words:
        words = words[len(words) - words[::-1].index("why") :]
    given = [word for word in words if not word.startswith("-")]
    if len(given) not in (1, 2):
        return []
    try:
        items = [item for each in read(given[0]).walk() for item in each.items]
    except Refused:
        return []
    if len(given) == 1:
        paths = {item.location.path for item in items}
        return sorted({f"{item.kind}/{item.name}" for item in items} | {path for path in paths if path})
    kind, _, name = given[1].partition("/")
    chosen = [
        item for item in items if (item.kind, item.name) == (kind, name) or item.location.path == given[1]
    ]
    return sorted({path for item in chosen for path in values_of(item.text, item.kind)})
