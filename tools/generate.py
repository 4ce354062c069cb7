"""Writes what is generated from functions/*/function.yaml: python -m tools.generate [--check]

--check writes nothing; it names the files that are not up to date, and exits 1 when there are any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from krmkit.systems.clusterapi.hooks import extensionschema as topology_extension
from tests.conformance import run as conformance
from tools import documents, rulepages, severities, tags, upstream
from tools.definitions import ROOT, Definition, DefinitionError, Project, definitions
from tools.images.programs import PROGRAMS
from tools.images.wheels import CATALOG

# A place in a hand-written file that is filled in: <!-- generated:NAME --> ... <!-- /generated -->
BLOCK = re.compile(r"(<!-- generated:(?P<name>[a-z-]+) -->\n).*?(<!-- /generated -->)", re.DOTALL)
# Folders in which every file is generated, so that what belongs to no function any more goes.
OWNED = ("schemas/*.json", "deploy/porch/*.yaml", "deploy/porch-evaluator/*.yaml")


def generated(root: Path = ROOT) -> dict[Path, str]:
    """Every generated file and its text. DefinitionError when a function.yaml or a README is incomplete."""
    functions = definitions(root)
    project = Project(root)
    files = {
        root / "catalog.yaml": documents.catalog(functions, project),
        root / "docs/functions.md": filled(
            root / "docs/functions.md", {"functions": documents.functions_table(functions)}
        ),
    }
    files[root / "schemas/TopologyExtension.json"] = documents.editor_schema(
        "TopologyExtension", topology_extension.schema()
    )
    if (root / "tests/conformance/records").is_dir():
        page = root / "docs/compatibility.md"
        tables = {
            "records": conformance.table(conformance.expected_counts()).strip(),
            "versions": upstream.versions_table(upstream.systems()).strip(),
        }
        files[page] = filled(page, tables)
    files[root / severities.FILE] = severities.module(functions)
    files[root / "NOTICE"] = upstream.notice(upstream.systems())
    for function in functions:
        files[function.folder / "definition.py"] = documents.run_time_definition(function)
        files[function.folder / "metadata.yaml"] = documents.metadata(function, project)
        files[function.folder / "README.md"] = readme(function)
        if function.rules:
            files[function.folder / "RULES.md"] = rulepages.rules_page(function)
        files[root / "schemas" / f"{function.kind}.json"] = documents.editor_schema(
            function.kind, function.schema
        )
        for name in function.examples:
            page = function.folder / "examples" / name / "README.md"
            files[page] = documents.example(function, name)
        files[root / "deploy/porch" / f"{function.name}.yaml"] = documents.porch(function, project)
    files[root / "deploy/porch/kustomization.yaml"] = documents.porch_all(functions)
    files[root / "deploy/porch-evaluator/kustomization.yaml"] = documents.porch_evaluator()
    names = {*(function.name for function in functions), CATALOG, *PROGRAMS}
    return files | tags.named(root, files, names)


def readme(function: Definition) -> str:
    return filled(
        function.folder / "README.md",
        {
            "overview": documents.overview(function),
            "config": documents.config_table(function),
            "rules": documents.rules_table(function),
        },
    )


def filled(path: Path, blocks: dict[str, str]) -> str:
    """The file's text with its generated blocks replaced; each block must have its place, exactly once."""
    text = path.read_text("utf-8") if path.exists() else ""
    places = [match["name"] for match in BLOCK.finditer(text)]
    if sorted(places) != sorted(blocks):
        wanted = ", ".join(f"<!-- generated:{name} --> .. <!-- /generated -->" for name in blocks)
        where = "/".join(path.parts[-3:] if path.parent.parent.name == "functions" else path.parts[-1:])
        raise DefinitionError(
            f"{where} must hold each of these places once: {wanted}; it has: {', '.join(places) or 'none'}"
        )
    return BLOCK.sub(lambda match: f"{match[1]}\n{blocks[match['name']]}\n\n{match[3]}", text)


def stale(root: Path, files: dict[Path, str]) -> list[Path]:
    """Generated files that belong to nothing any more."""
    return sorted(path for pattern in OWNED for path in root.glob(pattern) if path not in files)


def main(arguments: list[str]) -> int:
    check = arguments == ["--check"]
    if arguments and not check:
        print("usage: python -m tools.generate [--check]", file=sys.stderr)
        return 2
    try:
        files = generated()
    except DefinitionError as error:
        print(error, file=sys.stderr)
        return 1
    old = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    gone = stale(ROOT, files)
    for path in [*old, *gone]:
        name = path.relative_to(ROOT).as_posix()
        if check:
            print(f"{name} is not up to date: run `make generate`", file=sys.stderr)
        elif path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], "utf-8")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}")
    return 1 if check and (old or gone) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
