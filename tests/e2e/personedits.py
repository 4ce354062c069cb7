"""Edits of packages as people make them, each by its name: a function that changes the files of a branch."""

from __future__ import annotations

import re
from collections.abc import Callable

Files = dict[str, str]
Edit = Callable[[Files], None]

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
info:
  description: The web server
  keywords:
    - web
"""
STEPS: dict[str, str] = {
    "no pipeline": "",
    "namespace and names": """\
pipeline:
  mutators:
    - image: gcr.io/kpt-fn/set-namespace:v0.4.1
      configMap:
        namespace: shop
    - image: gcr.io/kpt-fn/ensure-name-substring:v0.2.0
      configMap:
        prepend: shop-
""",
    "labels and setters": """\
pipeline:
  mutators:
    - image: gcr.io/kpt-fn/apply-setters:v0.2.0
      configMap:
        days: "7"
    - image: gcr.io/kpt-fn/set-labels:v0.2.0
      configMap:
        site: north
""",
}
# What the steps put into resources that people add, too.
MADE = (
    "namespace: shop",
    "metadata:",
    "labels:",
    "site: north",
    "commonLabels:",
    "selector:",
    "matchLabels:",
    "template:",
    '"namespace": "shop"',
    '"labels": {',
    '"site": "north"',
    "},",
)
DEPLOYMENT = """\
# the server
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2 # enough
  template:
    spec:
      containers:
        - name: web
          image: web:1
          args:
            - --quiet
            - --days=7
          env:
            - name: A
              value: "1"
            - name: B
              value: "2"
        - name: log
          image: log:1
"""
MAPS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  release: "1"
  size: small

  color: 'blue'
  text: |
    first line
    second line
    third line
---
# the other one
apiVersion: v1
kind: ConfigMap
metadata:
  name: other
data:
  release: "1"
  tier: edge
"""
PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: pack
data:
  values.yaml: |
    store:
      # how many
      replicas: 3
      title: The store
      endpoint: ""
"""
CUSTOM = """\
apiVersion: example.com/v1
kind: Site
metadata:
  name: site
spec:
  zones: [a, b]
  rules:
    - from: a
      to: b
    - from: b
      to: c
  data: !!binary aGVsbG8=
"""
README = "# Web\n\n" + "".join(f"line {number}\n" for number in range(1, 11))
LIBRARY = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: net
upstream:
  type: git
  git:
    repo: https://example.com/lib
    directory: /net
    ref: net/v1
  updateStrategy: resource-merge
upstreamLock:
  type: git
  git:
    repo: https://example.com/lib
    directory: /net
    ref: net/v1
    commit: 1111111111111111111111111111111111111111
"""
NET = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: net\ndata:\n  n: "1"\n  m: "1"\n'


def upstream(steps: str, version: int) -> Files:
    """The upstream package; each version changes one line of every file."""
    number = f'"{version}"'
    return {
        "Kptfile": KPTFILE.replace("The web server", f"The web server {version}") + STEPS[steps],
        "web.yaml": DEPLOYMENT.replace("log:1", f"log:{version}"),
        "maps.yaml": MAPS.replace('release: "1"', f"release: {number}"),
        "pack.yaml": PACK.replace("title: The store", f"title: The store {version}"),
        "site.yaml": CUSTOM.replace("to: c", f"to: c{version}"),
        "ends.yaml": MAPS.replace('release: "1"', f"release: {number}").replace("name: app", "name: app2")
        .replace("name: other", "name: other2").replace("\n", "\r\n"),
        "README.md": README.replace("line 1\n", f"line 1 of {version}\n"),
        "run.sh": f"#!/bin/sh\necho {version}\n\necho done\n",
        "sub/Kptfile": KPTFILE.replace("name: web", "name: sub"),
        "sub/map.yaml": MAPS.replace('release: "1"', f"release: {number}").replace("name: app", "name: in-sub")
        .replace("name: other", "name: other-in-sub"),
        "net/Kptfile": LIBRARY,
        "net/net.yaml": NET.replace('m: "1"', f"m: {number}"),
    }  # fmt: skip


def swap(path: str, old: str, new: str, count: int = 1) -> Edit:
    """Replace a text in a file."""

    def edit(files: Files) -> None:
        assert old in files[path], (old, files[path])
        files[path] = files[path].replace(old, new, count)

    return edit


def put(path: str, text: str) -> Edit:
    def edit(files: Files) -> None:
        files[path] = files.get(path, "") + text

    return edit


def drop(*paths: str) -> Edit:
    def edit(files: Files) -> None:
        for path in paths:
            del files[path]

    return edit


def each(*edits: Edit) -> Edit:
    def edit(files: Files) -> None:
        for one in edits:
            one(files)

    return edit


def move(old: str, new: str, keep: bool = False) -> Edit:
    """Move or copy the files below a path."""

    def edit(files: Files) -> None:
        for path in [path for path in files if path.startswith(old)]:
            files[new + path.removeprefix(old)] = files[path] if keep else files.pop(path)

    return edit


def copy(path: str, place: str, old: str, new: str, number: int = 0, before: bool = False) -> Edit:
    """Copy a document, with its mark, into a file, and change a text in it."""

    def edit(files: Files) -> None:
        document = files[path].split("---\n")[number]
        made = document.replace(old, new, 1)
        assert made != document or old == new
        there = [files[place]] if place in files else []
        files[place] = "---\n".join([made, *there] if before else [*there, made])

    return edit


def name_of(files: Files, path: str) -> str:
    return files[path].split("  name: ")[1].split("\n")[0]


def rename(path: str, name: str) -> Edit:
    def edit(files: Files) -> None:
        files[path] = files[path].replace(f"  name: {name_of(files, path)}", f"  name: {name}", 1)

    return edit


def label(path: str, line: str) -> Edit:
    def edit(files: Files) -> None:
        there = "  labels:\n" in files[path]
        swap(
            path,
            "  labels:\n" if there else "metadata:\n",
            f"{'' if there else 'metadata:' + chr(10)}  labels:\n    {line}\n",
        )(files)

    return edit


def comment_out(path: str, first: str, last: str = "") -> Edit:
    """Put a sign before the lines from one text to another."""

    def edit(files: Files) -> None:
        lines = files[path].split("\n")
        start = next(number for number, line in enumerate(lines) if first in line)
        end = next(number for number, line in enumerate(lines) if number >= start and (last or first) in line)
        lines[start : end + 1] = [f"# {line}" for line in lines[start : end + 1]]
        files[path] = "\n".join(lines)

    return edit


QUOTA = 'apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: mem\nspec:\n  hard:\n    requests.cpu: "1"\n'
SECOND = "---\n" + QUOTA.replace("mem", "disk")

COPIES: dict[str, Edit] = {
    "a copy behind its original": copy("maps.yaml", "maps.yaml", "small", "huge"),
    "a renamed copy behind its original": each(
        copy("maps.yaml", "maps.yaml", "  name: ", "  name: my-"), swap("maps.yaml", "size: small", "size: big")),
    "a renamed copy before its original": copy("maps.yaml", "maps.yaml", "  name: ", "  name: my-", before=True),
    "a renamed copy in another file": copy("maps.yaml", "copy.yaml", "  name: ", "  name: my-"),
    "a renamed copy in a file that sorts first": copy("maps.yaml", "a.yaml", "  name: ", "  name: my-"),
    "a renamed copy in another folder": copy("maps.yaml", "more/copy.yaml", "  name: ", "  name: my-"),
    "a copy of another kind": copy("web.yaml", "daemon.yaml", "kind: Deployment", "kind: DaemonSet"),
    "a copied Deployment": copy("web.yaml", "web2.yaml", "  name: ", "  name: my-"),
    "a copied subpackage": each(move("sub/", "sub2/", keep=True), rename("sub2/Kptfile", "sub2")),
    "a copied subpackage with another name inside": each(
        move("sub/", "sub2/", keep=True), rename("sub2/map.yaml", "mine"), rename("sub2/Kptfile", "sub2")),
    "two copies": each(
        copy("maps.yaml", "b.yaml", "  name: ", "  name: b-"), copy("maps.yaml", "c.yaml", "  name: ", "  name: c-")),
    "renamed, and another with the old name": each(
        copy("pack.yaml", "new.yaml", "The store", "My store"), rename("pack.yaml", "pack-mine")),
}  # fmt: skip
MOVES: dict[str, Edit] = {
    "a renamed resource": rename("pack.yaml", "mine"),
    "a renamed file": move("pack.yaml", "packs.yaml"),
    "a renamed file in a folder": move("pack.yaml", "packs/pack.yaml"),
    "a renamed text file": move("README.md", "ABOUT.md"),
    "a renamed subpackage": move("sub/", "part/"),
    "documents in another order": lambda files: files.update(
        {"maps.yaml": "---\n".join(reversed(files["maps.yaml"].split("---\n")))}),
    "a document in another file": lambda files: files.update(
        {"other.yaml": files["maps.yaml"].split("---\n")[1], "maps.yaml": files["maps.yaml"].split("---\n")[0]}),
    "fields in another order": each(
        swap("maps.yaml", "  size: small\n", ""), swap("maps.yaml", "data:\n", "data:\n  size: small\n")),
    "a renamed package": swap("Kptfile", "  name: ", "  name: my-"),
}  # fmt: skip
COMMENTS: dict[str, Edit] = {
    "behind a value": swap("maps.yaml", "size: small", "size: small # ours"),
    "behind a value that upstream changes": swap("web.yaml", "name: log\n", "name: log # ours\n"),
    "above a field": swap("maps.yaml", "  size: small", "  # ours\n  size: small"),
    "several lines above a field": swap("maps.yaml", "  size: small", "  # ours\n  # and ours\n\n  size: small"),
    "above a resource": put("head.yaml", "# ours\n" + QUOTA),
    "at the head of a file": lambda files: files.update({"maps.yaml": "# ours\n" + files["maps.yaml"]}),
    "at the end of a file": put("maps.yaml", "# ours\n"),
    "at the end of a map": swap("web.yaml", "  replicas: 2 # enough\n", "  replicas: 2 # enough\n  # ours\n"),
    "at the end of a list": swap("web.yaml", "            - --days=7\n", "            - --days=7\n            # ours\n"),
    "behind an element": swap("web.yaml", "- --days=7", "- --days=7 # ours"),
    "above an element": swap("web.yaml", "            - --days=7", "            # ours\n            - --days=7"),
    "above an element with keys": swap("web.yaml", "            - name: B", "            # ours\n            - name: B"),
    "behind the first key of an element": swap("web.yaml", "- name: B", "- name: B # ours"),
    "between elements of an unknown kind": swap("site.yaml", "    - from: b", "    # ours\n    - from: b"),
    "behind a list in brackets": swap("site.yaml", "zones: [a, b]", "zones: [a, b] # ours"),
    "behind a separator": swap("maps.yaml", "---\n", "--- # ours\n"),
    "between documents": swap("maps.yaml", "---\n", "# ours, between\n---\n"),
    "behind a key": swap("maps.yaml", "data:\n", "data: # ours\n"),
    "at the head of a block text": swap("maps.yaml", "text: |\n", "text: | # ours\n"),
    "in the text of a field": swap("pack.yaml", "      replicas: 3", "      # ours\n      replicas: 3"),
    "behind a value in the text of a field": swap("pack.yaml", "replicas: 3", "replicas: 3 # ours"),
    "changed": swap("web.yaml", "# enough", "# plenty, says ours"),
    "removed": swap("web.yaml", " # enough", ""),
    "the head changed": swap("web.yaml", "# the server", "# our server"),
    "a setter comment": swap("web.yaml", "- --days=7", "- --days=7 # kpt-set: --days=${days}"),
    "a setter comment with the setter": each(
        swap("web.yaml", "replicas: 2 # enough", "replicas: 2 # kpt-set: ${count}")),
    "in a Kptfile": swap("Kptfile", "info:\n", "# ours\ninfo:\n"),
    "behind a value of a Kptfile": swap("Kptfile", "    - web\n", "    - web # ours\n"),
    "in a subpackage": swap("sub/map.yaml", "size: small", "size: small # ours"),
    "with CRLF, behind a value": swap("ends.yaml", "size: small\r", "size: small # ours\r"),
    "with CRLF, above a field": swap("ends.yaml", "  size: small\r\n", "  # ours\r\n  size: small\r\n"),
    "with CRLF, at the end": put("ends.yaml", "# ours\r\n"),
    "with CRLF, between documents": swap("ends.yaml", "---\r\n", "--- # ours\r\n"),
    "of other alphabets": swap("maps.yaml", "size: small", "size: small # наш, größer, 我们的"),
}  # fmt: skip
OUT: dict[str, Edit] = {
    "a field": comment_out("maps.yaml", "size: small"),
    "a field that upstream changes": comment_out("maps.yaml", "  release:"),
    "a document": lambda files: files.update({"maps.yaml": files["maps.yaml"].split("---\n")[0] + "---\n" + "".join(
        f"# {line}\n" for line in files["maps.yaml"].split("---\n")[1].splitlines())}),
    "the first document": lambda files: files.update({"maps.yaml": "".join(
        f"# {line}\n" for line in files["maps.yaml"].split("---\n")[0].splitlines()) + "---\n" + files["maps.yaml"].split("---\n")[1]}),
    "a whole file": lambda files: files.update(
        {"pack.yaml": "".join(f"# {line}\n" for line in files["pack.yaml"].splitlines())}),
    "an element": comment_out("web.yaml", "- --quiet"),
    "an element with keys": comment_out("web.yaml", "- name: A", 'value: "1"'),
    "a container": comment_out("web.yaml", "- name: log", "image: log"),
    "a field in the text of a field": swap("pack.yaml", "      replicas: 3", "      # replicas: 3"),
    "with CRLF": swap("ends.yaml", "  size: small", "  # size: small"),
    "a part of the Kptfile": comment_out("Kptfile", "  keywords:", "- web"),
}  # fmt: skip
ADDED: dict[str, Edit] = {
    "a resource in a new file": put("quota.yaml", QUOTA),
    "two resources in a new file": put("quota.yaml", QUOTA + SECOND),
    "a resource behind others": put("maps.yaml", SECOND),
    "a resource before others": lambda files: files.update({"maps.yaml": QUOTA + "---\n" + files["maps.yaml"]}),
    "a resource with comments": put("quota.yaml", QUOTA.replace('"1"', '"1" # not more')),
    "a resource in a subpackage": put("sub/quota.yaml", QUOTA),
    "a resource in a file with CRLF": put("quota.yaml", QUOTA.replace("\n", "\r\n")),
    "a resource of a new kind": put("my.yaml", QUOTA.replace("v1", "example.com/v2").replace("ResourceQuota", "Mine")),
    "a subpackage": each(put("mine/Kptfile", KPTFILE.replace("web", "mine")), put("mine/quota.yaml", QUOTA)),
    "a field": swap("maps.yaml", "  size: small\n", "  size: small\n  mine: ours\n"),
    "a field at the end": put("pack.yaml", "  mine: ours\n"),
    "a field with a block text": put("pack.yaml", "  mine: |\n    our\n    text\n"),
    "an element": swap("web.yaml", "            - --quiet\n", "            - --quiet\n            - --mine\n"),
    "an element at the end": swap("web.yaml", "            - --days=7\n", "            - --days=7\n            - --mine\n"),
    "an element with keys": swap("web.yaml", "            - name: B\n", "            - name: MINE\n              value: ours\n            - name: B\n"),
    "a container": swap("web.yaml", "        - name: log", "        - name: mine\n          image: mine:1\n        - name: log"),
    "an element of an unknown kind": swap("site.yaml", "    - from: b\n", "    - from: mine\n      to: b\n    - from: b\n"),
    "a label": label("pack.yaml", "mine: ours"),
    "an annotation": swap("pack.yaml", "  annotations:\n", "  annotations:\n    mine: ours\n"),
    "a file of notes in YAML": put("notes.yaml", "# gateway: 10.0.0.1\n# ours\n"),
    "a text file": put("NOTES.txt", "ours\n\nline\n"),
    "a JSON file": put(
        "mine.json",
        '{\n  "apiVersion": "v1",\n  "data": {\n    "mine": "ours"\n  },\n  "kind": "ConfigMap",\n  "metadata": {\n    "name": "json"\n  }\n}\n',
    ),
    "a kustomization": put(
        "kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata:\n  name: k\nresources:\n  - maps.yaml # ours\n"),
    "a file with another name": put("größe.txt", "ours\n"),
    "a field of the Kptfile": swap("Kptfile", "info:\n", "info:\n  site: https://example.com/ours\n"),
    "an annotation of the Kptfile": swap("Kptfile", "metadata:\n", "metadata:\n  annotations:\n    mine: ours\n"),
    "an inventory": put("Kptfile", "inventory:\n  name: ours\n  namespace: ours\n  inventoryID: ours\n"),
    "an empty document": put("maps.yaml", "---\n"),
    "a list of the same element twice": swap("web.yaml", "            - --quiet\n", "            - --quiet\n            - --quiet\n"),
}  # fmt: skip
CHANGED: dict[str, Edit] = {
    "a value": swap("maps.yaml", "size: small", "size: large"),
    "a value of two documents": swap("maps.yaml", "tier: edge", "tier: core"),
    "a value with CRLF": swap("ends.yaml", "size: small", "size: large"),
    "a value in a list": swap("web.yaml", "- --quiet", "- --loud"),
    "a value in a list with keys": swap("web.yaml", 'value: "1"', 'value: "100"'),
    "a value in an unknown kind": swap("site.yaml", "- from: a", "- from: ours"),
    "a number": swap("web.yaml", "replicas: 2", "replicas: 20"),
    "a binary value": swap("site.yaml", "aGVsbG8=", "b3Vycw=="),
    "a value in the text of a field": swap("pack.yaml", "replicas: 3", "replicas: 30"),
    "a line of a block text": swap("maps.yaml", "second line", "our line"),
    "a block text that becomes quoted": swap(
        "maps.yaml", "text: |\n    first line\n    second line\n    third line\n", 'text: "ours, on one line"\n'),
    "a quoted text that becomes a block": swap("maps.yaml", "color: 'blue'", "color: |-\n    ours\n    blue"),
    "quotes": swap("maps.yaml", "color: 'blue'", 'color: "blue"'),
    "no quotes": swap("maps.yaml", "color: 'blue'", "color: blue"),
    "blank lines": swap("maps.yaml", "  size: small\n", "\n\n  size: small\n"),
    "no blank line": swap("maps.yaml", "small\n\n", "small\n"),
    "a list in brackets": swap("site.yaml", "zones: [a, b]", "zones:\n    - a\n    - b"),
    "an indent": lambda files: files.update(
        {"site.yaml": re.sub(r"\n  (  - from|    to)", r"\n\1", files["site.yaml"])}),
    "a line of a text file": swap("README.md", "line 9\n", "our line 9\n"),
    "the end of a text file": put("README.md", "ours\n"),
    "a line beside upstream's": swap("README.md", "line 2\n", "our line 2\n"),
    "a line of a program": swap("run.sh", "echo done", "echo ours"),
    "all line ends": lambda files: files.update({"pack.yaml": files["pack.yaml"].replace("\n", "\r\n")}),
    "the description": swap("Kptfile", "    - web\n", "    - web\n    - ours\n"),
    "the strategy": swap("Kptfile", "updateStrategy: resource-merge", "updateStrategy: force-delete-replace"),
    "a subpackage's lock": each(
        swap("net/Kptfile", "net/v1", "net/v2", 2), swap("net/Kptfile", "1" * 40, "2" * 40), swap("net/net.yaml", 'n: "1"', 'n: "2"')),
    "a value of a subpackage": swap("sub/map.yaml", "size: small", "size: large"),
    "a value of a package with an upstream": swap("net/net.yaml", 'n: "1"', "n: ours"),
    "the namespace": swap("site.yaml", "  name: ", "  namespace: ours\n  name: "),
    "no mark": lambda files: files.update({"pack.yaml": "".join(
        line for line in files["pack.yaml"].splitlines(True) if "annotations:" not in line and "upstream-identifier" not in line)}),
    "a value that upstream changes too": swap("maps.yaml", "release: ", 'release: "ours" # was '),
}  # fmt: skip
REMOVED: dict[str, Edit] = {
    "a field": swap("maps.yaml", "  size: small\n", ""),
    "an element": swap("web.yaml", "            - --quiet\n", ""),
    "an element with keys": swap("web.yaml", '            - name: A\n              value: "1"\n', ""),
    "a list": swap("web.yaml", "          args:\n            - --quiet\n            - --days=7\n", ""),
    "a document": lambda files: files.update({"maps.yaml": files["maps.yaml"].split("---\n")[0]}),
    "the first document": lambda files: files.update({"maps.yaml": files["maps.yaml"].split("---\n")[1]}),
    "a file": drop("pack.yaml"),
    "a text file": drop("run.sh"),
    "a subpackage": drop("sub/Kptfile", "sub/map.yaml"),
    "a line of a text file": swap("README.md", "line 9\n", ""),
    "a field of a text": swap("pack.yaml", '      endpoint: ""\n', ""),
    "a part of the Kptfile": swap("Kptfile", "  keywords:\n    - web\n", ""),
}  # fmt: skip
EDITS: dict[str, Edit] = {
    f"{kind}: {name}": edit
    for kind, edits in (
        ("copy", COPIES), ("move", MOVES), ("comment", COMMENTS), ("comment out", OUT), ("add", ADDED),
        ("change", CHANGED), ("remove", REMOVED),
    )
    for name, edit in edits.items()
}  # fmt: skip
