"""Writes the Python code of the project's .proto files, beside them: python -m tools.proto."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.definitions import ROOT

SOURCES = ("krmkit/services/evaluator/evaluator.proto",)  # below shared/


def generated() -> dict[Path, str]:
    """Every generated file and its text, as protoc writes it."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'shared'}"]
        command += [f"--python_out={folder}", f"--pyi_out={folder}", *SOURCES]
        subprocess.run(command, check=True)
        written = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
        return {ROOT / "shared" / path.relative_to(folder): path.read_text("utf-8") for path in written}


def main() -> int:
    """Write what is not up to date."""
    for path, text in generated().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
