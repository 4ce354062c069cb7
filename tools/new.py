"""Makes the folder of a new function: python -m tools.new NAME

What it writes works at once: contract tests, example and docs pass before anything is edited.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tools import generate, golden
from tools.definitions import GROUP, ROOT, VERSION, Project

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")

RESERVED = "test-"  # functions and images that exist in tests only

MAIN = '''\
#!/usr/bin/env python3
"""{title}: see function.yaml."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{{__file__}}/../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Labels every ConfigMap; put in its place what the function is for."""
    for item in resources.containing("ConfigMap"):
        if item.kind != "ConfigMap" or item.is_local_config:
            continue
        item.set(("metadata", "labels", config.spec["label"]), config.spec["value"])
        results.explain("labelled", f"carries the label {{config.spec['label']}}", item)


if __name__ == "__main__":
    main(__file__, process)
'''
FUNCTION = """\
name: {name}
kind: {kind}
summary: {title} in one line.
description: |
  What {name} does, for whom, and what it leaves alone.
tags: [mutator]
touches: selected
idempotent: true
rules:
  labelled: "info: with --explain, the ConfigMap carries the label"
runtime:
  requires: []
schema:
  type: object
  required: [label]
  properties:
    label:
      type: string
      minLength: 1
      description: The name of the label.
    value:
      type: string
      default: "true"
      description: The value of the label.
"""
README = """\
# {name}

## Overview

<!-- generated:overview -->
<!-- /generated -->

## Usage

```yaml
# Kptfile
pipeline:
  mutators:
  - image: {registry}/{name}
    configPath: {name}.yaml
```

### FunctionConfig

<!-- generated:config -->
<!-- /generated -->

### Results

<!-- generated:rules -->
<!-- /generated -->

## Examples

<!--mdtogo:Examples-->

[examples/basic](examples/basic) shows what goes in, and in `.expected` what comes out.

<!--mdtogo-->
"""
EXAMPLE = {
    "Kptfile": """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: basic
  annotations:
    config.kubernetes.io/local-config: "true"
info:
  description: {title}, on one ConfigMap.
pipeline:
  mutators:
  - image: {registry}/{name}
    configPath: {name}.yaml
""",
    "{name}.yaml": """\
apiVersion: {group}/{version}
kind: {kind}
metadata:
  name: {name}
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  label: example
""",
    "settings.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings # comments stay
data:
  level: "3"
""",
    ".krmignore": ".expected\n",
}


def files(name: str, registry: str) -> dict[str, str]:
    """Path inside functions/<name> -> text, for everything that is written by hand."""
    words = name.split("-")
    values = {
        "name": name,
        "kind": "".join(word.capitalize() for word in words),
        "title": " ".join(words).capitalize(),
        "registry": registry,
        "group": GROUP,
        "version": VERSION,
    }
    made = {"main.py": MAIN, "function.yaml": FUNCTION, "README.md": README}
    made |= {f"examples/basic/{path}": text for path, text in EXAMPLE.items()}
    return {path.format(**values): text.format(**values) for path, text in made.items()}


def write(folder: Path, made: dict[str, str]) -> None:
    for path, text in made.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    (folder / "main.py").chmod(0o755)


def main(arguments: list[str]) -> int:
    name = arguments[0] if len(arguments) == 1 else ""
    if not NAME.fullmatch(name) or name.startswith(RESERVED):
        print(
            "a function's name is at least two words, lower case with dashes, and does not begin with test-:"
            " make new NAME=set-colours",
            file=sys.stderr,
        )
        return 2
    folder = ROOT / "functions" / name
    if folder.exists():
        print(f"functions/{name} exists already", file=sys.stderr)
        return 1
    write(folder, files(name, Project().registry))
    code = generate.main([]) or golden.main([name])
    if not code:
        print(
            f"functions/{name} is made. Next: function.yaml, main.py, examples; then `make test FUNCTION={name}`."
        )
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
