"""`python -m krmkit.fn.compile [FOLDER...]`: everything that makes a function start fast, written once.

For each folder of functions (default: the one that belongs to this krmkit) it writes the .pyc files, the compiled
function.yaml and the bundle of modules (`krmkit.fn.bundle`), and the .pyc files of krmkit itself. Images, wheels and the
benchmark run it; nothing depends on it.
"""

from __future__ import annotations

import ast
import compileall
import marshal
import sys
from pathlib import Path

from krmkit.fn import bundle, loader
from krmkit.fn.definition import compiled_path, parse


def compile_definition(folder: Path) -> None:
    """Write the compiled form of `folder`/function.yaml."""
    text = (folder / "function.yaml").read_text(encoding="utf-8")
    target = Path(compiled_path(str(folder)))
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(marshal.dumps((text, parse(text))))


def imported(source: Path) -> set[str]:
    """Names of krmkit's modules that a file imports while it is loaded; `from a import b` may name two."""
    names: set[str] = set()
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in names if name.split(".")[0] == "krmkit"}


def modules(main: Path, root: Path) -> list[tuple[str, str]]:
    """Every module of krmkit that loading a main.py loads: (name, path below `root`).

    What is imported inside functions is for rarer runs and comes from its own file.
    """
    found: dict[str, str] = {}
    waiting = [main]
    while waiting:
        for name in imported(waiting.pop()):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                known = ".".join(parts[:end])
                base = root.joinpath(*parts[:end])
                source = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
                if known not in found and source.is_file():
                    found[known] = source.relative_to(root).as_posix()
                    waiting.append(source)
    return sorted(found.items())


def compile_functions(folder: Path) -> bool:
    """Compile every function in `folder`; False when a main.py does not compile."""
    done = True
    root = Path(__file__).parent.parent.parent
    for definition in sorted(folder.glob("*/function.yaml")):
        script = definition.parent / "main.py"
        compile_definition(definition.parent)
        if compileall.compile_file(str(script), quiet=1, force=True):
            bundle.write(str(definition.parent), modules(script, root), str(root))
        else:
            done = False
    return done


def main(argv: list[str]) -> int:
    """Compile krmkit and the functions in the given folders; 1 when a file does not compile."""
    folders = [Path(name) for name in argv] or [Path(loader.functions_folder())]
    done = [compile_functions(folder) for folder in folders]
    done.append(bool(compileall.compile_dir(str(Path(__file__).parent.parent), quiet=1)))
    return 0 if all(done) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
