"""What kpt's own functions answer, for inputs on which this catalog once answered something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fn import loader
from krmkit.fn.run import Outcome, RunOptions, run
from krmkit.fn.testing import resource_list

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg}\ndata: "
REPLACEMENTS = (
    "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata: {name: cfg}\nreplacements:\n"
)
PROGRAM = (
    "apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata: {name: cfg}\n"
    'source: |\n  load("encoding/json.star", "json")\n  load("krmfn.star", "krmfn")\n'
    '  items = ctx.resource_list["items"]\n'
)
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n"
SOURCE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: src}\ndata: {v: NEW, n: '5', s: a.b}\n"
DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n  replicas: 2\n  paused: false\n"
    "  template:\n    spec:\n      containers:\n      - name: front\n        image: envoy:2\n"
)
TEXTS = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  app.yaml: |\n    server: # main\n"
    '      host: \'old\'   # here\n      port: 80\n  app.json: \'{"z":1,"host":"old"}\'\n  plain: hello\n'
)


def answer(name: str, items: list[str], config: str, tag: str = "") -> Outcome:
    function = loader.load(name)
    return run(function.definition, function.process, resource_list(items, config), RunOptions(tag=tag))


def copied(field: str, target: str, kind: str = "Deployment", rest: str = "", source: str = "data.v") -> str:
    return (
        f"{REPLACEMENTS}- source: {{kind: ConfigMap, name: src, fieldPath: {source}}}\n"
        f"  targets:\n  - select: {{kind: {kind}, name: {target}}}\n    fieldPaths: ['{field}']\n{rest}"
    )


@pytest.mark.parametrize(
    ("name", "item", "data", "lines"),
    [
        (
            "apply-setters",
            "data:\n  image: shop:v1 # kpt-set: shop:${tag}\n",
            "{tag: v2, tags: [ids], more: {a: b}, none: ~}",
            ["    image: shop:v2 # kpt-set: shop:${tag}"],
        ),
        (
            "apply-setters",
            "data:\n  image: hub/shop:1 # kpt-set: ${registry}/${app}:${tag}\n",
            '{registry: "", tag: "2"}',
            ["    image: /shop:2 # kpt-set: ${registry}/${app}:${tag}"],
        ),
        (
            "set-annotations",
            "  annotations:\n    build: 7 # why\n    on: true\n    none:\n    tilde: ~\n",
            '{build: "8", on: "x", none: "y", tilde: "z"}',
            ['      build: "8" # why', "      on: x", '      none: "y"', "      tilde: z"],
        ),
        (
            "search-replace",
            'data:\n  a: ""\n  b:\n  c: "x"\n',
            "{by-value-regex: ^$, put-value: none}",
            ['    a: "none"', "    b: none", '    c: "x"'],
        ),
        ("search-replace", "data:\n  b:\n", "{by-path: data.*, put-value: x}", ["    b: x"]),
        (
            "search-replace",
            "spec:\n  list:\n  - image: a\n  - image: b\n",
            "{by-path: spec.*.image, put-value: x}",
            ["    - image: x", "    - image: x"],
        ),
        (
            "search-replace",
            "spec:\n  list:\n  - image: a\n  - image: b\n",
            "{by-path: spec.list.1.image, put-value: x}",
            ["    - image: a", "    - image: x"],
        ),
        (
            "search-replace",
            "spec:\n  list:\n  - image: a\n",
            "{by-path: spec.list.7.image, put-value: x}",
            ["    - image: a"],
        ),
    ],
)
def test_fields_that_a_config_sets(name: str, item: str, data: str, lines: list[str]) -> None:
    """Each line comes out as from the original."""
    outcome = answer(name, [MAP + item], CONFIG + data)

    assert outcome.exit_code == 0, outcome.stderr
    written = outcome.stdout.partition("functionConfig:")[0].split("\n")
    assert [line for line in written if line in lines] == lines


@pytest.mark.parametrize("value", ["[a]", "{a: b}", "~"])
def test_a_setter_without_a_text_is_an_error_where_a_comment_names_it(value: str) -> None:
    """The error names the setter."""
    outcome = answer("apply-setters", [MAP + "data:\n  a: x # kpt-set: ${v}\n"], f"{CONFIG}{{v: {value}}}")

    assert outcome.exit_code == 1
    assert [finding.field for finding in outcome.results] == ["data.v"]


def test_a_setter_that_the_new_text_hides_is_a_warning() -> None:
    """The next run could not read `app` from `/shop:2`."""
    item = MAP + "data:\n  image: hub/shop:1 # kpt-set: ${registry}/${app}:${tag}\n"

    outcome = answer("apply-setters", [item], CONFIG + '{registry: "", tag: "2"}')

    assert [finding.rule for finding in outcome.results] == ["guessed", "setters"]


@pytest.mark.parametrize(
    ("pattern", "path", "changes"),
    [
        ("base/**.yaml", "base/x/a.yaml", False),
        ("base/**.yaml", "base/a.yaml", True),
        ("base/**/a.yaml", "base/x/y/a.yaml", True),
        ("base/**/a.yaml", "base/a.yaml", True),
        ("base/x**/a.yaml", "base/xx/y/a.yaml", False),
        ("base/**", "base/x/a.yaml", True),
        ("**", "base/x/a.yaml", True),
        ("{**/a,b}.yaml", "x/y/a.yaml", True),
        ("***/a.yaml", "x/y/a.yaml", False),
    ],
)
def test_two_stars_cross_folders_only_as_a_whole_name(pattern: str, path: str, changes: bool) -> None:
    """As in doublestar."""
    item = f"{MAP}  annotations: {{config.kubernetes.io/path: {path}}}\ndata:\n  a: old\n"

    outcome = answer(
        "search-replace", [item], f"{CONFIG}{{by-file-path: '{pattern}', by-value: old, put-value: new}}"
    )

    assert ("a: new" in outcome.stdout) == changes


@pytest.mark.parametrize(
    ("config", "tag", "line"),
    [
        (copied("spec.template.spec.containers.[image=envoy].image", "shop"), "v0.1.2", "image: NEW"),
        (copied("spec.template.spec.containers.[image=^env.*2$].image", "shop"), "v0.1.2", "image: NEW"),
        (copied("spec.template.spec.containers.[image=envoy].image", "shop"), "v0.1.1", "image: envoy:2"),
        (copied("spec.replicas", "shop", source="data.n"), "v0.1.2", "replicas: 5"),
        (copied("spec.replicas", "shop", source="data.n"), "v0.1.1", 'replicas: "5"'),
        (copied("spec.replicas", "shop"), "v0.1.2", "replicas: NEW"),
        (copied("spec.paused", "shop", source="data.n"), "v0.1.2", 'paused: "5"'),
        (copied("spec.*", "shop"), "", "replicas: 2"),
    ],
)
def test_what_a_replacement_writes(config: str, tag: str, line: str) -> None:
    """Releases differ in the patterns of entries and in the type of the target; `*` is no field of a map."""
    outcome = answer("apply-replacements", [SOURCE, DEPLOYMENT], config, tag)

    assert outcome.exit_code == 0, outcome.stderr
    assert line in outcome.stdout.partition("functionConfig:")[0]


@pytest.mark.parametrize(
    ("config", "tag", "message"),
    [
        (copied("spec.*", "shop"), "v0.1.2", "expected SequenceNode but got MappingNode"),
        (copied("spec.a.[x=(].b", "shop"), "v0.1.2", "error parsing regexp"),
        (
            copied("metadata.name", "shop", rest="    options: {delimiter: ':'}\n", source="data"),
            "",
            "a map cannot be a part of a text",
        ),
    ],
)
def test_a_replacement_that_fails(config: str, tag: str, message: str) -> None:
    """The items stay as they are."""
    outcome = answer("apply-replacements", [SOURCE, DEPLOYMENT], config, tag)

    assert outcome.exit_code == 1
    assert message in outcome.stderr
    assert "replicas: 2" in outcome.stdout


@pytest.mark.parametrize(
    ("field", "rest", "before", "after"),
    [
        (r"data.app\.yaml.server.host", "", "host: 'old'   # here", "host: 'NEW'   # here"),
        ("data.[app.json].host", "", '"host":"old"', '"host":"NEW"'),
        (
            r"data.app\.yaml.server.new.deep",
            "    options: {create: true}\n",
            "port: 80\n",
            "port: 80\n        new:\n          deep: NEW\n",
        ),
    ],
)
def test_a_path_into_a_text(field: str, rest: str, before: str, after: str) -> None:
    """Only the value changes; the text around it stays byte for byte, and so do other items."""
    config = copied(field, "app", "ConfigMap", rest)

    outcome = answer("apply-replacements", [SOURCE, TEXTS], config)

    given = resource_list([SOURCE, TEXTS], config)
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.partition("\nresults:")[0].strip() == given.replace(before, after, 1).strip()


def test_a_path_into_a_text_is_absent_where_the_release_follows_none() -> None:
    """v0.1.2 knows no paths into texts, and a plain text holds no fields."""
    old = answer(
        "apply-replacements",
        [SOURCE, TEXTS],
        copied(r"data.app\.yaml.server.host", "app", "ConfigMap"),
        "v0.1.2",
    )
    plain = answer("apply-replacements", [SOURCE, TEXTS], copied("data.plain.x", "app", "ConfigMap"))

    assert old.exit_code == 1
    assert [finding.rule for finding in plain.results] == ["absent-target"]


def test_a_number_in_a_text_stays_a_number() -> None:
    """The target's type counts, as for fields of resources."""
    config = copied(r"data.app\.yaml.server.port", "app", "ConfigMap", source="data.n")

    assert "port: 5\n" in answer("apply-replacements", [SOURCE, TEXTS], config).stdout


def test_cluster_scoped_kinds_with_a_namespace() -> None:
    """They stay cluster-scoped: what refers to the namespace changes, and their own field does not."""
    rbac = "rbac.authorization.k8s.io"
    items = [
        f"apiVersion: {rbac}/v1\nkind: ClusterRoleBinding\nmetadata: {{name: a, namespace: own}}\n"
        "subjects:\n- {kind: ServiceAccount, name: a, namespace: old}\n",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: old, namespace: own}\n",
        "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: s, namespace: own}\n"
        "spec: {service: {name: s, namespace: old}}\n",
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: c, namespace: own}\n",
    ]

    outcome = answer("set-namespace", items, CONFIG + "{namespace: new}")

    assert outcome.stdout.count("namespace: own") == 4
    assert "name: new, namespace: own" in outcome.stdout
    assert outcome.stdout.count("namespace: new") == 3  # two references, and the config


@pytest.mark.parametrize(("tag", "value", "rules"), [("v0.1.4", "new", []), ("", "old", ["unread-field"])])
def test_additional_namespace_fields_by_release(tag: str, value: str, rules: list[str]) -> None:
    """Old releases set them; for later ones a warning says that they have no effect."""
    config = (
        "apiVersion: fn.kpt.dev/v1alpha1\nkind: SetNamespace\nmetadata: {name: cfg}\nnamespace: new\n"
        "additionalNamespaceFields: [{kind: ConfigMap, path: spec/refs/namespace}]\n"
    )

    outcome = answer("set-namespace", [MAP + "spec:\n  refs:\n  - namespace: old\n"], config, tag)

    assert f"- namespace: {value}" in outcome.stdout
    assert [finding.rule for finding in outcome.results if finding.severity == "warning"] == rules


def test_references_of_roles_and_ingresses_follow_a_new_name() -> None:
    """Only to resources of the same namespace."""
    items = [
        "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: shop}\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: shop}\n"
        "rules: [{resourceNames: [token, other]}]\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: far}\n"
        "rules: [{resourceNames: [token]}]\n",
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: i\n  namespace: shop\n"
        "  annotations:\n    nginx.ingress.kubernetes.io/auth-secret: token\n",
    ]

    outcome = answer("ensure-name-substring", items, CONFIG + "{prepend: n-}")

    assert "[n-token, other]" in outcome.stdout
    assert "[token]" in outcome.stdout
    assert "auth-secret: n-token" in outcome.stdout


@pytest.mark.parametrize(
    ("path", "rule", "exit_code"), [("spec/nothing", "unused-field", 0), ("data/a/b", "wrong-type", 1)]
)
def test_a_wrong_path_of_a_name_is_reported(path: str, rule: str, exit_code: int) -> None:
    """A path that fits nothing is a warning, one through a single value an error."""
    config = (
        "apiVersion: fn.kpt.dev/v1alpha1\nkind: EnsureNameSubstring\nmetadata: {name: cfg}\nsubstring: n-\n"
        f"additionalNameFields: [{{path: {path}}}]\n"
    )

    outcome = answer("ensure-name-substring", [MAP + "data: {a: b}\n"], config)

    assert outcome.exit_code == exit_code
    assert rule in [finding.rule for finding in outcome.results]


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ('print(json.encode({"z": 1.0, "a": "<é>"}))', ['{"a":"\\u003cé\\u003e","z":1.0}']),
        ('print(json.encode([1e100, 12345678901234567890, None, (True, "\\"")]))',
         ['[1e+100,12345678901234567890,null,[true,"\\""]]']),
        ('print(json.indent("{\\"a\\":[1,{}]}", indent = " ").replace("\\n", "/"))', ['{/ "a": [/  1,/  {}/ ]/}']),
        ('print(krmfn.match_namespace(items[0], ""))', ["True"]),
        ('print("a", "b", sep = "-")', ["a-b"]),
        ('print(ctx.resource_list["kind"], ctx.resource_list["apiVersion"])',
         ["ResourceList config.kubernetes.io/v1"]),
    ],
)  # fmt: skip
def test_what_a_program_can_use(program: str, lines: list[str]) -> None:
    """The modules and the list are as in the original."""
    pytest.importorskip("starlark")
    outcome = answer("starlark", [MAP], f"{PROGRAM}  {program}\n")

    assert outcome.exit_code == 0, outcome.stderr
    assert [finding.message for finding in outcome.results] == lines


def test_numbers_that_are_infinite_pass_through_a_program() -> None:
    """They come out as they were, also where they are copied."""
    pytest.importorskip("starlark")
    item = MAP + "data: {inf: .inf, nan: .nan}\n"

    outcome = answer("starlark", [item], f'{PROGRAM}  items[0]["data"]["more"] = items[0]["data"]["inf"]\n')

    assert "data: {inf: .inf, nan: .nan, more: .inf}" in outcome.stdout


def test_the_hint_about_groups_comes_with_the_error_of_the_program() -> None:
    """A program that fails because match_gvk found nothing says so."""
    pytest.importorskip("starlark")
    program = 'found = None\n  if krmfn.match_gvk(items[0], "apps/v1", "Deployment"):\n    found = items[0]\n  found["a"] = 1\n'

    outcome = answer("starlark", [DEPLOYMENT], f"{PROGRAM}  {program}", "v0.5.0")

    assert [finding.rule for finding in outcome.results] == ["program", "match-gvk"]


def test_a_resource_takes_the_place_of_one_whose_dash_stands_alone() -> None:
    """The list that comes out is read again, and has the new value."""
    config = MAP + "data:\n  a: '2'\n"
    text = resource_list([MAP + "data:\n  a: '1'\n"], config).replace("- apiVersion", "-\n  apiVersion", 1)
    function = loader.load("upsert-resource")

    outcome = run(function.definition, function.process, text)

    assert "\n- apiVersion: v1\n" in outcome.stdout
    assert outcome.stdout.count("a: '2'") == 2


def test_a_comment_stays_behind_a_list_that_becomes_empty() -> None:
    """`items` stays a list."""
    item = MAP + '  annotations: {config.kubernetes.io/local-config: "true"}\n'
    text = resource_list([item], CONFIG + "{}").replace("items:\n", "items: # some\n# all of them\n", 1)
    function = loader.load("remove-local-config-resources")

    outcome = run(function.definition, function.process, text)

    assert "\nitems: [] # some\n# all of them\nfunctionConfig:" in outcome.stdout


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("search-replace", "{by-value: x, put-comment: note}"),
        ("create-setters", "{v: x, l: '[x, y]'}"),
        ("upsert-resource", ""),
        ("set-labels", "{team: shop}"),
    ],
)
def test_line_ends_of_a_file_stay(name: str, data: str, tmp_path: Path) -> None:
    """Every line of a file with CRLF has CRLF afterwards."""
    config = f"    configMap: {data}\n" if data else "    configPath: shop.yaml\n"
    (tmp_path / "Kptfile").write_text(
        f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: p}}\npipeline:\n  mutators:\n  - image: {name}\n{config}"
    )
    text = MAP + "data:\n  a: x\n  # above\n  b: [x, y]\n  c: |\n    x\n"
    (tmp_path / "a.yaml").write_bytes(text.replace("\n", "\r\n").encode())
    (tmp_path / "shop.yaml").write_text(MAP + "data:\n  z: z\n")

    assert main(["render", str(tmp_path)]) == 0

    written = (tmp_path / "a.yaml").read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n")
    assert written != text.replace("\n", "\r\n").encode()
