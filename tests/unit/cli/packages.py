"""A package with one pack, for the tests of commands; a terminal; and what a folder holds."""

from __future__ import annotations

import io
from pathlib import Path

KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p
pipeline:
  mutators:
  - image: ghcr.io/krmkit/apply-presets
    configMap:
      app: "Mode:{preset}"
"""
_PACK = """apiVersion: v1
kind: ConfigMap
metadata:
  name: app
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: |
    {"name": "app", "version": "1.0.0", "layer": "addon"}
"""


def pack(files: str) -> str:
    """The item of the pack `app` with files beside its pack.json: pack("  values.yaml: |\\n    a: 1\\n")."""
    return _PACK + files


PACK = pack("""  values.yaml: |
    mode: slow   # or fast
  presets.yaml: |
    presets:
    - {name: fast, group: Mode, remove: [], add: "mode: fast"}
""")
FAST = PACK.replace("mode: slow", "mode: fast")


def one_pack(root: Path) -> Path:
    """Write the package with one pack, whose pipeline selects the preset that exists, to the folder `root`."""
    root.mkdir()
    (root / "Kptfile").write_text(KPTFILE.replace("{preset}", "fast"))
    (root / "app.yaml").write_text(PACK)
    return root


def contents(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


class Screen(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        return True
