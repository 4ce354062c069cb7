"""The site of the documents, in build/docs/site: .venv-docs/bin/python -m tools.docsite

The pages keep the places that they have in the repository, so a relative link means the same on a code host and on the
site. Link targets that are not pages become pages: a source file is shown, a folder is listed. Sphinx builds the pages
(docs/conf.py), a warning is an error, and then every link of the result is followed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "docs"
FIRST = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "functions/*/README.md")
PICTURES = {".svg", ".png"}
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json"}
# The navigation: each page of docs/ has a place here, or the build fails. The functions follow.
CHAPTERS = {
    "Palette": ("docs/tutorial", "docs/packs", "docs/profiles", "docs/platform"),
    "Porch and kpt": ("docs/five-functions", "docs/everyday", "docs/fleet", "docs/porch", "docs/kustomize"),
    "Cluster API": ("docs/clusterapi", "docs/clusterapi-variables", "docs/topology-extensions"),
    "Landscaper": ("docs/landscaper", "docs/spiff"),
    "Every day": ("docs/ci", "docs/report", "docs/troubleshooting", "docs/images", "docs/scale", "docs/sdk"),
    "Reference": (
        *(
            "docs/index",
            "docs/functions",
            "docs/versions",
            "docs/compatibility",
            "docs/limits",
            "docs/security",
            "docs/dependencies",
        ),
        *("docs/architecture", "docs/releases", "CONTRIBUTING", "CHANGELOG"),
    ),
}

_CODE = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^)\s#]+)(?=[)#])")


class SiteError(Exception):
    """A site that cannot be built; the message names page and link."""


def links(text: str) -> Iterator[re.Match[str]]:
    """The links of a page that lead to another file of the repository; those in code are none."""
    code = [match.span() for match in _CODE.finditer(text)]
    for match in _LINK.finditer(text):
        inside = any(start <= match.start() < end for start, end in code)
        if not inside and not re.match(r"[a-z]+:", match["target"]):
            yield match


def place(path: Path, root: Path) -> str:
    """Where a file or folder of the repository lies on the site, relative to the root of both."""
    name = path.relative_to(root).as_posix()
    if path.is_dir():
        return f"{name}/index.md"
    if path.name == "README.md":
        return name.removesuffix("README.md") + "index.md"
    return name if path.suffix in {".md", *PICTURES} else f"{name}.md"


def relinked(page: Path, root: Path) -> tuple[str, set[Path]]:
    """The text of a page with the links of the site, and what it links to. Raises SiteError for one that leads nowhere."""
    text = page.read_text("utf-8")
    parts, found, end = [], set(), 0
    up = "../" * (len(page.relative_to(root).parts) - 1)
    for match in links(text):
        path = (page.parent / unquote(match["target"])).resolve()
        if not path.is_relative_to(root) or not path.exists():
            raise SiteError(
                f"{page.relative_to(root)}: {match['target']} must be a file or folder of the repository"
            )
        found.add(path)
        parts += [text[end : match.start("target")], up + place(path, root)]
        end = match.end("target")
    return "".join([*parts, text[end:]]), found


def shown(path: Path, root: Path) -> str:
    """The page that shows a source file, or lists a folder."""
    name = path.relative_to(root).as_posix()
    head = f"---\norphan: true\nnosearch: true\n---\n\n# {name}\n\n"
    if path.is_dir():
        names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in path.iterdir())
        return head + "".join(f"- `{one}`\n" for one in names if one != "__pycache__/")
    return f"{head}``````{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text('utf-8').rstrip()}\n``````\n"


def navigation(functions: list[str]) -> str:
    """The end of the first page: the tables of contents, which only the navigation shows."""
    chapters = {**CHAPTERS, "Functions": tuple(f"functions/{name}/index" for name in functions)}
    return "".join(
        "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *names, "```", ""])
        for title, names in chapters.items()
    )


def pages(root: Path = ROOT) -> dict[str, str | Path]:
    """All that the site has, by place: the text of a page, or the picture that is copied. Raises SiteError."""
    made: dict[str, str | Path] = {}
    first = [path for pattern in FIRST for path in sorted(root.glob(pattern))]
    todo = list(first)
    while todo:
        path = todo.pop()
        where = place(path, root)
        if where in made:
            continue
        if path.is_dir() and (path / "README.md").exists():
            path = path / "README.md"
        if path.suffix in PICTURES:
            made[where] = path
        elif path.suffix == ".md":
            text, more = relinked(path, root)
            todo += more
            # The navigation has the first pages; readers come to the others by links.
            made[where] = text if path in first else f"---\norphan: true\n---\n\n{text}"
        else:
            made[where] = shown(path, root)
    functions = sorted(path.parent.name for path in first if path.parent.parent.name == "functions")
    made["index.md"] = str(made["index.md"]) + navigation(functions)
    return made


def lay_out(folder: Path, root: Path = ROOT) -> None:
    """Write the pages, and only them, below a folder. Raises SiteError."""
    made = pages(root)
    shutil.rmtree(folder, ignore_errors=True)
    for where, content in made.items():
        path = folder / where
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copyfile(content, path)
        else:
            path.write_text(content, "utf-8")


class _Page(HTMLParser):
    """The links and anchors of a page of the site, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.anchors.add(values["id"])
        if "href" in values:
            (self.links if tag == "a" else self.loads).append(values["href"])
        if "src" in values:
            self.loads.append(values["src"])


def dead(site: Path) -> list[str]:
    """The errors of a built site's links: dead links, and resources loaded from elsewhere."""
    found = {path: _Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = [] if found else [f"{site} has no pages"]
    for path, page in found.items():
        name = path.relative_to(site)
        wrong += [f"{name}: loads {url}" for url in page.loads if urlsplit(url).netloc]
        for url in [*page.links, *page.loads]:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            leads = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            leads = leads / "index.html" if leads.is_dir() else leads
            if not leads.exists():
                wrong.append(f"{name}: {url} leads nowhere")
            elif parts.fragment and leads in found and unquote(parts.fragment) not in found[leads].anchors:
                wrong.append(f"{name}: {url} names no heading")
    return wrong


def main(root: Path = ROOT, build: Path = BUILD) -> int:
    """Lay out, build, check; say what is wrong."""
    try:
        lay_out(build / "pages", root)
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    shutil.rmtree(build / "site", ignore_errors=True)
    command = ["-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "--builder", "dirhtml"]
    folders = ["--conf-dir", str(ROOT / "docs"), "--doctree-dir", str(build / "read")]
    done = subprocess.run(
        [sys.executable, *command, *folders, str(build / "pages"), str(build / "site")],
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        return done.returncode
    wrong = dead(build / "site")
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
        return 1
    print(f"{build / 'site' / 'index.html'}: every link leads somewhere")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
