"""krmkit.systems.landscaper.items.redact: secrets stay out of messages, and out of redacted objects."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import md5, sha1, sha256, sha512

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit
from krmkit.systems.landscaper.items.hashes import data_hash, target_hash
from krmkit.systems.landscaper.items.objects import World
from krmkit.systems.landscaper.items.redact import Secrets
from tests.unit.systems.landscaper.test_bad_input import FUNCTIONS
from tests.unit.systems.landscaper.worlds import blueprint, obj, target

PASSWORD = "tiger-in-the-tank"


def secret(**values: str) -> dict[str, object]:
    """A Secret with its values in base64."""
    data = {key: b64encode(value.encode()).decode() for key, value in values.items()}
    return obj("Secret", "login", "v1", data=data)


def test_scrub() -> None:
    """A value, its base64 form and what it holds as YAML are found; short and common words are left alone."""
    secrets = Secrets(World.of([secret(password=PASSWORD, config="user: admiral\nmode: true\nid: abc\n")]))

    said = secrets.scrub(f"{PASSWORD}, {b64encode(PASSWORD.encode()).decode()}, admiral, true, abc")

    assert said == "(secret), (secret), (secret), true, abc"


def test_words_of_a_message() -> None:
    """A short secret is struck out where it stands alone; in a word of krmkit's it would tell itself."""
    secrets = Secrets(World.of([secret(colour="blue", name="exampleString")]))

    said = secrets.scrub('the blueprint: "blue" must be one of blue-green, BLUE; exampleStrings')

    assert said == 'the blueprint: "(secret)" must be one of (secret)-green, (secret); (secret)s'
    assert secrets.redacted(obj("X", "x", "v1", data={"a": "bluebird"}))["data"] == {
        "a": "(secret login/colour)bird"
    }


@pytest.mark.parametrize("char", ["h", "\\'", "\\x00", '"', "\\u2028"])
def test_the_first_character_of_a_secret(char: str) -> None:
    """Go's JSON names the character that it cannot read."""
    message = f"error calling mustFromJson: invalid character '{char}' looking for beginning of value"
    with_secret = Secrets(World.of([secret(password=PASSWORD)]))

    assert with_secret.scrub(message) == (
        "error calling mustFromJson: invalid character (secret) looking for beginning of value"
    )
    assert Secrets(World.of([])).scrub(message) == message


QUOTED = 'a"b<c>&d\\e'
FORMS: dict[str, tuple[str, str]] = {
    "upper case": (PASSWORD, PASSWORD.upper()),
    "lower case": ("TIGER-in-the-Tank", PASSWORD),
    "upper case in base64": (PASSWORD, b64encode(PASSWORD.upper().encode()).decode()),
    "as JSON": (QUOTED, json.dumps(QUOTED)),
    "as Go's JSON": (QUOTED, '"a\\"b\\u003cc\\u003e\\u0026d\\\\e"'),
    "lines in JSON": ("one\ntwo", json.dumps("one\ntwo")),
    "base64 without padding": ("tiger", b64encode(b"tiger").decode().rstrip("=")),
    "base64 for addresses": ("\u00ff\u00ff\u00ff\u00ff", "w7_Dv8O_w78="),
    "inside of base64": (PASSWORD, b64encode(f"user: a\npassword: {PASSWORD}\n".encode()).decode()),
    "inside of base64, one byte later": (PASSWORD, b64encode(f"x{PASSWORD}y".encode()).decode()),
    "inside of base64, two bytes later": (PASSWORD, b64encode(f"xx{PASSWORD}yy".encode()).decode()),
    "in hexadecimal digits": (PASSWORD, PASSWORD.encode().hex()),
    "in an address": ("a b/c&d", "a+b%2Fc%26d"),
    "in a path": ("a b/c&d", "a%20b/c%26d"),
    "by MD5": (PASSWORD, md5(PASSWORD.encode(), usedforsecurity=False).hexdigest()),
    "by SHA-1": (PASSWORD, sha1(PASSWORD.encode(), usedforsecurity=False).hexdigest()),
    "by SHA-256": (PASSWORD, sha256(PASSWORD.encode()).hexdigest()),
    "by SHA-512": (PASSWORD, sha512(PASSWORD.encode()).hexdigest()),
    "by SHA-256 in base64": (PASSWORD, b64encode(sha256(PASSWORD.encode()).digest()).decode()),
    "a number in a Go template": ("12345678", "1.2345678e+07"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    """Whatever a template did to the whole value, it is found in messages and in objects."""
    value, written = FORMS[name]
    secrets = Secrets(World.of([secret(it=value)]))

    found: Object = secrets.redacted(obj("DataObject", "copy", data={"line": f"<{written}>", written: 1}))

    assert "(secret)" in secrets.scrub(f"at <{written}>: fails")
    assert "(secret login/it)" in found["data"]["line"]
    assert written not in repr(found)
    middle = b64encode(value.encode()).decode()[4:-8]
    assert not middle or middle not in secrets.scrub(written)


def test_numbers_are_secrets() -> None:
    """A Secret's text is read as YAML: a number that it holds is one in the output, too."""
    secrets = Secrets(World.of([secret(pin="12345678")]))

    found: Object = secrets.redacted(obj("DataObject", "copy", data={"a": 12345678, "b": 12345678.0, "c": 1}))

    assert found["data"] == {"a": "(secret login/pin)", "b": "(secret login/pin)", "c": 1}


def test_identity_stays() -> None:
    """A secret that is the name of an object, too, does not make it nameless."""
    secrets = Secrets(World.of([secret(user="shop")]))
    item = obj("DeployItem", "shop-web", spec={"config": {"user": "shop"}})
    item["metadata"]["annotations"] = {"krmkit.dev/generated-by": "Installation/default/shop", "note": "shop"}

    found: Object = secrets.redacted(item)

    assert (found["kind"], found["metadata"]["name"]) == ("DeployItem", "shop-web")
    assert found["metadata"]["annotations"]["krmkit.dev/generated-by"] == "Installation/default/shop"
    assert found["metadata"]["annotations"]["note"] == "(secret login/user)"
    assert found["spec"]["config"]["user"] == "(secret login/user)"


def test_made_targets_hold_secrets() -> None:
    """The config of a Target that rendering makes counts as well."""
    world = World.of([])
    secrets = Secrets(world)
    world.add(target("made", kubeconfig="token: f00dfeed"))

    assert secrets.scrub("f00dfeed, token: f00dfeed") == "f00dfeed, (secret)"


def test_targets_hold_secrets() -> None:
    """The config of a Target counts as a secret; a secretRef is none."""
    secrets = Secrets(
        World.of(
            [
                target("edge", kubeconfig="token: f00dfeed"),
                obj("Target", "ref", spec={"secretRef": {"name": "kept-name"}}),
            ]
        )
    )

    assert secrets.scrub("token: f00dfeed kept-name") == "(secret) kept-name"


def test_redacted_objects_have_their_own_hash() -> None:
    """The placeholder says where the value comes from, and the hash is that of the placeholder."""
    secrets = Secrets(World.of([secret(password=PASSWORD)]))
    hashed = "data.landscaper.gardener.cloud/hash"
    item = obj("DataObject", "copy", data={"password": PASSWORD, "user": "a"})
    item["metadata"]["annotations"] = {hashed: data_hash(item["data"])}

    found: Object = secrets.redacted(item)

    assert found["data"] == {"password": "(secret login/password)", "user": "a"}
    assert found["metadata"]["annotations"][hashed] == data_hash(found["data"])
    assert item["data"]["password"] == PASSWORD


def rendered(template: str, redact: bool) -> tuple[int, str, str]:
    """Exit code, stderr, and the output behind the input items, for an installation that imports the Secret."""
    body = "imports:\n- {name: password, schema: {type: string}}\ndeployExecutions:\n- {name: d, type: GoTemplate, file: d.yaml}\n"
    installation = obj(
        "Installation",
        "shop",
        spec={
            "imports": {"data": [{"name": "password", "secretRef": {"name": "login", "key": "password"}}]},
            "blueprint": blueprint(body, d__yaml=template),
        },
    )
    config = f"apiVersion: krmkit.dev/v1alpha1\nkind: RenderInstallation\nmetadata: {{name: c}}\nspec: {{redact: {str(redact).lower()}}}\n"
    items = [emit.document(secret(password=PASSWORD)), emit.document(installation)]
    outcome = run_function(FUNCTIONS / "render-installation", resource_list(items, config))
    return outcome.exit_code, outcome.stderr, outcome.stdout


TEMPLATE = "deployItems:\n- {name: a, type: t, config: {apiVersion: x/v1, kind: C, line: 'password={{ .imports.password }}', encoded: {{ .imports.password | b64enc }}}}\n"


def test_rendered_with_and_without_secrets() -> None:
    """The output holds what the controller would write; with redact, none of it holds a secret."""
    _, _, plain = rendered(TEMPLATE, redact=False)
    code, _, clean = rendered(TEMPLATE, redact=True)

    assert f"password={PASSWORD}" in plain
    assert code == 0
    assert PASSWORD not in clean
    assert clean.count("(secret login/password)") == 3


def test_errors_hold_no_secret() -> None:
    """A template that fails with a secret in its message gives a result without it."""
    code, stderr, output = rendered("{{ fail .imports.password }}", redact=False)

    assert code == 1
    assert PASSWORD not in stderr + output
    assert "(secret)" in output


def test_infos_hold_no_secret() -> None:
    """A deploy item whose name is made of a secret is waited for without it."""
    body = (
        "imports: [{name: password, schema: {}}]\nexports: [{name: e, schema: {}}]\n"
        "deployExecutions: [{name: d, type: GoTemplate, file: d.yaml}]\n"
        "exportExecutions: [{name: e, type: GoTemplate, file: e.yaml}]\n"
    )
    files = {
        "d__yaml": "deployItems: [{name: 'of-{{ .imports.password }}', type: t}]",
        "e__yaml": 'exports: {e: {{ index .deployitems "x" "y" }}}',
    }
    spec = {
        "imports": {"data": [{"name": "password", "secretRef": {"name": "login", "key": "password"}}]},
        "exports": {"data": [{"name": "e", "dataRef": "e"}]},
        "blueprint": blueprint(body, **files),
    }
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: RenderInstallation\nmetadata: {name: c}\nspec: {}\n"
    items = [
        emit.document(one) for one in (secret(password=PASSWORD), obj("Installation", "shop", spec=spec))
    ]

    outcome = run_function(FUNCTIONS / "render-installation", resource_list(items, config))

    said = [one.message for one in outcome.results if one.rule == "unknown-export"]
    assert len(said) == 1
    assert "deploy item of-(secret)" in said[0]


def test_everything_of_an_object_is_looked_at() -> None:
    """Lists, keys, labels and numbers; a Target's hash is that of what stands there, and other values stay what they are."""
    secrets = Secrets(World.of([secret(password=PASSWORD, pin="12345678")]))
    item = target(
        "edge", listed=[PASSWORD, {PASSWORD: None}], pin=12345678, flag=True, nothing=None, size=1.5
    )
    item["metadata"]["labels"] = {"note": PASSWORD}
    item["metadata"]["annotations"] = {"data.landscaper.gardener.cloud/hash": "old"}

    found: Object = secrets.redacted(item)

    said = "(secret login/password)"
    assert found["spec"]["config"] == {
        "listed": [said, {said: None}], "pin": "(secret login/pin)", "flag": True, "nothing": None, "size": 1.5,
    }  # fmt: skip
    assert found["metadata"]["labels"] == {"note": said}
    assert found["metadata"]["annotations"] == {"data.landscaper.gardener.cloud/hash": target_hash(found["spec"])}  # fmt: skip


def test_plain_texts_of_a_secret() -> None:
    """stringData counts as data does; lists and mappings in a value, and long lines of it, are secrets each."""
    item = obj(
        "Secret",
        "login",
        "v1",
        stringData={"it": "users: [admiral, {name: commodore}]\nkey: a long line of text"},
    )
    secrets = Secrets(World.of([item]))

    said = secrets.scrub("admiral commodore / a long line of text / key: a long line of text / users")

    assert said == "(secret) (secret) / (secret) / (secret) / users"


def test_a_secret_that_is_no_base64() -> None:
    """A value that cannot be decoded counts as it stands; one that is not YAML has no parts."""
    item = obj("Secret", "login", "v1", data={"a": "not-base-64!", "b": b64encode(b"a: [tiger").decode()})
    secrets = Secrets(World.of([item]))

    assert secrets.scrub("not-base-64! a: [tiger tiger") == "(secret) (secret) tiger"


def test_forms_are_found_whole() -> None:
    """A form that is found is replaced from its first character to its last."""
    value = 'p\u00e4ss "word" 9'
    secrets = Secrets(World.of([secret(it=value)]))
    data = value.encode()
    forms = [value, value.upper(), json.dumps(value)[1:-1], b64encode(data).decode(), data.hex(), sha256(data).hexdigest()]  # fmt: skip

    assert [secrets.scrub(f"<{form}>") for form in forms] == ["<(secret)>"] * len(forms)


@pytest.mark.parametrize(
    "word", ["true", "False", "null", "none", "default", "kind", "config", "kubeconfig", "abc"]
)
def test_words_that_are_no_secrets(word: str) -> None:
    """A Secret may hold common and short words, which are left alone elsewhere."""
    assert Secrets(World.of([secret(it=word)])).scrub(f"a {word} b") == f"a {word} b"


def test_lines_of_a_secret() -> None:
    """A line of eight characters is a secret, and the value after its colon; a shorter one is none."""
    secrets = Secrets(World.of([secret(it="- {\n12345678\n7654321\nkey: abcdefgh\n")]))

    assert secrets.scrub("12345678 7654321 abcdefgh key") == "(secret) 7654321 (secret) key"
