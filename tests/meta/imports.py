"""The imports of the sources, read from their syntax trees, and the rules about them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SYSTEMS = ("palette", "porch", "clusterapi", "landscaper", "everyday")
LANGUAGES = ("json", "go", "versions", "kube", "cel", "schema", "envsubst", "sprig", "gotemplate", "spiff")
# From the top; a storey imports only storeys below it.
STOREYS = (
    "__main__",
    "start",
    "cli",
    "services",
    "views",
    "analysis",
    "fleet",
    "render",
    "storage",
    "functions",
    "fn",
    "systems",
    "kpt",
    "krm",
    "libraries",
    "process",
)
# Storeys whose folders have an order too, from the top. Systems are side by side; `platform` has the rules across them.
INSIDE: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "storage": ("git", "disk"),
    "systems": ("platform", SYSTEMS),
    "libraries": (*reversed(LANGUAGES), "messages", "yaml", "process"),
}
ENGINES = ("yaml", "messages", *LANGUAGES, "krm", "kpt", *SYSTEMS, "platform")
# Arrows that rise, until what they want is moved down: (from, to). Each must be there; none is added.
KNOWN: frozenset[tuple[str, str]] = frozenset()


def _heights() -> dict[str, tuple[int, int]]:
    """The height of each storey, and of each folder inside a storey with an order."""
    found = {}
    for place, storey in enumerate(STOREYS):
        found[storey] = (len(STOREYS) - place, 0)
        for inner, names in enumerate(INSIDE.get(storey, ())):
            for name in (names,) if isinstance(names, str) else names:
                found[f"{storey}.{name}"] = (len(STOREYS) - place, -inner)
    return found


HEIGHTS = _heights()

# Each of these costs between one and ten times what a whole small run takes, so none is loaded before it is needed.
SLOW = frozenset(
    "re json typing dataclasses enum logging argparse functools collections pathlib contextlib datetime decimal fractions copy"
    " base64 hashlib inspect subprocess tempfile shutil random socket textwrap string traceback warnings".split()
)
# Clock, environment, network, disk and chance: rule engines have no use for them.
OUTSIDE = frozenset(
    "os time socket random secrets subprocess tempfile shutil glob pathlib urllib http ssl asyncio select selectors platform"
    " getpass locale uuid zoneinfo threading multiprocessing signal".split()
)
# A function may read the file it was given, and nothing else of the outside.
OUTSIDE_OF_A_FUNCTION = OUTSIDE - {"os", "pathlib"}
# The one module that asks for zones by name, from the tz database: data that comes with the system or with tzdata.
ZONES = ("krmkit.libraries.go.time.zones", "zoneinfo")
# The one module that handles signals: those of a child, which must end when its parent does.
CHILD = ("krmkit.libraries.process.child", "signal")
# The one module that opens a file: it loads the extension of libyaml, which is code and no data.
OPENERS = frozenset({"krmkit.libraries.yaml._libyaml"})
# The one module that runs a program: git's `merge-file`, for texts that are not YAML. No function reaches it.
RUNS_GIT = "krmkit.kpt.merge.lines"
CLOCK_CALLS = frozenset({"now", "today", "utcnow"})
MODULE_TEXT = re.compile(r"krmkit(\.[a-z_][a-z0-9_]*)+\Z")


class Import:
    """One imported module of one source file. `when` is "load" (runs when the file is loaded), "call" or "types"."""

    __slots__ = ("line", "module", "when")

    def __init__(self, module: str, line: int, when: str) -> None:
        self.module = module
        self.line = line
        self.when = when


class Source:
    """A source file: its dotted name (functions.<folder>.main for a function), its syntax tree and its imports."""

    def __init__(self, path: Path, name: str, known: frozenset[str]) -> None:
        self.path = path
        self.name = name
        self.tree = ast.parse(path.read_text("utf-8"), str(path))
        self.imports = list(imports_of(self.tree, known))

    @property
    def layer(self) -> str:
        """The storey, or the folder inside a storey that has an order: `cli`, `libraries.yaml`."""
        return layer_of(self.name)

    @property
    def room(self) -> str:
        """The last part of the layer, as messages and the lists above say it: `cli`, `yaml`."""
        return self.layer.rpartition(".")[2]


class Sources:
    """All sources below a checkout: shared/krmkit and functions/*."""

    def __init__(self, root: Path) -> None:
        self.root = root
        paths: dict[str, Path] = {}
        for path in sorted((root / "shared").rglob("*.py")):
            parts = list(path.relative_to(root / "shared").with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            paths[".".join(parts)] = path
        known = frozenset(paths)
        for path in sorted((root / "functions").glob("*/*.py")):
            paths[f"functions.{path.parent.name}.{path.stem}"] = path
        self.by_name = {name: Source(path, name, known) for name, path in paths.items()}

    def __iter__(self) -> Iterator[Source]:
        return iter(self.by_name.values())

    def where(self, source: Source, line: int) -> str:
        return f"{source.path.relative_to(self.root).as_posix()}:{line}"

    def reached_from(self, names: list[str], lazily: bool) -> list[Source]:
        """The sources that loading `names` loads, the packages on the way included; `lazily` follows imports inside functions too."""
        seen: dict[str, Source] = {}
        queue = list(names)
        while queue:
            name = queue.pop()
            source = self.by_name.get(name)
            if source is None or name in seen:
                continue
            seen[name] = source
            for entry in source.imports:
                if entry.when == "load" or (lazily and entry.when == "call"):
                    parts = entry.module.split(".")
                    queue += [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        return [seen[name] for name in sorted(seen)]


def layer_of(name: str) -> str:
    parts = name.split(".")
    if parts[0] == "functions":
        return parts[0]
    if len(parts) > 2 and parts[1] in INSIDE:
        return ".".join(parts[1:3])
    return parts[1] if len(parts) > 1 else ""


def imports_of(tree: ast.Module, known: frozenset[str]) -> Iterator[Import]:
    """Every import at any place; a string that is the name of a krmkit module counts as an import."""

    def visit(node: ast.AST, when: str) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, when)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield Import(base, node.lineno, when)
            for alias in node.names:
                if f"{base}.{alias.name}" in known:
                    yield Import(f"{base}.{alias.name}", node.lineno, when)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and MODULE_TEXT.match(node.value) and node.value in known:
                yield Import(node.value, node.lineno, "call")
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for statement in node.body:
                yield from visit(statement, "types")
            for statement in node.orelse:
                yield from visit(statement, when)
            return
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, "call" if inside and when == "load" else when)

    yield from visit(tree, "load")


def rising(sources: Sources) -> list[str]:
    """Imports that go up, or sideways between systems, functions, or from an unknown layer."""
    found = []
    for source in sources:
        layer = source.layer
        if layer and layer not in HEIGHTS:
            found.append(f"{sources.where(source, 1)}: {source.name} is in no layer: {', '.join(HEIGHTS)}")
            continue
        for entry in source.imports:
            where = sources.where(source, entry.line)
            parts = entry.module.split(".")
            if entry.module.startswith("."):
                found.append(f"{where}: a relative import; write the whole name")
            elif parts[0] in {"functions", "tests", "tools"} or entry.module.startswith("krmkit._functions"):
                found.append(
                    f"{where}: {source.name} imports {entry.module}; functions are loaded by path, tests and tools never"
                )
            elif parts[0] == "krmkit" and len(parts) > 1:
                other = layer_of(entry.module)
                if not layer:
                    found.append(f"{where}: krmkit itself imports nothing")
                elif (source.name, entry.module) in KNOWN:
                    continue
                elif other != layer and (other not in HEIGHTS or HEIGHTS[other] >= HEIGHTS[layer]):
                    found.append(f"{where}: {source.room} imports {entry.module}, which is not below it")
    return found


def folder_circles(sources: Sources) -> list[str]:
    """The circles between the folders and files beside each other in a folder, at any depth; a folder counts with all below it."""
    folders = {name.rpartition(".")[0] for name in sources.by_name if name.startswith("krmkit")}
    arrows: dict[str, dict[str, set[str]]] = {}
    for source in sources:
        lines: dict[int, set[str]] = {}
        for entry in source.imports:
            lines.setdefault(entry.line, set()).add(entry.module)
        for modules in lines.values():
            for module in modules:
                if module not in sources.by_name or any(other.startswith(module + ".") for other in modules):
                    continue
                here, there = (
                    [*name.split("."), "__init__"] if name in folders else name.split(".")
                    for name in (source.name, module)
                )
                depth = 0
                while depth < min(len(here), len(there)) - 1 and here[depth] == there[depth]:
                    depth += 1
                if here[depth] != there[depth]:
                    beside = arrows.setdefault(".".join(here[:depth]), {})
                    beside.setdefault(here[depth], set()).add(there[depth])
                    beside.setdefault(there[depth], set())
    return sorted(
        f"{folder}: {' <-> '.join(sorted(group))}"
        for folder, beside in arrows.items()
        for group in _groups(beside)
        if len(group) > 1
    )


def circles(sources: Sources) -> list[str]:
    """The circles of files that import each other, imports inside of functions and for types included."""
    arrows: dict[str, set[str]] = {}
    for source in sources:
        lines: dict[int, set[str]] = {}
        for entry in source.imports:
            lines.setdefault(entry.line, set()).add(entry.module)
        # `from package import module` asks the package for nothing else.
        arrows[source.name] = {
            module
            for modules in lines.values()
            for module in modules
            if module in sources.by_name and not any(other.startswith(module + ".") for other in modules)
        } - {source.name}
    found = []
    for group in _groups(arrows):
        if len(group) > 1:
            found.append(" <-> ".join(sorted(group)))
    return sorted(found)


def _groups(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected groups of a graph, by Kosaraju's two walks."""
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(arrows):
        stack = [(start, iter(sorted(arrows[start])))] if start not in seen else []
        seen.add(start)
        while stack:
            name, rest = stack[-1]
            following = next((other for other in rest if other not in seen), None)
            if following is None:
                order.append(name)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(sorted(arrows[following]))))
    back: dict[str, set[str]] = {name: set() for name in arrows}
    for name, others in arrows.items():
        for other in others:
            back[other].add(name)
    groups: list[list[str]] = []
    placed: set[str] = set()
    for start in reversed(order):
        group: list[str] = []
        queue = [start]
        while queue:
            name = queue.pop()
            if name not in placed:
                placed.add(name)
                group.append(name)
                queue += back[name]
        groups.append(group)
    return groups


def slow(sources: Sources, entry_points: list[str]) -> list[str]:
    """Modules of the hot path that load a slow module of the standard library when they are loaded."""
    hot = {source.name: source for source in sources if source.room in {"yaml", "krm"}}
    hot |= {source.name: source for source in sources.reached_from(entry_points, lazily=False)}
    return [
        f"{sources.where(hot[name], entry.line)}: {entry.module} is loaded at start; import it inside the function that needs it"
        for name in sorted(hot)
        for entry in hot[name].imports
        if entry.when == "load" and entry.module.split(".")[0] in SLOW
    ]


def outside(sources: Sources) -> list[str]:
    """Uses of clock, environment, network, disk or chance in a rule engine, or in what a function reaches."""
    engines = {source.name for source in sources if source.room in ENGINES} - {RUNS_GIT}
    functions = [source.name for source in sources if source.layer == "functions"]
    reached = {source.name for source in sources.reached_from(functions, lazily=True)} - engines
    found = []
    for source in sources:
        if source.name not in engines and source.name not in reached:
            continue
        banned = OUTSIDE if source.name in engines else OUTSIDE_OF_A_FUNCTION
        for entry in source.imports:
            if (source.name, entry.module) in {ZONES, CHILD}:
                continue
            if entry.when != "types" and entry.module.split(".")[0] in banned:
                found.append(f"{sources.where(source, entry.line)}: imports {entry.module}")
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"}:
                found.append(f"{sources.where(source, node.lineno)}: reads the environment")
            elif isinstance(node, ast.Call):
                call = node.func
                if isinstance(call, ast.Name) and call.id == "open" and source.name in engines - OPENERS:
                    found.append(f"{sources.where(source, node.lineno)}: opens a file")
                elif (
                    isinstance(call, ast.Attribute)
                    and call.attr in CLOCK_CALLS
                    and not node.args
                    and not node.keywords
                ):
                    found.append(f"{sources.where(source, node.lineno)}: .{call.attr}() asks the clock")
    return found
