"""The folder of a new function, in this catalog (`make new`) or anywhere else (`krmkit new function`).

    files("label-teams", Place("registry.example.com", "example.com/v1"))["main.py"]

What it holds works at once: contract, example and docs pass before anything is edited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from krmkit import REGISTRY, TAG
from krmkit.storage.disk.write import FileEdit, write_folder

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_LIBRARY = """
if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback
"""

MAIN = '''\
#!/usr/bin/env python3
"""{title}: see function.yaml."""

from __future__ import annotations
{library}
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
{version}summary: {title} in one line.
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
apiVersion: {api_version}
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


# Additional files of a function outside of this catalog.
_PAGE = """\
# {name}

{title}: `function.yaml` says what it does and what its config takes; `krmkit doc --functions . {name}` shows that.

```sh
pytest                                                       # the contract of every function, and {test}
pytest --krm-write-expected                                  # write .expected of the examples anew, to be read
krmkit render examples/basic --functions . --diff            # run it on the example, and write nothing
```

In a Kptfile: `image: {registry}/{name}`, or `exec: {name}/main.py` for kpt without containers.
"""
_TEST = '''\
"""What {name} does, one case each. `pytest` runs the contract of every function beside it: see pytest.ini."""

from pathlib import Path

from krmkit.fn.testing import resource_list, run_function

FOLDER = Path(__file__).parent
CONFIG = """\\
apiVersion: {api_version}
kind: {kind}
metadata: {{name: config}}
spec: {{label: team, value: red}}
"""
SETTINGS = """\\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings # comments stay
"""


def test_a_config_map_is_labelled() -> None:
    """The label is there, and the comment still is."""
    outcome = run_function(FOLDER, resource_list([SETTINGS], CONFIG))

    assert outcome.exit_code == 0
    assert "    name: settings # comments stay\\n    labels:\\n      team: red\\n" in outcome.stdout


def test_a_label_is_needed() -> None:
    """A config without a label is an error that names the field."""
    outcome = run_function(FOLDER, resource_list([SETTINGS], CONFIG.replace("label: team, ", "")))

    assert outcome.exit_code == 1
    assert [result.field for result in outcome.results] == ["spec.label"]
'''
_SETTINGS = """\
[pytest]
krm_functions = .
"""
_IMAGE = """\
# The image of {name}:  docker build -t {registry}/{name} .
#
# BASE_IMAGE brings Python, krmkit and its dependencies: the image of krmkit's whole catalog, which `make base-image image
# FUNCTION=catalog` builds in a checkout of krmkit. Packages that only this function needs go into an image of yours made from it.
ARG BASE_IMAGE={base}
FROM ${{BASE_IMAGE}}
COPY main.py function.yaml /functions/{name}/
ENV PYTHONPATH=/krmkit/shared
USER 65534:65534
ENTRYPOINT ["python3", "/functions/{name}/main.py"]
"""


@dataclass(slots=True, eq=False)
class Place:
    """The surroundings of a new function.

    Its registry, the apiVersion of its config, and whether it is one of this catalog.
    """

    registry: str
    api_version: str
    inside: bool = False


def files(name: str, place: Place) -> dict[str, str]:
    """Path inside the function's folder -> text, for everything that is written by hand. `name` matches NAME."""
    words = name.split("-")
    values = {
        "name": name,
        "kind": "".join(word.capitalize() for word in words),
        "title": " ".join(words).capitalize(),
        "registry": place.registry,
        "api_version": place.api_version,
        "version": "" if place.inside else f"apiVersion: {place.api_version}\n",
        "library": _LIBRARY if place.inside else "",
        "base": f"{REGISTRY}/catalog:{TAG}",
        "test": f"test_{name.replace('-', '_')}.py",
    }
    made = {"main.py": MAIN, "function.yaml": FUNCTION, "README.md": README if place.inside else _PAGE}
    if not place.inside:
        made |= {values["test"]: _TEST, "pytest.ini": _SETTINGS, "Dockerfile": _IMAGE}
    made |= {f"examples/basic/{path}": text for path, text in EXAMPLE.items()}
    return {path.format(**values): text.format(**values) for path, text in made.items()}


def make_folder(folder: Path, made: dict[str, str]) -> None:
    """Write the files into a new folder; main.py can be executed. Raises Refused, OSError."""
    write_folder(str(folder), [FileEdit(path, None, text) for path, text in made.items()])
    (folder / "main.py").chmod(0o755)
