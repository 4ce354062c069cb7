"""krmkit report: the model against its schema, what is masked, fleets, Clusters, and the page as text."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from krmkit.cli import main
from krmkit.fn.masking import Mask, secrets_in
from krmkit.views.page import embedded, page
from tests.unit.cli.fleets import folders, render
from tests.unit.cli.packages import KPTFILE, PACK, contents

EDGE = "examples/edge-cluster-profile"
HOSTILE = '</script><img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def validator(project: Path) -> jsonschema.Draft7Validator:
    """The schema of reports, in which no field is allowed that it does not name."""
    schema = json.loads((project / "schemas/report/v1alpha1.json").read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(closed(schema))


def closed(schema: Any) -> Any:
    """The same schema, but objects have no other fields than those that it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in schema else made


def reported(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main(["report", *words, "--format", "json"]) == code
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


@pytest.mark.parametrize(("folder", "code"), [("examples", 0), ("functions", 1)])
def test_the_model_fits_its_schema(
    project: Path,
    validator: jsonschema.Draft7Validator,
    folder: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The reports of all examples have the documented fields and no other."""
    monkeypatch.chdir(project)

    report = reported(capsys, folder, code=code)

    validator.validate(report)
    assert len(report["packages"]) == len(list((project / folder).rglob("Kptfile")))


@pytest.mark.parametrize("words", [["why", EDGE, "ConfigMap/line-vision"], ["render", EDGE, "--diff"]])
def test_other_commands_fit_the_schema(
    project: Path,
    validator: jsonschema.Draft7Validator,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`why` and `render` speak the same model."""
    monkeypatch.chdir(project)

    assert main([*words, "-f", "json"]) == 0
    validator.validate(json.loads(capsys.readouterr().out))


def test_what_a_report_says(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Diff, field with both places, dependency, pool, and no finding that only --explain shows."""
    monkeypatch.chdir(project)

    (package,) = reported(capsys, EDGE)["packages"]

    field = next(one for one in package["fields"] if one["field"] == "charts.line-vision.model")
    assert (field["original"], field["value"]) == ("small", "large")
    before, after = (int(field[name].split(":")[1]) for name in ("place", "placeAfter"))
    diff = next(one["diff"] for one in package["changes"] if one["path"].endswith("line-vision.yaml"))
    assert f"-{(project / EDGE / 'packs/line-vision.yaml').read_text().splitlines()[before - 1]}\n" in diff
    added = [line for line in diff.splitlines()[3:] if not line.startswith("-")]
    assert added[after - 1] == "+        model: large   # runs anywhere"
    (profile,) = package["profiles"]
    (wanted,) = next(one for one in profile["packs"] if one["name"] == "edge-k3s")["dependencies"]
    assert (wanted["name"], wanted["state"], wanted["packs"]) == ("edge-os", "satisfied", ["edge-os"])
    workers = next(pool for pool in profile["pools"] if pool["name"] == "workers")
    cpu = workers["resources"][0]
    assert (cpu["required"], cpu["available"], cpu["share"]) == ("3250m", "16000m", 0.2031)
    assert {one["name"]: one["units"] for one in cpu["packs"]} == {"line-vision": 3000.0, "mesh-cni": 250.0}
    assert "applied" not in {result.get("rule") for result in package["results"]}


def test_a_registry_may_have_a_port(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pools are found by the config of validate-pack-constraints, wherever its image comes from."""
    copy = tmp_path / "profile"
    shutil.copytree(project / EDGE, copy)
    kptfile = copy / "Kptfile"
    kptfile.write_text(kptfile.read_text().replace("ghcr.io/krmkit/", "registry.example:5000/krmkit/"))

    (package,) = reported(capsys, str(copy), "--in-process", "registry.example:5000/krmkit")["packages"]

    assert [pool["name"] for pool in package["profiles"][0]["pools"]] == ["control-plane", "workers"]


def test_nothing_is_written(package: Path, tmp_path: Path) -> None:
    """The package stays, and the page is the only new file."""
    before = contents(package)

    assert main(["report", str(package), "-o", str(tmp_path / "out/page.html")]) == 0

    assert contents(package) == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["page.html"]


def test_secrets_are_masked(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Secrets of the cluster, secret variables and password keys stand nowhere in the report, not even beside a change."""
    hidden = ["hunter2-of-the-cluster", b64encode(b"in-base-64").decode(), "of-a-variable", "of-a-schema"]
    (package / "app.yaml").write_text(
        PACK.replace("mode: slow   # or fast", "mode: slow\n    password: of-a-schema")
        + "  schema.yaml: |\n    password:\n      schema: '{{ format \"${password:/.*/}\" }}'\n"
        + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
        + f"stringData: {{a: {hidden[0]}}}\ndata: {{b: {hidden[1]}}}\n"
        + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: copy}\n"
        + f"data: {{a: 'x {hidden[0]}', b: in-base-64, site: '{{{{ .spectro.var.site }}}}'}}\n"
    )
    (package / "macros.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: ResolveMacros\nmetadata:\n  name: macros\n"
        '  annotations: {config.kubernetes.io/local-config: "true"}\n'
        "spec: {variables: [{name: site, value: of-a-variable, secret: true}]}\n"
    )
    kptfile = package / "Kptfile"
    kptfile.write_text(kptfile.read_text() + "  - image: resolve-macros\n    configPath: macros.yaml\n")

    text = json.dumps(reported(capsys, str(package)))

    assert "(secret)" in text
    assert [one for one in (*hidden, "in-base-64") if one in text] == []


def test_mask() -> None:
    """Texts, numbers, data within data; what JSON cannot say becomes a text."""
    mask = Mask({"hush", "4711"})

    assert mask.value({"a": ["hush!", 4711, 47, None, True]}) == {
        "a": ["(secret)!", "(secret)", 47, None, True]
    }
    assert mask.value(float("inf")) == "inf"
    assert secrets_in(["kind: Secret\nstringData: {a: x, b: yes!}\n"]) == {"yes!", "eWVzIQ=="}


def test_a_macro_is_no_secret() -> None:
    """The name of a variable in a Secret is shown; a text beside it, or in quotes, is not, nor are its base64 forms."""
    names = ["{{ .spectro.var.pw }}", "{{b64enc (trim .spectro.var.pw) | upper}}"]
    hidden = ["hush {{ .spectro.var.pw }}", "{{ 'hush' }}"]
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n"

    assert secrets_in(text + f'  a: "{one}"\n' for one in (*names, *hidden)) == {
        *hidden,
        *(base64.b64encode(one.encode()).decode() for one in hidden),
    }


def test_hostile_text_stays_data() -> None:
    """Names and values can end no element and name no part of the page."""
    data = {"packages": [{"path": HOSTILE, "note": "{{script}}{{data}}"}]}

    text = page(data)

    assert HOSTILE not in text and "<img" not in text
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(block) == {**data, "rules": {}}
    assert embedded("\u2028<&\ud800>") == '"\\u2028\\u003c\\u0026\\ud800\\u003e"'


def test_the_page_loads_nothing() -> None:
    """Its policy allows the one style and the one script in it, by their hashes, and there is no address in it."""
    text = page({"packages": []})

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and policy[1].startswith("default-src 'none'; ")
    for name, tag in (("style", "style"), ("script", "script")):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        (digest,) = re.findall(rf"{name}-src 'sha256-([^']*)'", policy[1])
        assert sha256(body.encode()).digest() == b64decode(digest)
    assert "connect-src" not in policy[1]
    assert not re.findall(
        r"""(?:src|href)=["'](?!#|data:)|url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)""", text
    )


WRONG = [
    pytest.param([], "name the page with -o FILE.html", id="no place"),
    pytest.param(
        ["-o", "page.yaml"], 'must be a file that ends with .html or .json, got "page.yaml"', id="ending"
    ),
    pytest.param(["-o", "page.html", "-f", "json"], "-o must end with .json", id="ending of another format"),
    pytest.param(["-f", "pdf"], 'there is no "pdf"', id="format"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_wrong_calls(package: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is said, and no file appears."""
    before = contents(package.parent)

    try:
        code = main(["report", str(package), *words])
    except SystemExit as error:
        code = int(str(error.code))

    assert code == 1
    assert said in capsys.readouterr().err
    assert contents(package.parent) == before


def test_a_broken_package_is_part_of_the_report(
    package: Path, validator: jsonschema.Draft7Validator, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are there all the same, and the exit code says it."""
    broken = package.parent / "broken"
    broken.mkdir()
    (broken / "Kptfile").write_text("a: [\n")
    wrong = package.parent / "wrong"
    wrong.mkdir()
    (wrong / "Kptfile").write_text(KPTFILE.replace("{preset}", "fats"))
    (wrong / "app.yaml").write_text(PACK)

    report = reported(capsys, str(package.parent), code=1)

    validator.validate(report)
    said = {Path(one["path"]).name: one for one in report["packages"]}
    [broken] = said["broken"]["results"]
    assert (Path(broken["path"]).name, broken["severity"]) == ("Kptfile", "error")
    assert [result["rule"] for result in said["wrong"]["results"]] == ["unknown-preset"]
    assert said["package"]["changes"]


def test_a_folder_without_packages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says so."""
    assert main(["report", str(tmp_path), "-f", "json"]) == 1
    assert "holds no package" in capsys.readouterr().err


def test_variants(
    tmp_path: Path,
    validator: jsonschema.Draft7Validator,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The packages of a fleet, from the record beside them: whose they are, and which were changed by hand."""
    monkeypatch.chdir(folders(tmp_path))
    assert render(tmp_path) == 0
    capsys.readouterr()
    readme = tmp_path / "out/north/shop/README.md"
    readme.write_text("# By hand\n")

    report = reported(capsys, "out")

    validator.validate(report)
    assert report["variants"] == [
        {
            "package": "out/north/shop",
            "owner": "PackageVariantSet/default/fleet",
            "source": "set.yaml",
            "upstream": "bp/shop@shop/v1",
            "state": "edited",
            "note": "changed by hand: README.md",
            "edited": ["README.md"],
        },
        {
            "package": "out/south/shop",
            "owner": "PackageVariantSet/default/fleet",
            "source": "set.yaml",
            "upstream": "bp/shop@shop/v1",
            "state": "current",
        },
    ]


def test_machines_that_roll(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Against the commit before: a new machine size rolls the workers. Without a repository the report says why not."""
    package = tmp_path / "edge"
    subprocess.run(["cp", "-R", str(project / "examples/edge-topology"), str(package)], check=True)

    (alone,) = reported(capsys, str(package))["packages"]
    assert "problem" in alone["topology"] and alone["topology"]["clusters"] == []
    (named,) = reported(capsys, str(package), "--against", "HEAD", code=1)["packages"]
    assert named["failure"] == alone["topology"]["problem"]

    git = ["git", "-C", str(package), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    cluster = package / "cluster.yaml"
    changed = cluster.read_text().replace("value: large", "value: small")
    assert changed != cluster.read_text()
    cluster.write_text(changed)

    # Small machines roll, and cannot hold the pack: both is said.
    (package_report,) = reported(capsys, str(package), code=1)["packages"]
    (plan,) = package_report["topology"]["clusters"]
    assert [roll["group"] for roll in plan["rolls"]] == ["MachineDeployment line"]
