"""`python -m krmkit.fn.compile [FOLDER...]`: everything that makes a function start fast, written once.

For each folder of functions (default: the one that belongs to this krmkit) it writes the .pyc files and the compiled
function.yaml, and the .pyc files of krmkit itself. Images, wheels and the benchmark run it; nothing depends on it.
"""

from __future__ import annotations

import compileall
import marshal
import sys
from pathlib import Path

from krmkit.fn import loader
from krmkit.fn.definition import compiled_path, parse


def compile_definition(folder: Path) -> None:
    """Write the compiled form of `folder`/function.yaml."""
    text = (folder / "function.yaml").read_text(encoding="utf-8")
    target = Path(compiled_path(str(folder)))
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(marshal.dumps((text, parse(text))))


def main(argv: list[str]) -> int:
    """Compile krmkit and the functions in the given folders; 1 when a file does not compile."""
    folders = [Path(name) for name in argv] or [Path(loader.functions_folder())]
    done = compileall.compile_dir(str(Path(__file__).parent.parent), quiet=1)
    for folder in folders:
        for definition in sorted(folder.glob("*/function.yaml")):
            compile_definition(definition.parent)
            done = bool(compileall.compile_file(str(definition.parent / "main.py"), quiet=1)) and done
    return 0 if done else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
