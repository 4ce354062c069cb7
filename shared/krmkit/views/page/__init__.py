"""Make the page of `krmkit report` and `krmkit preview`: one HTML file with its style, script and data.

It makes no request: its Content-Security-Policy allows its one style and one script, by their hashes. The
data are in a block that browsers do not execute, and the script inserts them as text only. Parts: page.html
(frame), page.css, and one script per topic.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

from krmkit.views.ruletexts import RuleText

HERE = Path(__file__).parent
SCRIPTS = (
    "dom.js", "diff.js", "pictures.js", "tables.js", "clusters.js", "installations.js", "extensions.js", "views.js", "why.js",
    "package.js", "page.js", "keys.js",
)  # fmt: skip
LIVE = "preview.js"


def page(data: dict[str, Any], live: dict[str, Any] | None = None) -> str:
    """Return the page of a report (`krmkit.dev/report/v1alpha1`), with the explanations of its rules.

    live: data for the preview's script.
    """
    style = _asset("page.css")
    names = (*SCRIPTS, LIVE, "start.js") if live is not None else (*SCRIPTS, "start.js")
    script = '"use strict";\n(() => {\n' + "".join(map(_asset, names)) + "})();\n"
    parts = {
        "policy": policy(style, script, live is not None),
        "style": style,
        "data": embedded({**data, "rules": _explanations(data)}),
        "live": embedded(live) if live is not None else "null",
        "script": script,
    }
    # Inserted text is not searched again: data may contain {{script}} too.
    frame = _asset("page.html")
    made = []
    for name, text in parts.items():
        before, frame = frame.split("{{" + name + "}}")
        made += [before, text]
    return "".join([*made, frame])


def _explanations(data: dict[str, Any]) -> dict[str, str]:
    """Return the `krmkit explain` texts of a report's rules, by `function rule`."""
    found = {
        (one.get("function", ""), one["rule"])
        for package in data["packages"]
        for one in package.get("results", ())
        if one.get("rule")
    }
    return {f"{function} {rule}": RuleText(rule, function).help for function, rule in sorted(found)}


def policy(style: str, script: str, live: bool = False) -> str:
    """Return the Content-Security-Policy: only this style, this script, and embedded pictures."""
    rules = [
        "default-src 'none'",
        "img-src data:",
        f"style-src 'sha256-{_digest(style)}'",
        f"script-src 'sha256-{_digest(script)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join([*rules, "connect-src 'self'"] if live else rules)


def embedded(data: object) -> str:
    """Return data as JSON that cannot end its script. Example: `embedded("</script>")` holds no `<`."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
