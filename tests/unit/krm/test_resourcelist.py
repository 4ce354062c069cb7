"""Resource lists: what was not touched leaves as it came, whatever form it came in."""

from __future__ import annotations

import pytest

from krmkit.krm.annotations import Location
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import Limits

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
ONE = """\
- # about the service
  apiVersion: v1
  kind: Service
  metadata:
    name: "web" # eol
    annotations:
      config.kubernetes.io/index: '1'
      config.kubernetes.io/path: 'web.yaml'
      example.org/unknown: "kept"
  spec: {ports: [80]}
"""
TWO = """\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
  data:
    text: |
      - not an item
"""
CONFIG = "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {a: '1'}\n"
BLOCK = HEAD + "items:\n" + ONE + TWO + CONFIG
JSON = (
    '{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList",\n "items": [\n'
    '  {"kind": "A", "metadata": {"name": "a"}},\n  {"kind": "B"}\n ]}\n'
)
FORMS = [
    pytest.param(BLOCK, id="block"),
    pytest.param(HEAD + CONFIG + "items:\n" + ONE + TWO, id="config first"),
    pytest.param(BLOCK.rstrip("\n"), id="no final line break"),
    pytest.param(BLOCK.replace("\n", "\r\n"), id="CRLF"),
    pytest.param("\ufeff" + BLOCK, id="byte order mark"),
    pytest.param(
        HEAD + "items:\n  " + (ONE + TWO).replace("\n", "\n  ").rstrip(" ") + CONFIG, id="indented items"
    ),
    pytest.param(JSON, id="JSON"),
    pytest.param(HEAD + "items:\n-\n  kind: A\n  metadata: {name: a}\n-\n  kind: B\n", id="bare dashes"),
    pytest.param(HEAD + "items: [{kind: A}, {kind: B}, ]\n" + CONFIG, id="flow with a comma at the end"),
    pytest.param(BLOCK + "---\n", id="an empty document behind"),
    pytest.param(HEAD + "items: []\n" + CONFIG, id="no items"),
    pytest.param(HEAD + "items:\n", id="null items"),
    pytest.param(HEAD, id="items absent"),
]


@pytest.mark.parametrize("text", FORMS)
def test_untouched_list_is_identical(text: str) -> None:
    """Reading and writing is the identity, items read or not."""
    rl = ResourceList.parse(text)
    assert rl.render() == text

    for item in rl.items:
        assert item.kind
    assert rl.render() == text


@pytest.mark.parametrize("text", FORMS)
def test_add_and_results(text: str) -> None:
    """A new item and results fit into every form, and the items that were there stay as text."""
    rl = ResourceList.parse(text)
    before = [item.text for item in rl.items]
    rl.add({"apiVersion": "v1", "kind": "New", "metadata": {"name": "new"}})
    rl.results = [{"message": "m", "severity": "info"}]

    again = ResourceList.parse(rl.render())

    assert [item.kind for item in again.items][-1] == "New"
    assert [item.text.rstrip() for item in again.items][:-1] == [piece.rstrip() for piece in before]
    assert "severity" in rl.render()
    assert (again.function_config is None) == (rl.function_config is None)


@pytest.mark.parametrize("text", [FORMS[0], FORMS[5], FORMS[6]])
def test_remove(text: str) -> None:
    """A removed item is gone, all others stay; without items the list is still one."""
    rl = ResourceList.parse(text)
    kept = rl.items[1].text
    rl.remove(rl.items[0])

    again = ResourceList.parse(rl.render())
    assert [item.text for item in again.items] == [kept]

    again.remove(again.items[0])
    assert len(ResourceList.parse(again.render())) == 0


def test_crlf_throughout_is_as_safe_as_lf() -> None:
    """A list with CRLF is edited item by item as one with LF, without a parse, and is written with CRLF."""
    text = HEAD + "items:\n- kind: A\n  metadata:\n    name: a # c\n  data:\n    x: |\n      l\n"
    rl = ResourceList.parse(text.replace("\n", "\r\n"))
    assert all(item._is_safe for item in rl.items)

    rl.items[0].set(("metadata", "name"), "b")
    rl.results = [{"message": "m"}]

    lines = ResourceList.parse(text)
    lines.items[0].set(("metadata", "name"), "b")
    lines.results = [{"message": "m"}]
    assert rl.render() == lines.render().replace("\n", "\r\n")


def test_remove_an_anchor_with_all_that_refer_to_it() -> None:
    """What goes together does not hold itself back, in whatever order it is named."""
    rl = ResourceList.parse(
        HEAD + "items:\n- kind: A\n  labels: &l {app: x}\n- kind: B\n  labels: *l\n- kind: C\n"
    )
    rl.remove(rl.items[0], rl.items[1])

    assert [item.kind for item in ResourceList.parse(rl.render())] == ["C"]


def test_one_edit_changes_one_line() -> None:
    """Comments, quotes and the other item survive."""
    rl = ResourceList.parse(BLOCK)
    rl.items[0].set(("metadata", "name"), "shop")

    assert rl.render() == BLOCK.replace('"web" # eol', '"shop" # eol')


def test_old_results_give_way() -> None:
    """Results that came along are those of an earlier function."""
    text = BLOCK + "results:\n- message: old\n"
    rl = ResourceList.parse(text)
    assert rl.render() == BLOCK + "results: []\n"

    rl = ResourceList.parse(text)
    rl.results = [{"message": "new"}]
    assert rl.render() == BLOCK + "results:\n- message: new\n"


@pytest.mark.parametrize("value", ["!!int ten", '!!int "99999999999999999999999999"', "!!bool 1", "!!null x"])
def test_old_results_give_way_beside_what_nobody_reads(value: str) -> None:
    """A value that contradicts its tag is as good or bad in the second run as in the first."""
    list_ = ResourceList.parse(f"{HEAD}items:\n{ONE}functionConfig:\n  odd: {value}\n")
    list_.results = [{"message": "one"}]
    again = ResourceList.parse(list_.render())
    again.results = [{"message": "two"}]

    assert again.render() == list_.render().replace("one", "two")


def test_aliases_across_items() -> None:
    """An item may refer to an anchor of an earlier one; the anchor's item has to stay."""
    text = HEAD + "items:\n- kind: A\n  labels: &l {app: x}\n- kind: B\n  labels: *l\n"
    rl = ResourceList.parse(text)

    assert rl.items[1].get("labels") == {"app": "x"}
    rl.items[1].set(("labels", "app"), "y")
    assert rl.render() == text.replace("*l", '\n    app: "y"').replace("labels: \n", "labels:\n")
    fresh = ResourceList.parse(text)
    with pytest.raises(Refused, match="holds an anchor"):
        fresh.remove(fresh.items[0])


def test_config_refers_to_an_item() -> None:
    """An alias outside the items may refer to an anchor inside one."""
    text = HEAD + "items:\n- kind: A\n  data: &d {k: v}\nfunctionConfig:\n  kind: C\n  data: *d\n"
    rl = ResourceList.parse(text)

    assert rl.function_config is not None
    assert rl.function_config.get("data") == {"k": "v"}
    assert rl.render() == text


@pytest.mark.parametrize(
    ("later", "user"),
    [
        ("- kind: B\n  data: *d\n", "item 2"),
        ("- {kind: B, data: *d}\n", "item 2"),
        ("- kind: B\nfunctionConfig:\n  kind: C\n  data: *d\n", "the text around the items"),
    ],
)
def test_an_edit_takes_no_anchor_from_others(later: str, user: str) -> None:
    """The list would be no YAML; that it says so depends on nobody having read the other item."""
    rl = ResourceList.parse(HEAD + "items:\n- kind: A\n  data: &d {k: v}\n" + later)
    rl.items[0].set(("data",), {"k": "w"})

    with pytest.raises(Refused, match=f"the edit removes the anchor &d, which {user} refers to"):
        rl.render()


@pytest.mark.parametrize(
    "later",
    [
        "- kind: B\n",
        "- kind: B\n  text: '*d'\n",
        "- kind: B\n  own: &d 1\n  data: *d\n",
        "- kind: B\n  x: a: *d\n",
    ],
)
def test_an_anchor_that_nobody_needs_may_go(later: str) -> None:
    """A text that looks like an alias, an anchor of one's own, and what is broken already hold nothing back."""
    rl = ResourceList.parse(HEAD + "items:\n- kind: A\n  data: &d {k: v}\n  url: x?a=1&b=2\n" + later)
    rl.items[0].remove(("data",))
    rl.items[0].remove(("url",))

    assert rl.render() == HEAD + "items:\n- kind: A\n" + later


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("kind: Pack\n", True),
        ('kind: "P\\x61ck"\n', True),
        ('kind: "P\\u0061ck"\n', True),
        ('kind: "P\\U00000061ck"\n', True),
        ('kind: "Pa\\\n    ck"\n', True),
        ("kind: !!binary UGFjaw==\n", True),
        ("kind: *k\n", True),
        ("kind: Other\n", False),
    ],
)
def test_prefilter_never_misses(item: str, found: bool) -> None:
    """Escapes and aliases may hide a word; what cannot hold it is left out."""
    rl = ResourceList.parse(HEAD + "items:\n- kind: &k Pack\n- " + item)

    assert (rl.items[1] in list(rl.containing("Pack"))) is found


@pytest.mark.parametrize("name", ["Pack", "pack.json", "eap", "", "Z"])
@pytest.mark.parametrize(
    "value", ["Pack", "P\\x61ck", "pack.json", "eap", "a*b", "none", "Z Pack pack.json eap"]
)
def test_prefilter_after_edits(name: str, value: str) -> None:
    """What the text says now is looked at, however it was edited: in the text, in the tree, or as a whole."""
    text = HEAD + "items:\n" + "- kind: A\n  data:\n    x: old\n  z: 1\n" * 4
    rl = ResourceList.parse(text)
    one, two, three, _ = rl.items
    one.set(("data", "x"), value)
    two.set(("data",), {"x": value})
    three.rewrite(f'kind: A\n  data:\n    x: "{value}"\n  z: 1\n')

    found = list(rl.containing(name, "A"))
    near = [position for position, item in enumerate(rl.items) if item.may_hold(name)]

    for number, item in enumerate(rl.items):
        if name in str(item.get()):
            assert item in found
            assert number in near
        elif "\\" not in item.text and "*" not in item.text:
            assert item not in found
            assert number not in near
    alternative = list(rl.containing("nowhere", alternative=(name, "A")))
    assert [item.label for item in alternative] == [item.label for item in found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ResourceList|empty|items"),
        ("- a\n", "a mapping with"),
        ("kind: List\n", "kind is List, expected ResourceList"),
        ("kind: ResourceList\napiVersion: v1\nitems: []\n", "apiVersion is v1"),
        (HEAD + "items: x\n", "items"),
        (HEAD + "items: []\nfunctionConfig: x\n", "functionConfig must be a resource"),
    ],
)
def test_what_is_no_list(text: str, words: str) -> None:
    """Errors say what was found and what is expected."""
    with pytest.raises((Refused, YamlError), match=words):
        ResourceList.parse(text)


def test_items_that_cannot_be_read() -> None:
    """An item that is broken in itself says which one it is, when it is asked."""
    rl = ResourceList.parse(HEAD + "items:\n- kind: A\n- [1]\n- a: 1\n  a: 2\n", Limits())

    with pytest.raises(Refused, match="item 2 is a list"):
        _ = rl.items[1].root
    with pytest.raises(YamlError, match=r'item 3: .*"a" occurs twice'):
        _ = rl.items[2].root


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Limits(items=1), "items"), (Limits(total_size=10), "total_size")],
)
def test_limits(limits: Limits, name: str) -> None:
    """Too much input ends in an error that says how to raise the limit."""
    with pytest.raises(LimitError, match=f"--limit {name}=N"):
        ResourceList.parse(BLOCK, limits)


def test_list_in_memory() -> None:
    """The embedded pipeline makes its own lists."""
    rl = ResourceList.of(
        [Resource("kind: A # c\nmetadata:\n  name: a\n", location=Location("a.yaml", 2, "pkg"))]
    )
    item = rl.items[0]

    assert (item.path, item.index, item.package_path) == ("a.yaml", 2, "pkg")
    assert ResourceList.parse(rl.render()).items[0].get() == {"kind": "A", "metadata": {"name": "a"}}


@pytest.mark.parametrize("given", [None, "- kind: Z\n", "-\n  kind: Z\n", "- kind: Z"])
def test_new_items_keep_trailing_lines(given: str | None) -> None:
    """Line breaks that a block scalar keeps are content, also at the end of an item."""
    rl = ResourceList.of([])
    if given is not None:
        rl = ResourceList.parse("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + given)
    rl.add(Resource("kind: A\ntext: |+\n  x\n\n\n"))
    rl.add(Resource("kind: B"))

    again = ResourceList.parse(rl.render())

    assert [item.get() for item in again.items][-2:] == [{"kind": "A", "text": "x\n\n\n"}, {"kind": "B"}]


def test_results_in_the_line_ends_of_the_list() -> None:
    """A list with CRLF gets results with CRLF."""
    text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\n".replace(
        "\n", "\r\n"
    )
    resources = ResourceList.parse(text)
    resources.results = [{"message": "x", "severity": "info"}]

    assert resources.render() == text + "results:\r\n- message: x\r\n  severity: info\r\n"


@pytest.mark.parametrize(
    "first",
    ["- spec: &a {x: 1, x: 2}\n", "- other: {x: 1, x: 2}\n  spec: &a {x: 1}\n", "- spec: &a {x: *b}\n"],
)
def test_an_alias_is_not_blamed_for_what_it_refers_to(first: str) -> None:
    """The item that has the doubled keys is named, and only that one."""
    items = ResourceList.parse(HEAD + "items:\n" + first + "- spec: *a\n- spec: *a\n").items

    for item in reversed(items):
        with pytest.raises(YamlError, match=r"^item 1: line 1, "):
            _ = item.root


@pytest.mark.parametrize("items", ["items:\n- kind: A\n- kind: B\n", "items: [{kind: A},\n  {kind: B}]\n"])
def test_doubled_keys_of_the_config_are_named_with_their_lines(items: str) -> None:
    """Those of the whole text, with the items."""
    text = HEAD + items + "functionConfig:\n  kind: C\n  x: 1\n  x: 2\n"
    line = text.split("\n").index("  x: 2") + 1

    with pytest.raises(YamlError, match=rf"^line {line}, column 3: .* twice .*\(first on line {line - 1}\)"):
        ResourceList.parse(text)
