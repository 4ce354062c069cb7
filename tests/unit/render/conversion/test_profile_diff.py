"""krmkit pack diff and pack show: what a profile holds, and what an upgrade changes and breaks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.krm.errors import Refused
from krmkit.render.conversion.hcl import computed_lines, read_hcl
from krmkit.render.findings.macros import without_macros
from tests.unit.render.conversion.profiles import FORMS, bring, edit


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A profile, and a newer one."""
    data = json.loads(FORMS["export.json"])
    (tmp_path / "old.json").write_text(json.dumps(data), "utf-8")
    spec = data["spec"]
    spec["version"] = "1.1.0"
    packs = spec["template"]["packs"]
    packs[0] |= {"version": "1.33.1", "tag": "1.33.x", "values": "# spectrocloud.com/enabled-presets: Size:big\ncluster:\n  note: a < b\n  more: '{{.spectro.var.other}}'\n"}  # fmt: skip
    packs[1]["values"] = "charts:\n  web:\n    size: 4\n    token: 's3cret-token'\n"
    packs[2]["manifests"][0]["content"] = "kind: A\n"
    packs.append(
        {"name": "net", "type": "oci", "layer": "cni", "version": "1.0.0", "tag": "1.0.0", "values": ""}
    )
    packs[0], packs[1] = packs[1], packs[0]
    spec["variables"][1]["defaultValue"] = "k-456"
    spec["variables"].append({"name": "new", "format": "string"})
    (tmp_path / "new.json").write_text(json.dumps(data), "utf-8")
    return tmp_path / "old.json", tmp_path / "new.json"


def test_a_plan(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Versions, presets, values, manifests, variables, the order, and the problem that is new."""
    old, new = files
    assert main(["pack", "diff", str(old), str(new)]) == 0
    said = capsys.readouterr().out
    assert said == (
        '~ version: "1.0.0" -> "1.1.0"\n'
        "~ edge-k3s 1.32.4 -> 1.33.1 (tag 1.32.x -> 1.33.x)\n"
        "    + preset Size:big\n"
        '    - cluster.cidr: "{{.spectro.var.cidr}}"\n'
        '    + cluster.more: "{{.spectro.var.other}}"\n'
        "~ web\n"
        "    ~ charts.web.size: 3 -> 4\n"
        "~ extras\n"
        "    manifest ns changed\n"
        "+ net 1.0.0\n"
        "order: web, edge-k3s, extras\n"
        "variable key changed\n"
        "    ~ defaultValue: (secret), changed\n"
        "variable new added\n"
        "error  undefined  edge-k3s: the profile defines no variable other\n"
    )
    assert main(["pack", "diff", str(old), str(new), "--check"]) == 2
    assert main(["pack", "diff", str(old), str(old), "--check"]) == 0
    capsys.readouterr()
    assert main(["pack", "diff", str(old), str(new), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "ProfileDiff"
    assert main(["pack", "diff", str(old), str(new), "-f", "markdown"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("### krmkit pack diff\n\n```diff\n~ version")
    assert "    ~ charts.web.size: 3 -> 4\n" in said
    assert "k-456" not in said


def pack(folder: Path, version: str, values: str, **more: object) -> Path:
    """The folder of a pack."""
    folder.mkdir()
    data = {
        "name": "flow",
        "displayName": "Flow",
        "version": version,
        "layer": "cni",
        "cloudTypes": ["all"],
        **more,
    }
    (folder / "pack.json").write_text(json.dumps(data), "utf-8")
    (folder / "values.yaml").write_text(values, "utf-8")
    (folder / "schema.yaml").write_text(
        "a.mode:\n  schema: '{{ required | format \"${list:[on,off]}\" }}'\n", "utf-8"
    )
    return folder


def test_an_upgrade_of_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values that lose their effect, constraints that break, clouds; beside a revision of the package."""
    old = pack(tmp_path / "flow", "1.0.0", "a:\n  mode: on\n  size: 1\n  gone: 1\n")
    package = tmp_path / "pkg"
    assert main(["pack", "import", str(old), "-o", str(package)]) == 0
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *words], cwd=package, check=True)
    edit(package / "flow.yaml", "gone: 1", "gone: 2")
    edit(package / "flow.yaml", "mode: on", "mode: off")
    dependency = {"packName": "kube", "layer": "k8s", "type": "required"}
    new = pack(
        tmp_path / "flow-2",
        "2.0.0",
        "a:\n  mode: on\n  size: 2\n",
        constraints={"dependencies": [dependency]},
    )
    schema = (new / "schema.yaml").read_text("utf-8").replace("on,off", "on,auto")
    (new / "schema.yaml").write_text(schema, "utf-8")
    assert main(["pack", "import", str(new), "-o", str(package), "--on-conflict", "local"]) == 0
    capsys.readouterr()
    for before in ("HEAD", f"{package}@HEAD"):
        assert main(["pack", "diff", before, str(package)]) == 0
        said = capsys.readouterr().out
        assert "~ flow 1.0.0 -> 2.0.0\n" in said
        assert (
            "    a.gone: the new version's values do not have it; check that it still has an effect\n" in said
        )
        assert "~ a.size: 1 -> 2\n" in said
        assert 'error  format  flow: a.mode: the value "off" is not one of on, auto\n' in said
        assert "warning  missing  flow: " in said
        assert "requires the pack kube" in said
    assert main(["pack", "diff", "nope", str(package)]) == 1
    assert "is no file or folder, nor a revision" in capsys.readouterr().err


def test_a_password_that_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A change of what the schema calls a password is named, and shown of neither side, nor in another field."""
    folders = [
        pack(
            tmp_path / name, "1.0.0", f"pass: {name}-hush\nusers:\n- key: {name}-key\nnote: use {name}-hush\n"
        )
        for name in ("old", "new")
    ]
    for folder in folders:
        (folder / "schema.yaml").write_text(
            "pass:\n  schema: '{{ format \"${password:/.*/}\" }}'\n"
            "users[$].key:\n  schema: '{{ format \"${password:/.*/}\" }}'\n", "utf-8",
        )  # fmt: skip
    assert main(["pack", "diff", *map(str, folders)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[1:] == [
        "    ~ pass: (secret), changed", "    ~ users[0].key: (secret), changed",
        '    ~ note: "use (secret)" -> "use (secret)"',
    ]  # fmt: skip
    for name in ("old", "new"):
        (tmp_path / name / "values.yaml").write_text(f"pass: {name}-hush\n :broken: [", "utf-8")
    assert main(["pack", "diff", *map(str, folders)]) == 0
    said = capsys.readouterr().out
    assert "~ text: (secret), changed" in said and "hush" not in said


def test_many_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each text of values is read once, however many variables there are; a priority that is no number is none."""
    data = json.loads(FORMS["export.json"])
    spec = data["spec"]
    spec["variables"] = [{"name": f"v{number}"} for number in range(300)]
    values = "".join(f"k{number}: '{{{{.spectro.var.v{number}}}}}'\n" for number in range(300))
    priorities = ("+-5", "9" * 5000)
    for layer, priority in zip(spec["template"]["packs"][1:], priorities, strict=True):
        layer["values"] = f"pack:\n  spectrocloud.com/install-priority: '{priority}'\n{values}"
    (tmp_path / "p.json").write_text(json.dumps(data), "utf-8")
    calls: list[str] = []

    def counted(text: str) -> tuple[str, dict[str, str]]:
        calls.append(text)
        return without_macros(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("krmkit.render.conversion.profilediff.without_macros", counted)
        assert main(["pack", "show", str(tmp_path / "p.json")]) == 0
    said = capsys.readouterr().out
    assert "    v299\n      web: k299\n      extras: k299\n" in said.replace("  string", "")
    assert "    2. web, extras\n" in said
    assert len(calls) < 10


def test_a_pack_of_another_cloud(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One name exists per cloud."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    edit(tmp_path / "pkg/edge-k3s.yaml", '"layer": "k8s"', '"layer": "k8s",\n      "cloudTypes": ["aws"]')
    assert main(["pack", "diff", str(tmp_path / "p.json"), str(tmp_path / "pkg")]) == 0
    assert (
        "error  cloud  edge-k3s: the pack is for aws, and the profile for edge-native\n"
        in capsys.readouterr().out
    )


def test_show(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """The order of installation goes by priorities, and infrastructure is first; uses are named by layer and path."""
    old, _ = files
    text = old.read_text("utf-8").replace(
        "charts:\\n", 'pack: {spectrocloud.com/install-priority: \\"5\\"}\\ncharts:\\n'
    )
    old.write_text(text, "utf-8")
    assert main(["pack", "show", str(old)]) == 0
    said = capsys.readouterr().out
    assert "    1. edge-k3s\n    2. extras\n    3. web\n" in said
    assert "    cidr  ipv4cidr, default 10.0.0.0/16\n      edge-k3s: cluster.cidr\n" in said
    assert "    key  string, default (secret), isSensitive\n      not used\n" in said
    assert main(["pack", "show", str(old), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["profiles"][0]["order"] == [["edge-k3s"], ["extras"], ["web"]]


def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What Palette refuses in a profile, as a file and as a package."""
    data = json.loads(FORMS["export.json"])
    (tmp_path / "p.json").write_text(json.dumps(data), "utf-8")
    assert main(["pack", "check", str(tmp_path / "p.json")]) == 0
    data["spec"]["version"] = "v1.0"
    data["spec"]["template"]["packs"][0]["tag"] = "1.33.x"
    data["spec"]["variables"][0]["name"] = "cidrs"
    data["spec"]["variables"][1] |= {"format": "number", "isSensitive": False}
    (tmp_path / "p.json").write_text(json.dumps(data), "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    for place in ("p.json", "pkg"):
        capsys.readouterr()
        assert main(["pack", "check", str(tmp_path / place), "-f", "json"]) == 1
        found = json.loads(capsys.readouterr().out)
        text = json.dumps(found)
        assert "version must be a semantic version (1.2.3), got v1.0" in text
        assert "edge-k3s: the profile defines no variable cidr" in text
        assert "variable key: defaultValue must be a number, got k-123" in text
    assert main(["pack", "check", str(tmp_path / "p.json")]) == 1
    assert "edge-k3s: the tag 1.33.x does not stand for the version 1.32.4" in capsys.readouterr().out


def test_secrets_of_the_package_are_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value of a pack that is the data of a Secret."""
    (tmp_path / "p.json").write_text(FORMS["export.json"], "utf-8")
    bring(tmp_path / "p.json", tmp_path / "pkg")
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {token: other-token}\n"
    (tmp_path / "pkg/secret.yaml").write_text(secret, "utf-8")
    edit(tmp_path / "pkg/web.yaml", "s3cret-token", "other-token")
    assert main(["pack", "diff", str(tmp_path / "p.json"), str(tmp_path / "pkg")]) == 0
    said = capsys.readouterr().out
    assert "charts.web.token" in said
    assert "other-token" not in said


@pytest.mark.parametrize("name", ["half.json", "half.tf"])
def test_half_a_pair_of_surrogates(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """What no UTF-8 can carry is refused with its place, before anything is printed of it."""
    texts = {
        "half.json": FORMS["export.json"].replace('"Pods"', '"Pods \\ud800"'),
        "half.tf": 'resource "spectrocloud_cluster_profile" "p" {\n  name = "a \\ud800"\n  type = "add-on"\n}\n',
    }
    (tmp_path / name).write_text(texts[name], "utf-8")
    for words in (["show"], ["check"], ["diff", str(tmp_path / name)]):
        assert main(["pack", *words, str(tmp_path / name)]) == 1
        said = capsys.readouterr().err
        assert "half of a surrogate pair" in said or "line 2: the text has an escape" in said


def test_a_list_that_holds_itself(tmp_path: Path) -> None:
    """Masks are looked for in each text once, however aliases lead through it; a format may be anything."""
    data = json.loads(FORMS["export.json"])
    layer = data["spec"]["template"]["packs"][1]
    anchors = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    data["spec"]["variables"][0]["format"] = False
    for name, token in (("old", "mine"), ("new", "********")):
        layer["values"] = f"token: '{token}'\na0: &a0 [b, '{token}']\n{anchors}own: &own [*own, '{token}']\n"
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.json").write_text(json.dumps(data), "utf-8")
        assert main(["pack", "import", str(tmp_path / name / "p.json"), "-o", str(tmp_path / "pkg")]) == 0
        assert main(["pack", "show", str(tmp_path / name / "p.json")]) == 0
    assert "token: 'mine'" in (tmp_path / "pkg/web.yaml").read_text("utf-8")


def test_large_files_of_terraform() -> None:
    """Lines of computed values are counted once; a number that Python does not read is refused with its line."""
    text = "a {\n" + "".join(f"  a{number} = var.x\n" for number in range(20_000)) + "}\n"
    lines = computed_lines(read_hcl(text, "p.tf").blocks[0], text)
    assert lines[0] == "line 2: a0" and lines[-1] == "line 20001: a19999"
    with pytest.raises(Refused, match=r"p.tf: line 2: a number must have at most 1000 digits"):
        read_hcl(f"a {{\n  x = {'9' * 5000}\n}}\n", "p.tf")


def test_a_profile_of_crossplane_lies_in_a_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody imports it: show, check, export, diff and render read it where it is."""
    package = tmp_path / "pkg"
    package.mkdir()
    profile = FORMS["crossplane.yaml"].replace(
        "        a: {{.spectro.var.size}}\n",
        "        a: {{.spectro.var.size}}\n        b: blue\n    - name: db\n      tag: 1.0.0\n"
        "      values: |\n        c: '{{.spectro.pack.web.b}}'\n",
    )  # fmt: skip
    (package / "profile.yaml").write_text(profile, "utf-8")
    (package / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\npipeline:\n  mutators:\n"
        "  - image: resolve-macros\n",
        "utf-8",
    )
    newer = tmp_path / "newer.yaml"
    newer.write_text(profile.replace("b: blue", "b: red"), "utf-8")

    assert main(["pack", "show", str(package)]) == 0
    assert "web: a" in capsys.readouterr().out
    assert main(["pack", "check", str(package)]) == 0
    capsys.readouterr()
    assert main(["pack", "export", str(package), "--profile"]) == 0
    assert capsys.readouterr().out == profile
    assert main(["pack", "diff", str(package), str(newer), "--check"]) == 2
    assert '~ b: "blue" -> "red"' in capsys.readouterr().out
    assert main(["render", str(package), "--write"]) == 0
    rendered = (package / "profile.yaml").read_text("utf-8")
    assert rendered == profile.replace("{{.spectro.var.size}}", "3").replace(
        "{{.spectro.pack.web.b}}", "blue"
    )
