"""Programs in Go below tests/e2e/go, built with nothing but Go's standard library."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent / "go"
REQUIRED = "KRMKIT_REQUIRE_GO"  # set by .ci/run where it installs Go: then nothing is skipped


def need(program: str, package: str) -> None:
    """Skip the test (with KRMKIT_REQUIRE_GO: fail it) where a program is absent."""
    if shutil.which(program) is None:
        reason = f"{program} is not on PATH; on Debian or Ubuntu: apt-get install {package}"
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)


def build(name: str, folder: Path) -> Path:
    """The built program; the test is skipped (with KRMKIT_REQUIRE_GO: fails) where Go is absent."""
    need("go", "golang-go")
    target = folder / name
    command = ["go", "build", "-buildvcs=false", "-o", str(target), str(SOURCES / name / "main.go")]
    # No module is fetched, and a go.mod above the sources plays no part.
    offline = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GO111MODULE": "auto", "CGO_ENABLED": "0"}
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, **offline})
    return target
