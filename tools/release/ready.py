"""Check whether this checkout can become a release: python -m tools.release.ready VERSION

The version is the library's, the changelog has a dated section about it, nothing waits to be committed or generated,
and the tag is free or at this commit. All errors are reported at once.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import krmkit
from tools.definitions import ROOT
from tools.generate import generated, stale

SECTION = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?[ ]*$", re.MULTILINE)


def problems_of_changelog(text: str, version: str) -> list[str]:
    """The errors of a changelog for a version, whose section must be first, with a date and entries."""
    sections = list(SECTION.finditer(text))
    ends = [*(match.start() for match in sections), len(text)][1:]
    entries = {
        match["name"]: len(re.findall(r"^- ", text[match.end() : end], re.MULTILINE))
        for match, end in zip(sections, ends, strict=True)
    }
    dates = {match["name"]: match["date"] for match in sections}
    names = [name for name in entries if name != "Unreleased"]
    found = []
    if entries.get("Unreleased"):
        found.append(
            f"CHANGELOG.md: {entries['Unreleased']} entries are below [Unreleased]; they belong below `## [{version}] - DATE`"
        )
    if version not in entries:
        found.append(
            f"CHANGELOG.md: must have a section `## [{version}] - DATE`, has {', '.join(entries) or 'none'}"
        )
    else:
        if names[0] != version:
            found.append(f"CHANGELOG.md: [{version}] must be the first version, got {names[0]}")
        if dates[version] is None:
            found.append(f"CHANGELOG.md: [{version}] must have a date, as in `## [{version}] - 2026-01-31`")
        if not entries[version]:
            found.append(f"CHANGELOG.md: [{version}] must have entries, has none")
    return found


def git(root: Path, *arguments: str) -> str:
    """Git's stdout, "" if it fails."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def problems_of_repository(root: Path, version: str) -> list[str]:
    """Git's reasons against a release of this commit."""
    head = git(root, "rev-parse", "--verify", "HEAD")
    if not head:
        return ["a release is made of a commit: this is no git repository with one"]
    found = []
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        names = ", ".join(line.split()[-1] for line in changed[:5])
        found.append(
            f"{len(changed)} files differ from the commit, so the release would not hold them: {names}"
        )
    tagged = git(root, "rev-parse", "--verify", f"refs/tags/v{version}^{{commit}}")
    if tagged not in {"", head}:
        found.append(f"the tag v{version} is at {tagged[:12]}, and this commit is {head[:12]}")
    return found


def problems(root: Path, version: str) -> list[str]:
    """All that keeps this checkout from being released as a version."""
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}((a|b|rc)\d+)?", version):
        return [f"VERSION must be as in 1.2.0 or 1.2.0rc1, got {version}"]
    found = []
    if krmkit.__version__ != version:
        found.append(f"shared/krmkit/__init__.py: __version__ must be {version}, got {krmkit.__version__}")
    found += problems_of_changelog((root / "CHANGELOG.md").read_text("utf-8"), version)
    files = generated(root)
    old = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    found += [
        f"{path.relative_to(root).as_posix()}: is not as `make generate` writes it"
        for path in sorted([*old, *stale(root, files)])
    ]
    return found + problems_of_repository(root, version)


def main(arguments: list[str]) -> int:
    """Print the errors; the exit code is 1 if there are any."""
    if len(arguments) != 1:
        print("usage: python -m tools.release.ready VERSION", file=sys.stderr)
        return 2
    found = problems(ROOT, arguments[0])
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
