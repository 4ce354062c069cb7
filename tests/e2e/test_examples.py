"""Every example package through the real kpt: the same files, results and exit code as `krmkit render`.

kpt cannot pull the images, so `image:` becomes an `exec:` of the function's main.py for its run, and is put back after.
What kpt lays out anew on its own is laid out anew on both sides before files are compared.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from krmkit.fn import loader
from krmkit.kpt.kptfile import image_name, image_tag
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse_all
from tests.e2e.orchestrate import ROOT, Files, files_of, normalized, put, run_kpt, run_krmkit, with_texts
from tools.golden import examples

pytestmark = pytest.mark.kpt

PACKAGES = [*examples(), *sorted(path.parent for path in ROOT.glob("examples/*/Kptfile"))]
IMAGE = re.compile(r"image: *(\S+)")
PROGRAM = re.compile(r"exec: *([a-z-]+)(?=\s)")


class Substitution:
    """`image: X` against `exec: <checkout>/functions/<name>/main.py`, there and back."""

    def __init__(self, files: Files) -> None:
        self.pairs: dict[str, str] = {}
        for content in files.values():
            for image in IMAGE.findall(content.decode()):
                name = image_name(image)
                if name in loader.names():
                    tag = f" --tag {image_tag(image)}" if image_tag(image) else ""
                    self.pairs[f"exec: {ROOT}/functions/{name}/main.py{tag}"] = f"image: {image}"
            for program in PROGRAM.findall(content.decode()):
                if program in loader.names():
                    self.pairs[f"exec: {ROOT}/functions/{program}/main.py"] = f"exec: {program}"
        assert len(set(self.pairs.values())) == len(self.pairs)

    def for_kpt(self, files: Files) -> Files:
        return {path: self._replaced(content, there=True) for path, content in files.items()}

    def back(self, files: Files) -> Files:
        return {path: self._replaced(content, there=False) for path, content in files.items()}

    def _replaced(self, content: bytes, there: bool) -> bytes:
        for program, image in self.pairs.items():
            old, new = (image, program) if there else (program, image)
            content = re.sub(re.escape(old.encode()) + rb"(?=\s|$)", new.encode(), content)
        return content


def data(content: bytes) -> list[object]:
    return [go_data(document.root) for document in parse_all(content.decode())]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_example(kpt: str, tmp_path: Path, package: Path) -> None:
    """Both come to the same; run once more, nothing changes."""
    files = {
        path: content for path, content in files_of(package).items() if not path.startswith(".expected/")
    }
    substitution = Substitution(files)
    by_kpt = put(tmp_path / "kpt" / package.name, substitution.for_kpt(files))
    by_krmkit = put(tmp_path / "krmkit" / package.name, files)

    expected = run_kpt(kpt, by_kpt, "--results-dir", str(tmp_path / "kpt-results"))
    found = run_krmkit(by_krmkit, "--results-dir", str(tmp_path / "krmkit-results"))

    assert found.returncode == expected.returncode, (found.stderr, expected.stderr)
    results = substitution.back(files_of(tmp_path / "kpt-results"))
    mine = files_of(tmp_path / "krmkit-results")
    assert mine.keys() == results.keys()
    assert [with_texts(content) for content in mine.values()] == [
        with_texts(content) for content in results.values()
    ]
    after_kpt, after_krmkit = substitution.back(files_of(by_kpt)), files_of(by_krmkit)
    if found.returncode:
        assert after_krmkit == files
        assert after_kpt == files
        return
    one, other = normalized(kpt, tmp_path / "n1", after_krmkit), normalized(kpt, tmp_path / "n2", after_kpt)
    assert one.keys() == other.keys()
    for path, content in one.items():
        if path.rpartition("/")[2] == "Kptfile":
            # Where an entry was put before others, kpt gives it the comment and the order of keys of the one behind it.
            assert data(content) == data(other[path]), path
        else:
            assert content == other[path], path
    stable = normalized(kpt, tmp_path / "n3", files) == files and one == after_krmkit
    if stable and one == other:
        assert after_krmkit == after_kpt
    again = run_krmkit(by_krmkit)
    assert again.returncode == 0
    assert files_of(by_krmkit) == after_krmkit


def test_there_are_examples() -> None:
    """Every function has some."""
    assert {package.parent.parent.name for package in PACKAGES} >= set(loader.names())
