"""Images: their sizes, and how long a container with a function takes, cold, against one with a static program that copies its input.

Needs podman, a static busybox (Debian's busybox-static) and the images (`make base-image images`); without them it
prints a message and gives no rows.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import lists
from tests.bench.timing import Command, MeasureError, Row, in_turns, row
from tools.definitions import definitions
from tools.images.build import image_name
from tools.images.engine import Engine, ImageError
from tools.images.wheels import CATALOG

GROUP = "Images"
COPIER = "localhost/krmkit-bench-cat:latest"
DOCKERFILE = """\
FROM scratch
COPY busybox /cat
COPY passwd /etc/passwd
ENTRYPOINT ["/cat"]
"""
SIZES = {3: 41, 1_000: 21}  # items: rounds


def rows() -> list[Row]:
    podman, busybox = shutil.which("podman"), shutil.which("busybox")
    if podman is None or busybox is None:
        print("images are not measured: that takes podman and busybox-static", file=sys.stderr)
        return []
    functions = definitions()
    engine = Engine("podman")
    absent = [
        name for name in [*(found.name for found in functions), CATALOG] if not engine.has(image_name(name))
    ]
    if absent:
        print(f"images are not measured: {', '.join(absent)} not built", file=sys.stderr)
        return []
    small = [found.name for found in functions if "cel" not in found.requires]
    large = [found.name for found in functions if "cel" in found.requires]
    with tempfile.TemporaryDirectory() as place:
        build_copier(engine, busybox, Path(place))
        return [
            row(GROUP, "base image, uncompressed", size(podman, "base"), "MB"),
            row(GROUP, "largest function image without CEL", largest(podman, small), "MB", 60),
            *([row(GROUP, "largest function image with CEL", largest(podman, large), "MB")] if large else []),
            row(GROUP, "multi-call image with all functions", size(podman, CATALOG), "MB"),
            *cold_starts(podman, Path(place)),
        ]


def size(podman: str, name: str) -> float:
    """Megabytes of all layers together."""
    command = [podman, "image", "inspect", "--format", "{{.Size}}", image_name(name)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1e6


def largest(podman: str, names: list[str]) -> float:
    return max(size(podman, name) for name in names)


def build_copier(engine: Engine, busybox: str, place: Path) -> None:
    """An image of nothing but a static busybox that is called `cat`."""
    context = place / "copier"
    context.mkdir()
    shutil.copy(busybox, context / "busybox")
    (context / "passwd").write_text("nobody:x:65534:65534:nobody:/:/cat\n")
    (context / "Dockerfile").write_text(DOCKERFILE)
    try:
        engine.build(context / "Dockerfile", context, [COPIER])
    except ImageError as error:
        raise MeasureError(str(error)) from error


def cold_starts(podman: str, place: Path) -> list[Row]:
    """A run of apply-presets in its image, with kpt's own flags, against the copier's, on the same list."""
    command = [podman, "run", "--rm", "-i", "--pull", "never", "--network", "none", "--user", "nobody"]
    command.append("--security-opt=no-new-privileges")
    found = []
    for count, rounds in SIZES.items():
        stdin = place / f"list-{count}"
        stdin.write_text(lists.resource_list(count, lists.APPLY_PRESETS, pack=True), "utf-8")
        copier = Command([*command, COPIER], stdin)
        function = Command([*command, image_name("apply-presets")], stdin)
        if copier.output() != stdin.read_text("utf-8") or "logLevel: debug" not in function.output():
            raise MeasureError("a container does not print what it should")
        taken = in_turns({"copier": copier.seconds, "function": function.seconds}, rounds)
        ratio = taken["function"] / taken["copier"]
        title = f"podman run, cold, {count:,} items"
        found += [
            row(GROUP, f"{title}: apply-presets, in milliseconds", taken["function"] * 1e3, "ms"),
            row(
                GROUP,
                f"{title}: apply-presets / static cat",
                ratio,
                "x",
                1.15 if count == min(SIZES) else None,
            ),
        ]
    return found
