"""Functions of others beside those of the catalog: what is found, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.fn import loader
from krmkit.fn.knownfunctions import catalog, functions_in
from krmkit.fn.run import RunOptions
from krmkit.kpt.kptfile import PipelineFunction
from krmkit.krm.errors import Refused
from krmkit.render.resolve import Known, ProgramResolver, ResolveError

DEFINITION = "name: {name}\nkind: Thing\nsummary: a\nschema: {{type: object}}\ntags: [mutator]\n"


def made(folder: Path, main: str = "def process(resources, config, results): pass\n", text: str = "") -> Path:
    """A function in a folder."""
    folder.mkdir(parents=True)
    (folder / "function.yaml").write_text(text or DEFINITION.format(name=folder.name))
    (folder / "main.py").write_text(main)
    return folder


def entry_of(kind: str, program: str) -> PipelineFunction:
    """An entry of a pipeline: `image` or `exec`."""
    entry = PipelineFunction("pipeline.mutators[0]")
    setattr(entry, kind, program)
    return entry


def test_a_folder_and_a_folder_of_folders(tmp_path: Path) -> None:
    """Both forms may be given, several times, and one function by two ways."""
    made(tmp_path / "all/a-b")
    made(tmp_path / "all/c-d")
    (tmp_path / "all/docs").mkdir()
    made(tmp_path / "e-f")

    known = catalog([str(tmp_path / "all"), str(tmp_path / "e-f"), str(tmp_path / "all/a-b")])

    assert set(known) == {*loader.names(), "a-b", "c-d", "e-f"}
    assert known["a-b"].folder == str(tmp_path / "all/a-b")


def test_two_of_one_name(tmp_path: Path) -> None:
    """Theirs and ours, or two of theirs: an error that names both."""
    ours = made(tmp_path / "apply-presets")
    one, other = made(tmp_path / "x/a-b"), made(tmp_path / "y/a-b")

    with pytest.raises(Refused, match="krmkit has a function apply-presets too; give one of them another"):
        catalog([str(ours)])
    with pytest.raises(Refused, match=f"{other}: {one} has a function a-b too"):
        catalog([str(one), str(other)])


WRONG = [
    pytest.param("", {}, "does not exist; name the folder of a function", id="nothing there"),
    pytest.param("f", {"f": ""}, "is a file; name the folder", id="a file"),
    pytest.param("f", {"f/readme": ""}, "holds no function: neither it nor a folder in it", id="no function"),
    pytest.param("f", {"f/function.yaml": "a: ["}, "f/function.yaml: ", id="no YAML"),
    pytest.param("f", {"f/function.yaml": "- a\n"}, "function.yaml is not a map", id="a list"),
    pytest.param("f", {"f/function.yaml": "name: f\n"}, "has no usable kind; it must be a text", id="incomplete"),
    pytest.param("f", {"f/function.yaml": DEFINITION.format(name="g")}, 'its folder, "f", got "g"', id="name"),
    pytest.param("f", {"f/function.yaml": DEFINITION.format(name="f")}, "and no main.py", id="no program"),
    pytest.param(
        "f",
        {"f/function.yaml": DEFINITION.format(name="f") + "apiVersion: v1\n", "f/main.py": ""},
        "apiVersion must be a group and a version such as example.com/v1, got v1",
        id="a group that is none",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("folder", "files", "said"), WRONG)
def test_what_is_no_function(tmp_path: Path, folder: str, files: dict[str, str], said: str) -> None:
    """The error names the folder or file, and what would be right."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    with pytest.raises(Refused) as caught:
        functions_in(str(tmp_path / (folder or "nowhere")))

    assert said in str(caught.value.args[0])
    assert str(tmp_path) in str(caught.value.args[0])


@pytest.mark.parametrize(
    ("main", "said"),
    [
        ("x = 1\n", "it must have a function process"),
        ("\n\nimport nothing_at_all\n", "line 3: ModuleNotFoundError: No module named 'nothing_at_all'"),
        ("def process(:\n", "line 1: SyntaxError: invalid syntax"),
        ("raise ValueError('no')\n", "line 1: ValueError: no"),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_loaded(tmp_path: Path, main: str, said: str) -> None:
    """It is known by its name, and the run says which line stands in the way."""
    folder = made(tmp_path / "a-b", main)
    resolver = ProgramResolver(RunOptions(), catalog=catalog([str(folder)]))

    with pytest.raises(ResolveError) as caught:
        resolver.resolve(entry_of("image", "example.com/a-b:v1"))

    assert str(caught.value).startswith(f"{folder}/main.py cannot be loaded: {said}")


@pytest.mark.parametrize("entry", [("image", "r.example.com/x/a-b:v1"), ("exec", "a-b --explain")])
def test_found_by_the_pipeline(tmp_path: Path, entry: tuple[str, str]) -> None:
    """By the last word of an image or a program, as those of the catalog."""
    resolver = ProgramResolver(RunOptions(), catalog=catalog([str(made(tmp_path / "a-b"))]))

    known = resolver.resolve(entry_of(*entry))

    assert isinstance(known, Known)
    assert known.function.folder == str(tmp_path / "a-b")
