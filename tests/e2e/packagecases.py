"""Random packages in three versions, as texts with comments, for updates that the real kpt judges."""

from __future__ import annotations

from random import Random

from krmkit.kpt.merge.edits import write_merged
from krmkit.kpt.source import FileResource, SourceFile, joined
from krmkit.krm.annotations import Location
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from tests.e2e.mergecases import Cases

Files = dict[str, str]

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: {name} # the package
info:
  description: {description}
pipeline:
  mutators:
    # sets what sites share
    - image: registry.example.com/set-site:{tag}
      configMap:
        site: {site}
"""


class Packages:
    """Makes packages in three versions: base, upstream and local. The same seed makes the same packages."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.cases = Cases(seed)

    def versions(self, name: str) -> tuple[Files, Files, Files]:
        """Return the files of one package by path in its three versions."""
        base: Files = {"Kptfile": self.kptfile(name)}
        for number in range(self.random.randint(1, 4)):
            count = self.random.choice((1, 1, 2, 3))
            texts = [self.commented(self.cases.triple(f"{name}-r{number}-{n}")[0]) for n in range(count)]
            base[self.random.choice(("", "dir/")) + f"f{number}.yaml"] = "---\n".join(texts)
        for number in range(self.random.randint(0, 3)):
            base[f"note{number}.md"] = f"note {self.random.randint(0, 9)}\n"
        return base, self.edited(base, name, "up"), self.edited(base, name, "here")

    def kptfile(self, name: str) -> str:
        tag, site = self.random.choice(("v1", "v2")), self.random.choice(("north", "south"))
        return KPTFILE.format(name=name, description=f"about {name}", tag=tag, site=site)

    def commented(self, resource: Object) -> str:
        """A resource's text with comments above and behind some lines.

        None is in a list: kpt takes a comment that moved there for a change of the list.
        """
        lines = Resource.from_data(resource).text.splitlines()
        first_list = next(
            (number for number, line in enumerate(lines) if line.lstrip().startswith("- ")), len(lines)
        )
        written = []
        for number, line in enumerate(lines):
            indent = line[: len(line) - len(line.lstrip())]
            if 0 < number < first_list - 1 and self.chance(0.15):
                written.append(f"{indent}# about line {number}")
            behind = number < first_list and not line.endswith(":") and not indent and self.chance(0.15)
            written.append(line + (f" # note {number}" if behind else ""))
        return "\n".join(written) + "\n"

    def edited(self, base: Files, name: str, side: str) -> Files:
        """Another version: resources edited, removed, added, renamed; files added, changed, removed."""
        files: Files = {}
        for path, text in base.items():
            if path == "Kptfile":
                files[path] = self.kptfile(name) if self.chance(0.4) else text
            elif path.endswith(".yaml"):
                if not self.chance(0.06):
                    files[path] = self.edited_file(path, text, f"{name}-{side}")
            elif not self.chance(0.15):
                files[path] = text + (f"{side}\n" if self.chance(0.2) else "")
        if self.chance(0.2):
            files[f"{side}.md"] = f"from {side}\n"
        if self.chance(0.2):
            files[f"{side}.yaml"] = self.commented(self.cases.triple(f"{name}-{side}-file")[0])
        return {path: text for path, text in files.items() if text}

    def edited_file(self, path: str, text: str, fresh: str) -> str:
        file = SourceFile(path, text, "", path)
        items: list[FileResource] = []
        for item in file.items:
            if self.chance(0.08):
                continue
            data = item.get()
            assert isinstance(data, dict)
            if self.chance(0.6):
                write_merged(item, self.cases.edited(data))
            if self.chance(0.05):
                item.set(("metadata", "namespace"), "moved")
            items.append(item)
        if self.chance(0.1):
            new = self.commented(self.cases.triple(f"{fresh}-{len(items)}")[0])
            items.append(FileResource(new, Location(path, len(items)), path))
        if not items:
            return ""
        return file.joined(items) if items[0] is file.items[0] else joined(items)

    def chance(self, part: float) -> bool:
        return self.random.random() < part
