"""The picture of the project's page: a terminal session as SVG, from what the commands really print.

.venv/bin/python -m tools.picture      # writes docs/pictures/plan.svg; make check sees whether it is still true
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "plan.svg"
QUICK_START = ROOT / "functions/render-cluster-topology/examples/quick-start"
COMMAND = "krmkit topology plan clusters --against before"
_WIDEST = 122  # characters of a line
_LINE, _CHARACTER, _EDGE, _BAR = 20, 7.83, 20, 36
_STYLE = """<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre; }
.prompt { fill: #8fbcbb; } .head { fill: #88c0d0; font-weight: 600; } .roll { fill: #ebcb8b; }
</style>"""


def session() -> list[str]:
    """The lines that the plan prints for a change of the version, as wide as the picture."""
    with TemporaryDirectory() as place:
        for name in ("before", "clusters"):
            shutil.copytree(QUICK_START, Path(place, name), ignore=shutil.ignore_patterns(".expected"))
        clusters = Path(place, "clusters", "clusters.yaml")
        clusters.write_text(clusters.read_text("utf-8").replace("v1.33.1", "v1.34.0"), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", *COMMAND.split()],
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT / "shared"), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 2:
        raise SystemExit(f"the plan of the picture must end with 2, got {done.returncode}: {done.stderr}")
    return [
        line if len(line) <= _WIDEST else line[: _WIDEST - 3] + "..." for line in done.stdout.splitlines()
    ]


def drawn(lines: list[str]) -> str:
    """The SVG of a terminal with the command and these lines."""
    rows = [("prompt", f"$ {COMMAND}")]
    rows += [
        ("head" if not number else "roll" if "Deployment" in line else "", line)
        for number, line in enumerate(lines)
    ]
    width = round(_WIDEST * _CHARACTER + 2 * _EDGE)
    height = _BAR + len(rows) * _LINE + _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(COMMAND)}</title>",
        _STYLE,
        f'<rect width="{width}" height="{height}" rx="8" fill="#2e3440"/>',
    ]
    parts += [
        f'<circle cx="{_EDGE + 18 * number}" cy="18" r="6" fill="{colour}"/>'
        for number, colour in enumerate(("#bf616a", "#ebcb8b", "#a3be8c"))
    ]
    for number, (kind, line) in enumerate(rows):
        place = f'x="{_EDGE}" y="{_BAR + 14 + number * _LINE}"'
        parts.append(f'<text {place} class="{kind}" xml:space="preserve">{escape(line)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    """Write the picture."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(session()), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
