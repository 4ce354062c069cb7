"""Make the repository of a small platform that renders without findings: `krmkit init --platform DIR`.

The files beside this module are the templates: a blueprint with packs, a Cluster with its class and an
Installation, and a fleet of two sites. The sites are rendered from it.
"""

from __future__ import annotations

import os
from pathlib import Path

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import files
from krmkit.storage.disk.journal import recover
from krmkit.storage.disk.primitives import digest, digest_of_text
from krmkit.storage.disk.write import FileEdit

HERE = Path(__file__).parent
# The target of each file. The files here have suffixes that editors know.
FILES = {
    "blueprint-kptfile.yaml": "blueprints/site/Kptfile",
    "blueprint-bindings.yaml": "blueprints/site/bindings.yaml",
    "blueprint-class.yaml": "blueprints/site/class.yaml",
    "blueprint-cluster.yaml": "blueprints/site/cluster.yaml",
    "blueprint-context.yaml": "blueprints/site/package-context.yaml",
    "blueprint-installation.yaml": "blueprints/site/installation.yaml",
    "blueprint-packs.yaml": "blueprints/site/packs.yaml",
    "blueprint-versions.yaml": "blueprints/site/versions.yaml",
    "fleet-repositories.yaml": "fleet/objects/repositories.yaml",
    "fleet-sites.yaml": "fleet/sites.yaml",
}
README = """# A platform

| | |
|---|---|
| `blueprints/site` | what every site runs on: packs, a Cluster with its class, an Installation; `krmkit render` only validates it |
| `fleet/sites.yaml` | one variant for each Repository with the label `role: site` |
| `fleet/objects` | the Repositories, and what is injected |
| `sites` | the variants, rendered |

```sh
krmkit render -r . --check                     # everything is right, and rendered
krmkit variants render fleet/sites.yaml --packages . --objects fleet/objects --out sites
krmkit topology plan -r .                      # which machines roll, compared with the last commit
krmkit report . --objects fleet/objects -o platform.html
```

With a git repository for each site: `krmkit variants sync fleet/sites.yaml --objects fleet/objects --repo north=../north --repo south=../south`.
The blueprint that it clones is the tag `blueprints/site/v1` of this repository.
"""


def missing_files(folder: str) -> list[FileEdit]:
    """Return the files of the repository that do not exist yet, without the rendered sites.

    A killed run may have written some. Raises Refused if the folder has other files, or other content.
    """
    texts = {"README.md": README} | {place: (HERE / name).read_text("utf-8") for name, place in FILES.items()}
    if os.path.isdir(folder):
        recover(folder)
        for path in files(folder):
            if not path.startswith("sites/") and (
                digest(os.path.join(folder, path)) != digest_of_text(texts.pop(path, None))
            ):
                raise Refused(f"{folder}: holds files already; name a new or empty folder")
    elif os.path.lexists(folder):
        raise Refused(f"{folder}: is a file; name a new or empty folder")
    return [FileEdit(place, None, text) for place, text in texts.items()]
