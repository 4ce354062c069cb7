"""Each library passes its unit tests with the rest of krmkit absent."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.test_faces import GROUPS, ROOT, alone

# Tests of a library that show what krmkit above it does with it.
OF_OTHERS = {
    "yaml/editing/test_finalbreak.py": "kpt, krm and render",
    "yaml/test_fields.py": "krm",
    "yaml/test_libyaml.py": "go's regexp, which loads its extension in the same way",
    "yaml/test_quotes.py": "krm",
    "yaml/test_surrogates.py": "krm",
}


@pytest.mark.slow
@pytest.mark.parametrize(("group", "others"), GROUPS.items(), ids=["+".join(group) for group in GROUPS])
def test_it_passes_its_tests_alone(tmp_path: Path, group: tuple[str, ...], others: tuple[str, ...]) -> None:
    """The unit tests of a library pass with the rest of krmkit absent."""
    environment = alone(tmp_path, group, others)
    for library in group:
        shutil.copytree(
            ROOT / f"tests/unit/libraries/{library}", tmp_path / f"tests/unit/libraries/{library}"
        )
    shutil.copy(ROOT / "tests/costs.py", tmp_path / "tests/costs.py")
    skipped = [f"--ignore=tests/unit/libraries/{name}" for name in OF_OTHERS]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--import-mode=importlib",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:krmkit",
    ]
    done = subprocess.run(
        [*command, *skipped, "tests"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]
