"""krmkit.kpt.merge.packages: cases that a merge of values alone gets wrong."""

from __future__ import annotations

from krmkit.kpt.merge.packages import merge

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: c
    args:
    - --a
    - --b
    command: [run]
"""
STEPS = """\
pipeline:
  mutators:
  - image: example.com/set-labels:v1
    configMap:
      tier: db
  - image: example.com/set-namespace:v1
    configMap:
      namespace: a
"""
NET = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: net\ndata:\n  n: "{}"\n'


def package(**files: str) -> dict[str, bytes]:
    named = {path.replace("__", "/"): text for path, text in files.items()}
    return {
        path if path.endswith("Kptfile") else f"{path}.yaml": text.encode()
        for path, text in ({"Kptfile": KPTFILE} | named).items()
    }


def lock(number: int) -> str:
    git = f"{{repo: lib, directory: /net, ref: net/v{number}"
    return (
        KPTFILE
        + f"upstream: {{type: git, git: {git}}}}}\nupstreamLock: {{type: git, git: {git}, commit: '{number}'}}}}\n"
    )


def test_comments_in_lists_that_upstream_changed() -> None:
    """They stay at their elements, in a resource and in the functions of a pipeline."""
    base = package(a=POD, Kptfile=KPTFILE + STEPS)
    theirs = package(
        a=POD.replace("    - --a\n", "    - --a\n    - --c\n").replace("[run]", "[run, fast]"),
        Kptfile=KPTFILE + STEPS.replace("example.com", "other.example.com"),
    )
    ours = package(
        a=POD.replace("- --b", "- --b # ours"),
        Kptfile=KPTFILE
        + STEPS.replace("  - image: example.com/set-n", "  # ours\n  - image: example.com/set-n"),
    )

    merged = merge(base, theirs, ours)

    assert not merged.conflicts
    assert b"    - --a\n    - --c\n    - --b # ours\n    command: [run, fast]\n" in merged.files["a.yaml"]
    assert b"  # ours\n  - image: other.example.com/set-namespace:v1\n" in merged.files["Kptfile"]


def test_a_comment_whose_line_upstream_removed() -> None:
    """It is a conflict, with its line in the local file."""
    ours = package(a=POD.replace("    command: [run]", "    command: [run] # ours"))

    merged = merge(package(a=POD), package(a=POD.replace("    command: [run]\n", "")), ours)

    assert [(one.file, one.line, "# ours" in one.message) for one in merged.conflicts] == [
        ("a.yaml", 11, True)
    ]


def test_a_map_that_upstream_removed() -> None:
    """None of it is left where upstream wins, not even an empty map."""
    base = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  strategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1\n"
    theirs = base.replace("RollingUpdate\n    rollingUpdate:\n      maxSurge: 1", "Recreate")

    merged = merge(package(a=base), package(a=theirs), package(a=base.replace("Surge: 1", "Surge: 2")))

    assert merged.files["a.yaml"].decode() == theirs
    assert ["removed upstream" in one.message for one in merged.conflicts] == [True]


def test_a_subpackage_that_both_sides_moved() -> None:
    """Its files are of the version that its lock names: the local one, and a conflict says so."""
    base, theirs, ours = (
        package(net__Kptfile=lock(number), net__n=NET.format(number)) for number in (1, 3, 2)
    )

    merged = merge(base, theirs, ours)

    assert merged.files == ours
    assert [(one.file, one.path) for one in merged.conflicts] == [("net/Kptfile", ("upstreamLock",))]


def test_what_is_below_a_subpackage_that_both_sides_moved() -> None:
    """It stays with it: no change of upstream's comes to a part of a package that is of another version."""
    base, theirs, ours = (
        package(
            net__Kptfile=lock(number),
            net__n=NET.format(number),
            net__sub__Kptfile=KPTFILE,
            net__sub__n=NET.format(min(number, 2)),
        )
        for number in (2, 1, 3)
    )

    merged = merge(base, theirs, ours)

    assert merged.files == ours
    assert [one.file for one in merged.conflicts] == ["net/Kptfile"]


def test_a_subpackage_that_was_deleted_with_those_below() -> None:
    """It stays deleted, though upstream changed it, and so do those below; one message says it."""
    base, theirs = (
        package(
            net__Kptfile=KPTFILE,
            net__n=NET.format(number),
            net__sub__Kptfile=KPTFILE,
            net__sub__n=NET.format(number),
        )
        for number in (1, 2)
    )

    merged = merge(base, theirs, package())

    assert merged.files == package()
    assert [(one.file, one.message) for one in merged.conflicts] == [
        ("net/Kptfile", "changed upstream, deleted locally: stays deleted")
    ]


def test_a_subpackage_that_both_sides_moved_alike() -> None:
    """A local edit of it stays without a conflict: upstream changed nothing since."""
    edited = package(net__Kptfile=lock(3), net__n=NET.format("mine"))

    merged = merge(
        package(net__Kptfile=lock(1), net__n=NET.format(1)),
        package(net__Kptfile=lock(3), net__n=NET.format(3)),
        edited,
    )

    assert (merged.files, merged.conflicts) == (edited, [])


def test_a_subpackage_that_was_renamed() -> None:
    """Upstream's changes follow it; one that was removed is named."""
    base, theirs = (package(net__Kptfile=KPTFILE, net__n=NET.format(number)) for number in (1, 2))

    merged = merge(base, theirs, package(part__Kptfile=KPTFILE, part__n=NET.format(1)))
    removed = merge(base, theirs, package())

    assert merged.files == package(part__Kptfile=KPTFILE, part__n=NET.format(2))
    assert not merged.conflicts
    assert [(one.file, one.message) for one in removed.conflicts] == [
        ("net/Kptfile", "changed upstream, deleted locally: stays deleted")
    ]


def test_what_a_render_says_in_a_kptfile() -> None:
    """It is no edit of either side: the next render replaces it."""

    def rendered(step: str) -> str:
        status = f"status:\n  conditions:\n    - {{type: Rendered, status: 'True', message: {step}}}\n  renderStatus:\n    mutationSteps:\n      - {{name: {step}}}\n"
        return KPTFILE + status

    base, theirs, ours = (package(Kptfile=rendered(step)) for step in ("one", "two", "mine"))

    merged = merge(base, theirs, ours)

    assert (merged.files, merged.conflicts) == (package(Kptfile=rendered("mine")), [])


def test_lines_that_both_sides_insert_at_one_place() -> None:
    """Both are there, whatever their order."""
    plain = "a: 1\nb: 1\n"
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n"
    texts = [
        head + "".join(f"  {line}\n" for line in text.split("\n") if line)
        for text in (plain, "a: 1\nt: 1 # theirs\nb: 1\n", "a: 1\no: 1 # ours\nb: 1\n")
    ]

    base, theirs, ours = (package(c=text) for text in texts)

    merged = merge(base, theirs, ours)

    assert not merged.conflicts
    assert (
        merged.files["c.yaml"].count(b"  t: 1 # theirs\n")
        == merged.files["c.yaml"].count(b"  o: 1 # ours\n")
        == 1
    )


def test_a_new_subpackage_like_two_that_are_gone() -> None:
    """It is the first of them; the other one was deleted."""
    base = package(a__Kptfile=KPTFILE, a__n=NET.format(1), b__Kptfile=KPTFILE, b__n=NET.format(1))
    theirs = package(a__Kptfile=KPTFILE, a__n=NET.format(2), b__Kptfile=KPTFILE, b__n=NET.format(3))

    merged = merge(base, theirs, package(part__Kptfile=KPTFILE, part__n=NET.format(1)))

    assert merged.files == package(part__Kptfile=KPTFILE, part__n=NET.format(2))
    assert [(one.file, one.message) for one in merged.conflicts] == [
        ("b/Kptfile", "changed upstream, deleted locally: stays deleted")
    ]


def test_a_local_resource_with_the_mark_of_one_that_upstream_adds() -> None:
    """It is that one, whatever its name: it is not added a second time, and what differs is told."""
    first = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first\n"
    mark = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|net'\n"
    theirs, ours = NET.format(2), NET.format(1).replace("name: net\n", f"name: mine\n{mark}")

    merged = merge(package(a=first), package(a=f"{first}---\n{theirs}"), package(a=f"{first}---\n{ours}"))

    assert merged.files["a.yaml"].count(b"kind: ConfigMap") == 2
    assert {one.path for one in merged.conflicts} == {("data", "n"), ("metadata", "name")}
    assert {one.resource for one in merged.conflicts} == {"ConfigMap mine"}
