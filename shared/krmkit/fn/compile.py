"""`python -m krmkit.fn.compile [--programs] [FOLDER...]`: everything that makes a function start fast, written once.

For each folder of functions (default: the one that belongs to this krmkit) it writes the .pyc files, the compiled
function.yaml and the bundle of modules (`krmkit.fn.bundle`), and the .pyc files of krmkit itself; with --programs also
the main.pyc that images start. Images, wheels and the benchmark run it; nothing depends on it.
"""

import __future__

import ast
import compileall
import marshal
import os
import py_compile
import sys
from pathlib import Path
from types import CodeType

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
    """Every module of krmkit that loading a main.py loads: (name, path below `root`), each after those that it needs.

    What is imported inside functions is for rarer runs and comes from its own file.
    """
    found: dict[str, str] = {}
    begun: set[str] = set()

    def visit(source: Path) -> None:
        for name in sorted(imported(source)):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                known = ".".join(parts[:end])
                base = root.joinpath(*parts[:end])
                file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
                if known not in begun and file.is_file():
                    begun.add(known)
                    visit(file)
                    found[known] = file.relative_to(root).as_posix()

    visit(main)
    return list(found.items())


def code_of(source: Path) -> CodeType:
    """The code of a module, without docstrings, and without looking up `__future__` when it is loaded."""
    tree = ast.parse(source.read_bytes(), str(source))
    body = [
        node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    flags = __future__.annotations.compiler_flag if len(body) < len(tree.body) else 0
    code: CodeType = compile(
        ast.Module(body, []), str(source), "exec", flags=flags, dont_inherit=True, optimize=2
    )
    return code


def write_bundle(folder: Path, root: Path) -> None:
    """Write the bundle of the function in `folder`."""
    main = folder / "main.py"
    files = [
        *((name, path, root / path) for name, path in modules(main, root)),
        ("__main__", "main.py", main),
    ]
    entries: list[bundle.Entry] = []
    codes = []
    for name, path, file in files:
        found = file.stat()
        codes.append(marshal.dumps(code_of(file)))
        entries.append((name, path, found.st_mtime_ns, found.st_size, len(codes[-1])))
    listed = marshal.dumps(entries)
    target = Path(bundle.path_of(str(folder)))
    target.parent.mkdir(exist_ok=True)
    new = target.with_suffix(f".{os.getpid()}.new")
    new.write_bytes(len(listed).to_bytes(bundle.SIZE, "little") + listed + b"".join(codes))
    new.replace(target)


def compile_functions(folder: Path, programs: bool = False) -> bool:
    """Compile every function in `folder`; False when a main.py does not compile."""
    done = True
    root = Path(__file__).parent.parent.parent
    for definition in sorted(folder.glob("*/function.yaml")):
        script = definition.parent / "main.py"
        compile_definition(definition.parent)
        if compileall.compile_file(str(script), quiet=1, force=True):
            write_bundle(definition.parent, root)
        else:
            done = False
        if programs:
            py_compile.compile(
                bundle.__file__, str(script.with_name(bundle.PROGRAM)), doraise=True, optimize=2
            )
    return done


def main(argv: list[str]) -> int:
    """Compile krmkit and the functions in the given folders; 1 when a file does not compile."""
    programs = "--programs" in argv
    folders = [Path(name) for name in argv if name != "--programs"] or [Path(loader.functions_folder())]
    done = [compile_functions(folder, programs) for folder in folders]
    done.append(bool(compileall.compile_dir(str(Path(__file__).parent.parent), quiet=1)))
    return 0 if all(done) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
